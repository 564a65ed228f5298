/** What a person may bind keys to: the names of the setting `keybindings`. */
export type KeyAction =
  | "newLine"
  | "followUp"
  | "expand"
  | "showThinking"
  | "model"
  | "thinking"
  | "edit"
  | "pastePicture"
  | "redraw"
  | "suspend"
  | "undo";

/** Some keys, or what is typed, and what they do. */
export interface KeyRow {
  /** The name under which the setting `keybindings` knows it; without one the keys are fixed. */
  readonly action?: KeyAction;
  /** As `ctrl+o`, the way the setting writes them; `typed`: words, shown as they are. */
  readonly keys: readonly string[];
  readonly typed?: boolean;
  readonly does: string;
}

/** Keys that the screen itself knows, beside those of the editor; bindings, help and docs come from here. */
export const KEYS: readonly KeyRow[] = [
  { keys: ["enter"], does: "send; while the model works: steer it" },
  { action: "followUp", keys: ["alt+enter"], does: "while the model works: a follow-up, for when it is done" },
  { action: "newLine", keys: ["shift+enter", "ctrl+j"], does: "a new line (also \\ before Enter)" },
  { keys: ["esc"], does: "stop; what was queued comes back into the editor" },
  { keys: ["ctrl+c"], does: "empty the editor; twice: quit, the session is saved" },
  { keys: ["ctrl+d"], does: "quit, when the editor is empty" },
  { action: "expand", keys: ["ctrl+o"], does: "read all of it: every command, result and thought" },
  { action: "showThinking", keys: ["ctrl+t"], does: "show what the model thought, or hide it again" },
  { action: "model", keys: ["ctrl+p"], does: "choose the model" },
  { action: "thinking", keys: ["shift+tab"], does: "the next thinking level" },
  { action: "edit", keys: ["ctrl+g"], does: "write in your own editor (VISUAL, EDITOR)" },
  { action: "pastePicture", keys: ["ctrl+v"], does: "the picture in the clipboard" },
  { action: "redraw", keys: ["ctrl+l"], does: "draw the screen anew" },
  { action: "suspend", keys: ["ctrl+z"], does: "suspend; fg comes back" },
  { action: "undo", keys: ["ctrl+-"], does: "undo" },
  { keys: ["↑", "↓"], typed: true, does: "earlier messages, also of other sessions" },
  { keys: ["@path", "/name", "Tab"], typed: true, does: "complete files and commands" },
  { keys: ["!command", "!!command"], typed: true, does: "run a command; with !! the model is not told" },
];
