import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { Dialog } from "../widgets/dialog.ts";
import type { KeyAction, KeyBindings } from "../widgets/key_bindings.ts";
import type { PromptEditor } from "../widgets/prompt_editor.ts";

/** What keys do beside writing. */
export interface KeyActions {
  /** What has the whole screen, and every key. */
  readonly reading: () => { readonly key: (data: string) => void } | undefined;
  readonly dialog: () => Dialog | undefined;
  readonly editor: PromptEditor;
  readonly bindings: KeyBindings;
  readonly isBusy: () => boolean;
  readonly send: (text: string, whileBusy: "steer" | "followUp") => void;
  readonly stop: () => void;
  readonly quit: () => void;
  /** Says that the same key again quits. */
  readonly warnQuit: () => void;
  /** Opens what has the whole screen, or leaves it. */
  readonly toggleReading: () => void;
  readonly toggleThinking: () => void;
  readonly chooseModel: () => void;
  readonly nextThinking: () => void;
  readonly editOutside: () => void;
  readonly pastePicture: () => void;
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

  /** Twice quits, whatever goes on. Once takes away what is nearest: all that has the screen, a question, the text. */
  const interrupt = (data: string): void => {
    if (actions.now() - lastInterrupt < TWICE_MS) return actions.quit();
    lastInterrupt = actions.now();
    actions.warnQuit();
    if (actions.reading()) return actions.toggleReading();
    if (actions.dialog()?.key(data)) return;
    if (editor.text() !== "") editor.setText("");
  };
  const escape = (data: string): void => {
    if (editor.isCompleting() || !actions.isBusy()) editor.key(data);
    else actions.stop();
  };
  const bound: readonly (readonly [KeyAction, () => void])[] = [
    ["showThinking", actions.toggleThinking],
    ["model", actions.chooseModel],
    ["thinking", actions.nextThinking],
    ["edit", actions.editOutside],
    ["pastePicture", actions.pastePicture],
    ["redraw", actions.redraw],
    ["suspend", actions.suspend],
    ["followUp", () => actions.send(editor.takeText(), "followUp")],
  ];

  return (data) => {
    const means = (action: KeyAction): boolean => bindings.of(action).some((key) => matchesKey(data, key));
    if (matchesKey(data, "ctrl+c")) return interrupt(data);
    lastInterrupt = -Infinity; // only twice in a row quits
    if (means("expand")) return actions.toggleReading();
    const reading = actions.reading();
    if (reading && !means("suspend")) return reading.key(data);
    if (actions.dialog()?.key(data)) return;
    const found = bound.find(([action]) => means(action));
    if (found) return found[1]();
    if (matchesKey(data, "escape")) return escape(data);
    if (matchesKey(data, "ctrl+d") && editor.text() === "") return actions.quit();
    editor.key(data);
  };
}
