import { cleanLine } from "../screen/foreign.ts";
import { type Choice, type PickOptions, shownOf } from "../widgets/picker.ts";
import type { Pick, SessionShelf } from "../commands/command.ts";
import { chooseSession } from "../commands/resume.ts";

/**
 * A numbered list; a number chooses, an empty line leaves; other words count where `typed` takes them. A line that can be marked
 * is, and the list comes anew.
 */
export function plainPick<T>(
  title: string,
  choices: readonly Choice<T>[],
  options: PickOptions<T>,
  print: (text: string) => void,
  ask: (take: (line: string) => void) => void,
): Promise<T | undefined> {
  const { typed, mark } = options;
  print([
    cleanLine(title),
    ...choices.map((choice, index) => {
      const detail = cleanLine(shownOf(choice.detail));
      return `${index + 1}  ${cleanLine(shownOf(choice.label))}${detail === "" ? "" : `, ${detail}`}`;
    }),
    `Write a number${typed ? `, or words: ${typed.as}` : ""}; an empty line leaves.`,
  ].join("\n"));
  const meant = (line: string): T | undefined => {
    const chosen = choices[Number(line) - 1]?.value;
    return chosen === undefined && line !== "" ? typed?.value(line) : chosen;
  };
  return new Promise((resolve) =>
    ask((line) => {
      const chosen = meant(line.trim());
      const isMarked = chosen !== undefined && mark?.(chosen) === true;
      resolve(isMarked ? plainPick(title, choices, options, print, ask) : chosen);
    })
  );
}

/**
 * Lets the person choose a session by lines, before one is open; the exit code instead when they leave. `ask` gives the next
 * line that they write. Throws UserError where there is none.
 */
export async function plainSession(
  shelf: SessionShelf,
  print: (text: string) => void,
  ask: () => string,
): Promise<string | number> {
  const pick: Pick = (title, choices, options = {}) =>
    plainPick(title, choices, options, print, (take) => queueMicrotask(() => take(ask())));
  return await chooseSession(shelf, pick, print) ?? 0;
}
