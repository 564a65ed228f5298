import type { AgentDeps } from "../../agent/deps.ts";
import type { Config } from "../../config/config.ts";
import type { CustomMessage } from "../../core/message.ts";
import { compileGlob } from "../../core/support/glob.ts";
import type { ToolsHost } from "../tools/tools_host.ts";
import { checkSettings, runCheck, shellOf } from "./checks.ts";

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
 * did not say before goes to the model. `changed`: paths since this was asked last.
 */
export function createTurnChecks(
  checks: readonly TurnCheck[],
  tools: ToolsHost,
  changed: () => Promise<readonly string[]>,
): NonNullable<AgentDeps["afterCalls"]> {
  const bash = shellOf(tools, checks[0]?.command ?? "");
  const said = new Map<string, ReadonlySet<string>>();
  const runs = new Map<string, number>();
  return async function* (signal) {
    const paths = await changed();
    const messages: CustomMessage[] = [];
    for (const { command, isConcerned } of checks) {
      const concerned = paths.filter(isConcerned);
      if (concerned.length === 0 || signal.aborted) continue;
      const attempt = (runs.get(command) ?? 0) + 1;
      runs.set(command, attempt);
      const { passed, output } = yield* runCheck(command, { bash, tools, attempt, tries: attempt }, signal);
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
