import type { ExecResult } from "../../core/host_actions.ts";
import { textOf } from "../../core/message.ts";
import type { EngineCore } from "./core.ts";

/** Longest time of a program that names none, milliseconds. */
const DEFAULT_MS = 60_000;

/**
 * Runs a program for an extension in the scope of the bash tool, never wider. Outputs are cut where those of bash are.
 *
 * Throws when the bash tool is off.
 */
export async function execInScope(
  core: EngineCore,
  [command, ...args]: readonly string[],
  { cwd, timeoutMs = DEFAULT_MS }: { readonly cwd?: string; readonly timeoutMs?: number },
  signal: AbortSignal,
): Promise<ExecResult> {
  const bash = core.toolset.active().find(({ tool }) => tool.name === "bash");
  if (!bash || command === undefined) {
    throw new Error("no program can be run: the bash tool, whose scope it would have, is off");
  }
  // The two outputs of one command come as one text; marks that nobody can guess tell them apart.
  const [first, last] = [crypto.randomUUID(), crypto.randomUUID()];
  const script = [
    ...(cwd === undefined ? [] : [`cd ${quote(cwd)} || exit 126`]),
    `e=$(mktemp) || exit 126`,
    `${[command, ...args].map(quote).join(" ")} 2>"$e"`,
    `c=$?`,
    `printf '%s' ${first}; cat "$e"; printf '%s' ${last}; rm -f "$e"; exit $c`,
  ].join("\n");
  const result = await bash.run({ command: script, timeout: Math.ceil(timeoutMs / 1000) }, `exec-${first}`, {
    signal,
    onUpdate: () => {},
  });
  const text = textOf(result.content);
  const [start, end] = [text.indexOf(first), text.indexOf(last)];
  const code = result.details?.["exitCode"];
  const killed = result.details?.["ending"] !== undefined && result.details["ending"] !== "exited";
  if (start < 0 || end < start) return { stdout: "", stderr: text, code: typeof code === "number" ? code : 1, killed };
  return {
    stdout: text.slice(0, start),
    stderr: text.slice(start + first.length, end),
    code: typeof code === "number" ? code : 1,
    killed,
  };
}

/** A word as the shell reads it back unchanged. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
