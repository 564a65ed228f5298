import { counted } from "../../core/support/text.ts";
import { programName } from "../../core/version.ts";
import type { TakenBack } from "../../core/changes.ts";
import { oneLine } from "../../session/view/visible_text.ts";

const LONGEST_PATH = 400;

/** What is said of an application of a patch that was cut off; whole lines. */
export function takenBackLines({ isComplete, restored, left }: TakenBack): string[] {
  const name = programName();
  if (isComplete) return [`${name}: a patch whose application was cut off is applied: nothing of it was missing\n`];
  const many = `${counted(restored.length, "file was", "files were")} put back`;
  return [
    `${name}: the application of a patch was cut off in the middle: ${many}\n`,
    ...(left.length < 2 ? left : []).map((path) =>
      `${name}: ${oneLine(path, LONGEST_PATH)} is left as it is: somebody else changed it since then\n`
    ),
    ...(left.length < 2 ? [] : [
      `${name}: ${left.length} files are left as they are: somebody else changed them since then\n`,
      ...left.map((path) => `  ${oneLine(path, LONGEST_PATH)}\n`),
    ]),
  ];
}
