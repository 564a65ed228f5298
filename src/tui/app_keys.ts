import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { KeyId } from "@earendil-works/pi-tui/dist/keys.d.ts";
import type { Dialog } from "./dialog.ts";
import type { PromptEditor } from "./prompt_editor.ts";

/** What keys do beside writing. */
export interface KeyActions {
  readonly dialog: () => Dialog | undefined;
  readonly editor: PromptEditor;
  readonly isBusy: () => boolean;
  readonly send: (text: string, whileBusy: "steer" | "followUp") => void;
  readonly stop: () => void;
  readonly quit: () => void;
  /** Says that the same key again quits. */
  readonly warnQuit: () => void;
  readonly toggleExpanded: () => void;
  readonly chooseModel: () => void;
  readonly nextThinking: () => void;
  readonly editOutside: () => void;
  readonly redraw: () => void;
  readonly suspend: () => void;
  readonly now: () => number;
}

/** The second Ctrl+C quits when it comes within this time, milliseconds. */
const TWICE_MS = 2000;

/** The one place that gives keys to whom they belong. */
export function createKeys(actions: KeyActions): (data: string) => void {
  const { editor } = actions;
  let lastInterrupt = -Infinity;

  const interrupt = (): void => {
    if (actions.now() - lastInterrupt < TWICE_MS) return actions.quit();
    lastInterrupt = actions.now();
    if (editor.text() !== "") editor.setText("");
    actions.warnQuit();
  };
  const escape = (data: string): void => {
    if (editor.isCompleting() || !actions.isBusy()) editor.key(data);
    else actions.stop();
  };
  const plain: readonly (readonly [KeyId, () => void])[] = [
    ["ctrl+c", interrupt],
    ["ctrl+o", actions.toggleExpanded],
    ["ctrl+p", actions.chooseModel],
    ["shift+tab", actions.nextThinking],
    ["ctrl+g", actions.editOutside],
    ["ctrl+l", actions.redraw],
    ["ctrl+z", actions.suspend],
    ["alt+enter", () => actions.send(editor.takeText(), "followUp")],
  ];

  return (data) => {
    const dialog = actions.dialog();
    if (dialog?.key(data)) return;
    const bound = plain.find(([key]) => matchesKey(data, key));
    if (bound) return bound[1]();
    if (matchesKey(data, "escape")) return escape(data);
    if (matchesKey(data, "ctrl+d") && editor.text() === "") return actions.quit();
    editor.key(data);
  };
}
