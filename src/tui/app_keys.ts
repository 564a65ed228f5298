import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { Dialog } from "./dialog.ts";
import type { KeyBindings } from "./key_bindings.ts";
import type { KeyAction } from "./keys_table.ts";
import type { PromptEditor } from "./prompt_editor.ts";

/** What keys do beside writing. */
export interface KeyActions {
  readonly dialog: () => Dialog | undefined;
  readonly editor: PromptEditor;
  readonly bindings: KeyBindings;
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
  const { editor, bindings } = actions;
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
  const bound: readonly (readonly [KeyAction, () => void])[] = [
    ["expand", actions.toggleExpanded],
    ["model", actions.chooseModel],
    ["thinking", actions.nextThinking],
    ["edit", actions.editOutside],
    ["redraw", actions.redraw],
    ["suspend", actions.suspend],
    ["followUp", () => actions.send(editor.takeText(), "followUp")],
  ];

  return (data) => {
    const dialog = actions.dialog();
    if (dialog?.key(data)) return;
    if (matchesKey(data, "ctrl+c")) return interrupt();
    lastInterrupt = -Infinity; // only twice in a row quits
    const found = bound.find(([action]) => bindings.of(action).some((key) => matchesKey(data, key)));
    if (found) return found[1]();
    if (matchesKey(data, "escape")) return escape(data);
    if (matchesKey(data, "ctrl+d") && editor.text() === "") return actions.quit();
    editor.key(data);
  };
}
