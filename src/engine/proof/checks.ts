import type { AgentDeps, Verdict } from "../../agent/deps.ts";
import type { Config } from "../../config/config.ts";
import { UserError } from "../../core/error.ts";
import type { AgentEvent } from "../../core/event.ts";
import { type CustomMessage, textOf } from "../../core/message.ts";
import { compileGlob } from "../../core/support/glob.ts";
import type { Tool } from "../../core/tool.ts";
import type { ToolResult } from "../../core/tool_result.ts";
import type { SessionChanges } from "../changes/session_changes.ts";
import type { ToolsHost } from "../tools/tools_host.ts";

/** Characters of a check's output that events and the model get: its end, where test runners say what failed. */
const OUTPUT_CHARS = 4000;

/** How often the failure of a check goes back to the model, unless told otherwise. */
const TRIES = 3;

/** The checks of the user, then those of a trusted project: it adds to what the user wants, and takes nothing away. */
function checkSettings({ user, project, given }: Config): NonNullable<Config["settings"]["checks"]> {
  return [user, project, ...(given ? [given] : [])].flatMap(({ checks = [] }) => checks);
}

/** Commands that decide whether a run is done: `--require`, then the setting `checks` for the end of a run. */
export interface RunChecks {
  readonly commands: readonly string[];
  /** How often a failure goes back to the model. */
  readonly tries: number;
}

/** What the command line and the settings demand at the end of a run; undefined: nothing. */
export function runChecksOf(config: Config): RunChecks | undefined {
  const { values } = config.invocation;
  const flags = Array.isArray(values["require"]) ? values["require"] : [];
  const commands = checkSettings(config).flatMap((one) =>
    typeof one === "string" ? [one] : one.when === "turn" ? [] : [one.command]
  );
  const tries = values["require-tries"];
  const all = [...new Set([...flags, ...commands])];
  return all.length === 0 ? undefined : { commands: all, tries: typeof tries === "number" ? tries : TRIES };
}

/** Judges what a model calls done. */
export type Judge = (signal: AbortSignal) => AsyncGenerator<AgentEvent, Verdict>;

/**
 * Runs each check in the scope of the bash tool until one fails; its failure goes back to the model at most `tries` times.
 *
 * `endsSession`: background commands end with this run. If one still runs when all checks pass, it is ended, and the checks
 * run again: it could have changed the files for the time of a check.
 *
 * Throws UserError at once where commands cannot run: a demand that nobody could look at would be none.
 */
export function createChecks(
  { commands, tries }: RunChecks,
  tools: ToolsHost,
  changes: CheckedChanges | undefined,
  endsSession = false,
): Judge {
  const bash = shellOf(tools, commands[0] ?? "");
  let failures = 0;
  return async function* (signal) {
    let hasEnded = false;
    for (;;) {
      for (const command of commands) {
        const checked = yield* runCheck(
          command,
          { bash, tools, changes, attempt: failures + 1, tries: tries + 1 },
          signal,
        );
        if (signal.aborted) return { kind: "holds" }; // whoever stopped the run says how it ends
        if (checked.passed) continue;
        if (failures++ < tries) return { kind: "again", messages: [failureMessage(command, checked, hasEnded)] };
        const again = tries === 0 ? "" : `, also after ${tries === 1 ? "a correction" : `${tries} corrections`}`;
        return { kind: "fails", reason: `the check "${command}" ${checked.why}${again}` };
      }
      if (!endsSession || !tools.background.isBusy()) break;
      await tools.background.endWithRun();
      hasEnded = true;
    }
    failures = 0;
    return { kind: "holds" };
  };
}

/** What a check came to. */
interface Checked {
  readonly passed: boolean;
  /** For example `ended with exit code 1`. */
  readonly why: string;
  readonly output: string;
}

/** What checks need of the journal of changes. */
export type CheckedChanges = Pick<SessionChanges, "sinceLast" | "beforeCall">;

