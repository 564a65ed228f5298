import type { Draft } from "./answers_dialog.ts";
import type { CommandContext } from "../commands/command.ts";
import type { Dialog } from "../widgets/dialog.ts";
import { picker } from "../widgets/picker.ts";
import { questionForm } from "./question_form.ts";
import type { QuestionScreen } from "../transcript/questions.ts";

/** What stands in the editor's place: a question goes before what a command lets one choose. */
export interface Dialogs extends Pick<QuestionScreen, "show" | "hide">, Pick<CommandContext, "pick"> {
  readonly current: () => Dialog | undefined;
  /** A question waits, and not only a list that the person opened. */
  readonly isAsking: () => boolean;
  readonly clear: () => void;
}

/** None yet; `changed` is called when another one, or none, is to be shown. */
export function createDialogs(changed: () => void, draft: Draft, now: () => number): Dialogs {
  let question: Dialog | undefined;
  let choice: Dialog | undefined;
  return {
    current: () => question ?? choice,
    isAsking: () => question !== undefined,
    show(asked) {
      question = questionForm(asked, draft, now);
      changed();
    },
    hide() {
      question = undefined;
      changed();
    },
    clear: () => void (question = choice = undefined),
    pick(title, choices, options = {}) {
      const { promise, resolve } = Promise.withResolvers<(typeof choices)[number]["value"] | undefined>();
      const dialog = picker({
        ...options,
        title,
        choices,
        done(value) {
          if (choice === dialog) choice = undefined;
          resolve(value);
        },
      });
      choice = dialog;
      changed();
      return promise;
    },
  };
}
