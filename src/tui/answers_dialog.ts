import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { Look } from "./block.ts";
import type { Dialog } from "./dialog.ts";
import { cut } from "./wrap.ts";

/** Keys count as an answer only when nobody has typed for this long: what was meant for the editor allows nothing. */
const SETTLE_MS = 500;

/** A question whose answers have letters. The first answer is chosen at the start, and stands for Escape. */
export interface AnswersOptions<T> {
  /** The lines of the question. */
  readonly head: (look: Look) => readonly string[];
  readonly answers: readonly [Answer<T>, ...Answer<T>[]];
  readonly now: () => number;
  /** Called once. */
  readonly done: (answer: T) => void;
}

/** One answer. */
export interface Answer<T> {
  /** A lower-case letter. */
  readonly key: string;
  readonly answer: T;
  readonly label: string;
}

/** Asks; leaves the editor below it what is typed before the person can have read the question. */
export function answersDialog<T>({ head, answers, now, done }: AnswersOptions<T>): Dialog {
  let at = 0;
  let quietSince = now();
  const none = answers[0];
  return {
    keepsEditor: true,
    lines(look) {
      return [
        ...head(look),
        ...answers.map(({ key, label }, index) => {
          const line = cut(`${index === at ? "❯" : " "} ${key}  ${label}`, look.width);
          return index === at ? look.theme.strong(line) : line;
        }),
        cut(look.theme.dim("↑↓ and Enter, or the letter · Esc: no"), look.width),
      ];
    },
    key(data) {
      const isSettled = now() - quietSince >= SETTLE_MS;
      if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) {
        done(none.answer);
        return true;
      }
      if (matchesKey(data, "up") || matchesKey(data, "down")) {
        at = (at + (matchesKey(data, "up") ? answers.length - 1 : 1)) % answers.length;
        return true;
      }
      if (!isSettled) {
        quietSince = now();
        return matchesKey(data, "enter"); // words go on into the editor; an Enter among them is nobody's
      }
      const chosen = matchesKey(data, "enter") ? answers[at] : answers.find(({ key }) => key === data.toLowerCase());
      if (chosen) done(chosen.answer);
      return true;
    },
  };
}
