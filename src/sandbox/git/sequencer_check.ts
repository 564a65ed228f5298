// What a cherry-pick, revert or rebase that is half done would run when the user continues it. git-rebase(1), git-merge(1).
import { readConfigText } from "./config_text.ts";

/** Any other strategy is a program, which a path in its name may have git find in the workspace. */
const STRATEGIES = new Set(["ort", "recursive", "resolve", "octopus", "ours", "subtree"]);
/** All that git knows but `exec`. */
const VERBS = new Set(
  ("p pick revert e edit r reword f fixup s squash b break l label t reset m merge u update-ref noop d drop").split(
    " ",
  ),
);

/** Files in a repository's folder, each with what finds in its text what git would run. */
export const SEQUENCER_CHECKS: Readonly<Record<string, (text: string) => string[]>> = {
  "sequencer/opts": programsInOptions,
  "rebase-merge/strategy": programsInStrategy,
  "rebase-merge/git-rebase-todo": programsInTodo,
};

/** Strategies that are none of git's own, or that the file cannot be read; pure. */
export function programsInOptions(text: string): string[] {
  const { settings, isWhole } = readConfigText(text);
  const strategies = settings.filter(([name]) => name === "options.strategy").map(([, value]) => value ?? "");
  return [...strategies.filter((strategy) => !STRATEGIES.has(strategy)), ...(isWhole ? [] : [text])];
}

/** The strategy of a rebase where it is none of git's own; pure. */
export function programsInStrategy(text: string): string[] {
  const strategy = text.replace(/\r?\n$/, "");
  return STRATEGIES.has(strategy) ? [] : [strategy];
}

/** The lines of a rebase that run something, or that are not known to run nothing; pure. */
export function programsInTodo(text: string): string[] {
  return text.split(/[\n\0]/).filter((line) => {
    const verb = /^[ \t]*([^ \t\r]*)/.exec(line)?.[1] ?? "";
    // Which sign begins a comment is a setting; no verb begins with a sign.
    return verb !== "" && /^[A-Za-z0-9]/.test(verb) && !VERBS.has(verb);
  });
}
