import type * as z from "zod/mini";
import { ToolError } from "../src/core/error.ts";
import type { Denial } from "../src/core/event.ts";
import type { JsonObject } from "../src/core/json.ts";
import type { Limits } from "../src/core/policy.ts";
import { formatSize } from "../src/core/support/text.ts";
import {
  errorResult,
  type Shell,
  type ShellOutcome,
  textResult,
  type Tool,
  type ToolContext,
  type Zod,
} from "../src/core/tool.ts";
import type { ToolResult } from "../src/core/tool_result.ts";

const args = (z: Zod) =>
  z.object({
    command: z.string(),
    timeout: z.optional(z.number().check(z.positive(), z.describe("Seconds; 120 if absent, at most 600"))),
    background: z.optional(z.boolean()),
  });

/** What the host's shell carries beside the call itself, where commands can go on after it. */
export interface Background {
  start(command: string): Promise<BackgroundCommand>;
  stop(id: string): Promise<BackgroundCommand>;
  list(): readonly BackgroundCommand[];
  /** What one wrote since this was asked last; `lost`: UTF-16 units before it that are not held any more. */
  fresh(id: string): { readonly text: string; readonly lost: number };
  /** Until one has ended, `ms` are over or somebody has something to say. */
  wait(id: string, ms: number, signal: AbortSignal): Promise<void>;
  /** The model reads of the end of one. */
  told(id: string): void;
}

/** A command in the background as tools see it. */
export interface BackgroundCommand {
  readonly id: string;
  readonly outputPath?: string;
  /** Absent while it runs. */
  readonly exitCode?: number;
  /** Why it was ended, where it did not end by itself. */
  readonly why?: string;
}

/** Runs a command line in a process tree of its own, which ends with the call (R482). */
export const bash: Tool<z.infer<ReturnType<typeof args>>> = {
  name: "bash",
  description:
    "Run bash in the workspace folder. Returns stdout and stderr; of long output the last 2000 lines or 64KB and a " +
    "file with all. stdin is empty. Processes end with the call, unless background.",
  args,
  promptSnippet: "Execute bash commands",
  needs: ["run"],
  readOnly: false,
  place: "shell",
  async run({ command, timeout, background }, { shell, policy, signal, update }) {
    if (!shell) throw new ToolError("No program may run here: use the other tools.");
    if (!background) return await runToEnd(shell, command, timeout, { policy, signal, update });
    const commands = backgroundOf(shell);
    const begun = await commands.start(command);
    if (begun.exitCode !== undefined) commands.told(begun.id);
    return started(begun);
  },
};

/** Runs one command line to its end and tells of it. */
export async function runToEnd(
  shell: Shell,
  command: string,
  timeout: number | undefined,
  { policy, signal, update }: Pick<ToolContext, "policy" | "signal" | "update">,
): Promise<ToolResult> {
  const { timeoutMs, note } = boundedTimeout(timeout, policy.limits);
  const outcome = await shell(command, { timeoutMs, signal, onOutput: update });
  const notes = [note, ...outcome.notes].filter((line) => line !== undefined);
  const failure = failureOf(outcome, timeoutMs);
  const text = [shownOutput(outcome), failure, notes.join("\n")].filter((part) => part).join("\n\n");
  const { told = 0 } = outcome;
  const toldLines = told === 0 ? 0 : notes.slice(-told).join("\n").split("\n").length;
  const details = { ...detailsOf(outcome), ...(toldLines > 0 ? { toldLines } : {}) };
  return failure === undefined ? textResult(text, details) : errorResult(text, details);
}

/** Throws ToolError where a command cannot outlive its call. */
export function backgroundOf(shell: Shell | undefined): Background {
  // Not part of the contract that every shell keeps: the one that starts real processes has it.
  const { background } = (shell ?? {}) as Shell & { readonly background?: Background };
  if (background) return background;
  throw new ToolError("Nothing can run in the background here: run the command without background.");
}