/** Runs one check and tells of it. */
async function* runCheck(
  command: string,
  { bash, tools, changes, attempt, tries }: {
    readonly bash: Tool;
    readonly tools: ToolsHost;
    readonly changes: CheckedChanges | undefined;
    readonly attempt: number;
    readonly tries: number;
  },
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, Checked> {
  const checkId = `check-${crypto.randomUUID()}`;
  yield { type: "check_start", checkId, command, attempt, tries };
  await changes?.beforeCall({ toolCallId: checkId, toolName: "check" }, { isBackground: false, signal });
  const from = performance.now();
  // A test suite takes its time: the longest that any command may.
  const timeout = tools.policy.limits.bashMaxTimeoutMs / 1000;
  const result = await tools.run(bash, { command, timeout }, checkId, { signal, onUpdate: () => {} });
  const code = result.details?.["exitCode"];
  const exitCode = typeof code === "number" ? code : undefined;
  const passed = !result.isError && exitCode === 0;
  const output = endOf(withoutCode(textOf(result.content), result));
  yield {
    type: "check_end",
    checkId,
    command,
    attempt,
    passed,
    ...(exitCode === undefined ? {} : { exitCode }),
    output,
    durationMs: Math.round((performance.now() - from) * 10) / 10,
  };
  return { passed, why: whyOf(result, exitCode), output };
}

/** What a command printed, without the line of its exit code, which is said beside it: the last such line is bash's own. */
function withoutCode(text: string, { details }: ToolResult): string {
  const line = `\n\nCommand exited with code ${details?.["exitCode"]}`;
  const at = details?.["ending"] === "exited" && details["exitCode"] !== 0 ? text.lastIndexOf(line) : -1;
  return at < 0 ? text : text.slice(0, at) + text.slice(at + line.length);
}

function whyOf({ details }: ToolResult, exitCode: number | undefined): string {
  switch (details?.["ending"]) {
    case "timeout":
      return "did not end in time";
    case "limit":
      return "was ended by a limit of the sandbox";
    case "aborted":
      return "was stopped";
    default:
      return exitCode === undefined ? "could not run" : `ended with exit code ${exitCode}`;
  }
}

function failureMessage(command: string, { why, output }: Checked, hasEnded: boolean): CustomMessage {
  const ended = hasEnded ? " The commands in the background were ended before, as they are when the run is over." : "";
  const content =
    `This program ran the check "${command}", which has to pass before the task is done.${ended} It ${why}:\n\n` +
    `${output}\n\nMend the cause, then say again that you are done. The check runs once more then.`;
  return { role: "custom", customType: "check", content, display: true, timestamp: Date.now() };
}

function endOf(output: string): string {
  if (output.length <= OUTPUT_CHARS) return output;
  return `[… ${output.length - OUTPUT_CHARS} characters before these]\n${output.slice(-OUTPUT_CHARS)}`;
}

/** The tool that checks run as. Throws UserError where there is none. */
function shellOf(tools: ToolsHost, command: string): Tool {
  const bash = tools.known.find(({ name }) => name === "bash");
  if (bash) return bash;
  throw new UserError({
    what: `Cannot run the check "${command}"`,
    why: "checks run as commands of the bash tool do, and this run may not use it",
    fix: "Let it run programs (no --read-only, bash among --tools), or leave the check out",
  });
}

/** Complaints of one check that the model gets at a time, and characters of one. */
const TOLD = { lines: 30, characters: 400 };

/** A command that runs after a turn that changed files of a kind. */
interface TurnCheck {
  readonly command: string;
  readonly isConcerned: (path: string) => boolean;
}

/** The checks of the settings that run after turns. */
export function turnChecksOf(config: Config): readonly TurnCheck[] {
  return checkSettings(config).flatMap((one) => {
    if (typeof one === "string" || one.when !== "turn") return [];
    const { command = "", files } = one;
    const pattern = files === undefined ? undefined : compileGlob(files, { braces: true });
    return [{ command, isConcerned: (path: string) => pattern === undefined || pattern.test(path) }];
  });
}

/**
 * What the loop does after a turn with calls: each check whose files changed runs, and what it says of these files that it
 * did not say before goes to the model.
 */
export function createTurnChecks(
  checks: readonly TurnCheck[],
  tools: ToolsHost,
  changes: CheckedChanges | undefined,
): NonNullable<AgentDeps["afterCalls"]> {
  const bash = shellOf(tools, checks[0]?.command ?? "");
  const said = new Map<string, ReadonlySet<string>>();
  const runs = new Map<string, number>();
  return async function* (signal) {
    const paths = await changes?.sinceLast() ?? [];
    const messages: CustomMessage[] = [];
    for (const { command, isConcerned } of checks) {
      const concerned = paths.filter(isConcerned);
      if (concerned.length === 0 || signal.aborted) continue;
      const attempt = (runs.get(command) ?? 0) + 1;
      runs.set(command, attempt);
      const { passed, output } = yield* runCheck(command, { bash, tools, changes, attempt, tries: attempt }, signal);
      const lines = passed ? [] : output.split("\n").filter((line) => concerned.some((path) => line.includes(path)));
      const before = said.get(command) ?? new Set<string>();
      said.set(command, new Set(lines.map(shape)));
      const fresh = lines.filter((line) => !before.has(shape(line)));
      if (fresh.length > 0) messages.push(complaint(command, fresh));
    }
    return messages;
  };
}

/** A complaint without its place: what stands above it moves it. */
function shape(line: string): string {
  return line.replace(/\d+/g, "#");
}

function complaint(command: string, lines: readonly string[]): CustomMessage {
  const shown = lines.slice(0, TOLD.lines).map((line) => line.slice(0, TOLD.characters));
  const more = lines.length > shown.length ? `\n[${lines.length - shown.length} more]` : "";
  const content = `After this turn "${command}" says of the files that were changed:\n\n${shown.join("\n")}${more}`;
  return { role: "custom", customType: "check", content, display: true, timestamp: Date.now() };
}
