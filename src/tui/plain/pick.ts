import { cleanLine } from "../screen/foreign.ts";
import { type Choice, isMark, type PickOptions } from "../widgets/picker.ts";
import type { Pick, SessionShelf } from "../commands/command.ts";
import { chooseSession } from "../commands/resume.ts";

/** A numbered list; a number chooses, an empty line leaves; other words count where `typed` takes them. */
export function plainPick<T>(
  title: string,
  choices: readonly Choice<T>[],
  { typed, actions = [] }: PickOptions<T>,
  print: (text: string) => void,
  ask: (take: (line: string) => void) => void,
): Promise<T | undefined> {
  print([
    cleanLine(title),
    ...choices.map(({ label, detail }, index) =>
      `${index + 1}  ${cleanLine(label)}${detail ? `, ${cleanLine(detail)}` : ""}`
    ),
    `Write a number${typed ? `, or words: ${typed.as}` : ""}; an empty line leaves.`,
  ].join("\n"));
  const meant = (line: string): T | undefined => {
    const chosen = choices[Number(line) - 1]?.value;
    if (chosen === undefined) return line === "" ? undefined : typed?.value(line);
    return actions.find(isMark)?.value(chosen) ?? chosen;
  };
  return new Promise((resolve) => ask((line) => resolve(meant(line.trim()))));
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
