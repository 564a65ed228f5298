import { join } from "@std/path";
import { attempt, ifThere } from "../../core/support/attempt.ts";
import type { AuditEntry } from "../audit.ts";
import { isSessionId } from "../identifiers.ts";
import { isNumber, isText, parseObject } from "../shape.ts";
import { readLines } from "../load.ts";

/** The tool calls of a session, in their order. */
export interface AuditRead {
  readonly calls: readonly AuditEntry[];
  /** Lines that are none. */
  readonly damaged: number;
}

/** Reads the file that `openAudit()` writes; none is an empty one. Throws what the system throws. */
export function readAudit(folder: string, session: string): AuditRead {
  const calls: AuditEntry[] = [];
  let damaged = 0;
  const take = (line: string | undefined): void => {
    const call = line === undefined ? undefined : parse(line);
    if (call) calls.push(call);
    else damaged++;
  };
  // Another program's session may have an id that leads out of the folder.
  if (!isSessionId(session)) return { calls, damaged };
  const tail = ifThere(() => readLines(join(folder, `${session}.jsonl`), take))?.tail;
  if (tail !== undefined) take(tail);
  return { calls, damaged };
}

/** The sessions that have an audit, of those whose id begins with `start`: one that is not kept has nothing else. */
export function auditedSessions(folder: string, start: string): readonly string[] {
  return attempt(() =>
    [...Deno.readDirSync(folder)].map(({ name }) => name)
      .filter((name) => name.endsWith(".jsonl") && name.startsWith(start))
      .map((name) => name.slice(0, -".jsonl".length)).sort()
  ) ?? []; // there is no audit yet, or none may be read
}

function parse(line: string): AuditEntry | undefined {
  const value = parseObject(line);
  if (value === undefined) return undefined;
  const { time, session, callId, tool, arguments: digest, decision, outcome, durationMs, waitedMs } = value;
  const isWhole = [time, session, callId, tool, digest].every(isText) && isNumber(durationMs) &&
    (decision === "allowed" || decision === "denied" || decision === "refused") &&
    (outcome === "ok" || outcome === "error") && (waitedMs === undefined || isNumber(waitedMs));
  if (!isWhole) return undefined;
  // Only the known fields, all of them checked above: nothing else that stands in the file is shown.
  const call = { time, session, callId, tool, arguments: digest, decision, outcome, durationMs } as AuditEntry;
  return isNumber(waitedMs) ? { ...call, waitedMs } : call;
}
