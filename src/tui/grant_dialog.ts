import type { GrantAnswer, GrantRequest } from "../core/hook.ts";
import { type Answer, answersDialog, type Draft } from "./answers_dialog.ts";
import type { Dialog } from "./dialog.ts";
import { cleanLine } from "./foreign.ts";
import { grantLines } from "./grant_lines.ts";
import { wrap } from "./wrap.ts";

const ANSWERS: readonly [Answer<GrantAnswer>, ...Answer<GrantAnswer>[]] = [
  { key: "n", answer: "no", label: "No, it runs without" },
  { key: "o", answer: "once", label: "Yes, until it is loaded again" },
  { key: "s", answer: "session", label: "Yes, for this session" },
  { key: "a", answer: "always", label: "Always, until one of its files changes (kept in your settings)" },
];

/** Asks whether an extension gets what its manifest asks for. "No" is chosen at the start. */
export function grantDialog(
  request: GrantRequest,
  draft: Draft,
  now: () => number,
  done: (answer: GrantAnswer) => void,
): Dialog {
  return answersDialog({
    head: ({ width, theme }) => [
      ...wrap(theme.warn(`▣ Extension ${cleanLine(request.name)} asks for more than it has:`), width),
      ...grantLines(request).flatMap((line) => wrap(`  ${line}`, width)),
      ...wrap(theme.dim(`${cleanLine(request.path)}, SHA-256 ${request.hash.slice(0, 16)}…`), width),
    ],
    answers: ANSWERS,
    draft,
    now,
    done,
  });
}
