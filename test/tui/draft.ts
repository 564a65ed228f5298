import type { Draft } from "../../src/tui/dialogs/answers_dialog.ts";
import type { Dialog } from "../../src/tui/widgets/dialog.ts";

/** An editor below a dialog, as far as single letters go. */
export interface TypedDraft extends Draft {
  /** Gives keys to the dialog, and takes what is not for it. */
  readonly type: (dialog: Dialog, ...keys: readonly string[]) => void;
}

/** Begins with a text. */
export function typedDraft(text = ""): TypedDraft {
  return {
    text: () => text,
    setText: (next) => void (text = next),
    type(dialog, ...keys) {
      for (const key of keys) if (!dialog.key(key)) text += key;
    },
  };
}