function started({ id, exitCode, outputPath }: BackgroundCommand): ToolResult {
  const output = outputPath === undefined ? "Its output cannot be read." : `Its output: ${outputPath}`;
  const details = { id, ...(outputPath === undefined ? {} : { outputPath }) };
  if (exitCode === undefined) {
    return textResult(
      `Running in the background as ${id}. ${output}\nYou are told when it has ended. ` +
        `bash_output gives what it has written since, or waits for its end; bash_stop ends it.`,
      details,
    );
  }
  const text = `The command ended at once with code ${exitCode}. ${output}`;
  return exitCode === 0 ? textResult(text, details) : errorResult(text, details);
}

/** The timeout of a call as the limits allow it. */
export function boundedTimeout(seconds: number | undefined, limits: Limits): { timeoutMs: number; note?: string } {
  const wanted = seconds === undefined ? limits.bashTimeoutMs : seconds * 1000;
  if (wanted <= limits.bashMaxTimeoutMs) return { timeoutMs: wanted };
  const most = limits.bashMaxTimeoutMs / 1000;
  return { timeoutMs: limits.bashMaxTimeoutMs, note: `[The timeout was cut to ${most} seconds, the longest allowed.]` };
}

function shownOutput(outcome: ShellOutcome): string {
  const text = withoutFinalNewlines(outcome.output);
  if (text === "" && outcome.truncatedBy === undefined) return "(no output)";
  return outcome.truncatedBy === undefined ? text : `${text}\n\n${truncationNotice(outcome)}`;
}

/** Not a regular expression: `\\n+$` looks at every run of newlines again and again. */
function withoutFinalNewlines(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n") end--;
  return text.slice(0, end);
}

/** Which part of the output is shown, so that the model can ask for the rest by line number. */
function truncationNotice({ output, totalLines, truncatedBy, fullOutputPath }: ShellOutcome): string {
  const shown = output.replace(/\n$/, "").split("\n").length;
  const size = formatSize(new TextEncoder().encode(output).length);
  const isByBytes = truncatedBy === "bytes";
  const part = isByBytes && shown === 1
    ? `Showing the last ${size} of line ${totalLines}.`
    : `Showing lines ${totalLines - shown + 1}-${totalLines} of ${totalLines}${isByBytes ? ` (${size})` : ""}.`;
  return `[${part}${fullOutputPath === undefined ? "" : ` Full output: ${fullOutputPath}`}]`;
}

function failureOf({ ending, exitCode, limit }: ShellOutcome, timeoutMs: number): string | undefined {
  switch (ending) {
    case "timeout":
      return `Command timed out after ${timeoutMs / 1000} seconds`;
    case "aborted":
      return "Command aborted";
    case "limit":
      return `Command ended: ${limit ?? "it went over a limit"}`;
    case "exited":
      return exitCode === 0 ? undefined : `Command exited with code ${exitCode}`;
  }
}

/** What shells say beside the contract, of what of the policy the command met; for people and the audit. */
interface Denied {
  readonly denial?: DeniedThing;
  readonly denials?: readonly DeniedThing[];
  readonly sandboxNotes?: readonly string[];
  readonly reached?: readonly string[];
  readonly isDenied?: boolean;
}

type DeniedThing = Pick<Denial, "kind" | "target">;

function detailsOf(outcome: ShellOutcome & Denied): JsonObject {
  const { exitCode, ending, truncatedBy, fullOutputPath, denial, denials, sandboxNotes, reached, isDenied } = outcome;
  return {
    exitCode,
    ending,
    ...(truncatedBy === undefined ? {} : { truncated: true }),
    ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
    ...(denial === undefined ? {} : { denial: { ...denial } }),
    ...(denials === undefined ? {} : { denials: denials.map((one) => ({ ...one })) }),
    ...(sandboxNotes === undefined ? {} : { sandboxNotes }),
    ...(reached === undefined ? {} : { hosts: reached }),
    ...(isDenied ? { isDenied } : {}),
  };
}
