import { cleanLine } from "../screen/foreign.ts";
import { type Choice, detailOf, isMark, type PickOptions } from "../widgets/picker.ts";

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
    ...choices.map((choice, index) => {
      const detail = cleanLine(detailOf(choice));
      return `${index + 1}  ${cleanLine(choice.label)}${detail === "" ? "" : `, ${detail}`}`;
    }),
    `Write a number${typed ? `, or words: ${typed.as}` : ""}; an empty line leaves.`,
  ].join("\n"));
  const meant = (line: string): T | undefined => {
    const chosen = choices[Number(line) - 1]?.value;
    if (chosen === undefined) return line === "" ? undefined : typed?.value(line);
    return actions.find(isMark)?.value(chosen) ?? chosen;
  };
  return new Promise((resolve) => ask((line) => resolve(meant(line.trim()))));
}
