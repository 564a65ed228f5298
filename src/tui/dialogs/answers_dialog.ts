import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { Look } from "../widgets/block.ts";
import type { Dialog } from "../widgets/dialog.ts";
import type { PromptEditor } from "../widgets/prompt_editor.ts";
import { cut, wrap } from "../screen/wrap.ts";

/** Keys count as an answer only when nobody has typed for this long: what was meant for the editor allows nothing. */
const SETTLE_MS = 500;

/** Where the keys go that are no answer. */
export type Draft = Pick<PromptEditor, "text" | "setText">;

/** A question whose answers have letters. The first answer is chosen at the start, and stands for Escape. */
export interface AnswersOptions<T> {
  /** The lines of the question; `isLow`: as few as say it all, because the window is low. */
  readonly head: (look: Look, isLow: boolean) => readonly string[];
  readonly answers: readonly [Answer<T>, ...Answer<T>[]];
  /** What the key that shows everything in full is good for here. */
  readonly hint?: (expandKey: string) => string;
  readonly draft: Draft;
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
  /** In a low window; without it the label. */
  readonly short?: string;
}

/**
 * Asks; whatever is no answer goes into the editor below it, and so does a letter: it chooses an answer only where it is
 * all that the editor has, and Enter confirms it. So nothing that is typed is lost, and no message allows anything.
 */
export function answersDialog<T>({ head, answers, hint, draft, now, done }: AnswersOptions<T>): Dialog {
  let at = 0;
  let quietSince = now();
  let letter: string | undefined; // the one that chose, as it stands in the editor
  let isByArrow = false;
  const none = answers[0];
  const isLetterAlone = (): boolean => letter !== undefined && draft.text() === letter;
  /** The letter was for the question: the message that follows does not begin with it. */
  const takeLetter = (): void => {
    if (isLetterAlone()) draft.setText("");
    letter = undefined;
  };
  const answer = (given: T): void => {
    takeLetter();
    done(given);
  };
  const how = (): string =>
    draft.text() === "" || isLetterAlone() ? "↑↓ or the letter, then Enter" : "↑↓ and Enter; letters go into the text";
  const more = ({ expandKey }: Look): readonly string[] => hint && expandKey !== undefined ? [hint(expandKey)] : [];
  const inFewRows = ({ width, theme }: Look): readonly string[] => {
    const shown = answers.map(({ key, label, short = label }, index) =>
      index === at ? theme.strong(`❯ ${key} ${short}`) : `${key} ${short}`
    );
    return wrap(shown.join(theme.dim(" · ")), width);
  };
  return {
    keepsEditor: true,
    lines(look) {
      const asked = head(look, false);
      if (asked.length + answers.length + 1 > look.rows) return [...head(look, true), ...inFewRows(look)];
      return [
        ...asked,
        ...answers.map(({ key, label }, index) => {
          const line = cut(`${index === at ? "❯" : " "} ${key}  ${label}`, look.width);
          return index === at ? look.theme.strong(line) : line;
        }),
        cut(look.theme.dim([how(), "Esc: no", ...more(look)].join(" · ")), look.width),
      ];
    },
    key(data) {
      if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) {
        answer(none.answer);
        return true;
      }
      if (matchesKey(data, "up") || matchesKey(data, "down")) {
        takeLetter();
        isByArrow = true;
        at = (at + (matchesKey(data, "up") ? answers.length - 1 : 1)) % answers.length;
        return true;
      }
      const isSettled = now() - quietSince >= SETTLE_MS;
      const isEmpty = draft.text() === "";
      if (matchesKey(data, "enter")) {
        // An Enter at the end of a message is nobody's.
        if (isLetterAlone() || isSettled && (isEmpty || isByArrow)) answer((answers[at] ?? none).answer);
        else quietSince = now();
        return true;
      }
      const chosen = isSettled && isEmpty ? answers.findIndex(({ key }) => key === data.toLowerCase()) : -1;
      letter = chosen < 0 ? undefined : data;
      at = Math.max(0, chosen);
      isByArrow = false;
      if (chosen < 0) quietSince = now();
      return false;
    },
  };
}
