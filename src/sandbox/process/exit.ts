import { stripControls } from "../../core/support/text.ts";

/** Exit code of a process that could not confine itself; a JSON line on its standard error says which step failed. */
const EXIT_UNCONFINED = 71;

/** Bytes of standard error that are kept, the newest. */
const TAIL_BYTES = 4096;

/** Keeps the newest bytes of a stream. */
export function keepTail(): { readonly add: (bytes: Uint8Array) => void; readonly text: () => string } {
  let tail = new Uint8Array(0);
  return {
    add: (bytes) => {
      const newest = bytes.subarray(-TAIL_BYTES);
      const kept = tail.subarray(Math.max(0, tail.length + newest.length - TAIL_BYTES));
      const joined = new Uint8Array(kept.length + newest.length);
      joined.set(kept);
      joined.set(newest, kept.length);
      tail = joined;
    },
    text: () => stripControls(new TextDecoder().decode(tail)).trim(),
  };
}

/** Why a runner ended, as a clause for an error message. `stderr` is untrusted and may be cut at its start. */
export function explainExit(status: Deno.CommandStatus, stderr: string): string {
  if (status.code === EXIT_UNCONFINED) {
    const step = failedStep(stderr);
    // The failed step was exec: the process was confined by then.
    const missing = /^ \(step exec: (.*)\)$/s.exec(step)?.[1];
    if (missing !== undefined) return `its program could not be started (${missing})`;
    return `the sandbox could not be set up${step}, so nothing was run`;
  }
  const how = status.signal ? `it was ended by ${status.signal}` : `it ended with code ${status.code}`;
  // The message without the stack below it and the source line above.
  const said = stderr.split("\n").findLast((line) => /\w/.test(line) && !/^\s+(at|\d+:) /.test(line))?.trim();
  return said === undefined ? how : `${how} (${said})`;
}

function failedStep(stderr: string): string {
  const last = stderr.split("\n").findLast((line) => line.startsWith("{"));
  try {
    const { step, why } = JSON.parse(last ?? "") as { readonly step?: unknown; readonly why?: unknown };
    return ` (step ${String(step)}: ${String(why)})`;
  } catch {
    return stderr === "" ? "" : ` (${stderr})`;
  }
}
