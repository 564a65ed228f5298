import { UserError } from "../../core/error.ts";
import { counted } from "../../core/support/text.ts";
import type { Config } from "../../config/config.ts";
import type { RunFacts } from "./facts.ts";

const UNSEEN = "nobody could look at what changed";

/** What `--fail-on` takes, and the sentence for a run in which it happened. */
const CONDITIONS = {
  denied: ({ deniedCalls }) =>
    deniedCalls === 0 ? undefined : `${counted(deniedCalls, "call was", "calls were")} denied`,
  "tool-error": ({ failedCalls }) => failedCalls === 0 ? undefined : `${counted(failedCalls, "call")} of tools failed`,
  "no-change": ({ changes }) => {
    if (!changes) return UNSEEN;
    return changes.files.length > 0 || changes.counted.length > 0 ? undefined : "no file was changed";
  },
  change: ({ changes }) => {
    if (!changes) return UNSEEN;
    const files = changes.files.length;
    return files === 0 ? undefined : `${counted(files, "file was", "files were")} changed`;
  },
  warning: ({ warnings }) => warnings.length === 0 ? undefined : `there was a warning: ${warnings[0]}`,
} as const satisfies Readonly<Record<string, (facts: RunFacts) => string | undefined>>;

type Condition = keyof typeof CONDITIONS;

/** What `--fail-on` names. Throws UserError for a word that means nothing. */
export function failOnOf(
  { invocation: { values }, settings }: Pick<Config, "invocation" | "settings">,
): readonly Condition[] {
  const words = Array.isArray(values["fail-on"]) ? values["fail-on"] : [];
  return words.map((word) => {
    if (word.endsWith("change") && settings.checkpoints === false) {
      throw new UserError({
        what: `Cannot fail on "${word}"`,
        why: "the setting checkpoints is false, so nobody looks at what changes",
        fix: "Leave one of the two out",
      });
    }
    if (Object.hasOwn(CONDITIONS, word)) return word as Condition;
    throw new UserError({
      what: `Cannot fail on "${word}"`,
      why: "--fail-on does not know it",
      fix: `Name some of ${Object.keys(CONDITIONS).join(", ")}`,
    });
  });
}

/** Why a run that ended well is a failure all the same: all conditions that hold, in one sentence. */
export function failureOf(conditions: readonly Condition[], facts: RunFacts): string | undefined {
  const all = conditions.flatMap((condition) => {
    const said = CONDITIONS[condition](facts);
    return said === undefined ? [] : [`${said} (--fail-on ${condition})`];
  });
  return all.length === 0 ? undefined : all.join("; ");
}
