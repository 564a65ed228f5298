import type { KeyId } from "@earendil-works/pi-tui/dist/keys.d.ts";
import { UserError } from "../../core/error.ts";

const ROWS = [
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
] as const;

/** What a person may bind keys to: the names of the setting `keybindings`. */
export type KeyAction = Extract<typeof ROWS[number], { readonly action: string }>["action"];

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
export const KEYS: readonly KeyRow[] = ROWS;

/** Keys by action, and how they are shown. */
export interface KeyBindings {
  /** None when the person unbound it. */
  readonly of: (action: KeyAction) => readonly KeyId[];
  /** An action's first key as people read it, for example `Ctrl+O`; undefined when it has none. */
  readonly shown: (action: KeyAction) => string | undefined;
  /** Every line of help about keys. */
  readonly rows: readonly { readonly keys: string; readonly does: string }[];
}

/** The setting: an action's keys instead of its own; an empty list leaves it without. */
export type OwnKeys = { readonly [Action in KeyAction]?: string | readonly string[] };

const NAMED =
  /^(?:enter|tab|space|backspace|delete|insert|home|end|pageup|pagedown|up|down|left|right|f(?:[1-9]|1[0-2]))$/;
/** Keys that need no Ctrl and no Alt: no text and no way around in it is lost with them. */
const ALONE = /^(?:f\d+|insert|pageup|pagedown|shift\+(?:enter|tab|f\d+|up|down|insert|delete))$/;
/** Keys that keep their meaning, so that nobody is locked in or out. */
const FIXED = new Set(["enter", "esc", "escape", "ctrl+c", "ctrl+d", "tab", "ctrl+i", "ctrl+m", "ctrl+["]);

/** The table with the person's own keys in it. Throws UserError for what is no key, is fixed, or means two things. */
export function keyBindings(own: OwnKeys = {}): KeyBindings {
  const bound = new Map<KeyAction, readonly string[]>();
  const owners = new Map<string, KeyAction>();
  for (const { action, keys } of KEYS) {
    if (!action) continue;
    const given = own[action] ?? keys;
    const chosen = (typeof given === "string" ? [given] : given).map((key) => checked(action, key));
    for (const key of chosen) {
      const owner = owners.get(key);
      if (owner) throw refused(action, key, `it is already a key of "${owner}"`, `Give "${owner}" another one, or []`);
      owners.set(key, action);
    }
    bound.set(action, chosen);
  }
  const of = (action: KeyAction): readonly string[] => bound.get(action) ?? [];
  return {
    // Checked above, or from the table.
    of: (action) => of(action) as readonly KeyId[],
    shown(action) {
      const [key] = of(action);
      return key === undefined ? undefined : keyName(key);
    },
    rows: KEYS.flatMap(({ action, keys, typed, does }) => {
      const shown = (action ? of(action) : keys).map((key) => typed ? key : keyName(key));
      return shown.length === 0 ? [] : [{ keys: shown.join(typed && shown[0] === "↑" ? " " : ", "), does }];
    }),
  };
}

/** As the editor's library reads it: modifiers in one order, then one key. */
function checked(action: KeyAction, given: string): string {
  const parts = given.trim().toLowerCase().split("+");
  const key = parts.pop() ?? "";
  const modifiers = ["ctrl", "shift", "alt", "super"].filter((name) => parts.includes(name));
  if (!(NAMED.test(key) || /^[!-~]$/.test(key)) || modifiers.length !== parts.length) {
    throw refused(action, given, "that is no key", "Write it like ctrl+o, alt+enter, shift+tab or f2");
  }
  const name = [...modifiers, key].join("+");
  if (FIXED.has(name)) throw refused(action, given, "that key is fixed", "Take another one");
  if (!ALONE.test(name) && modifiers.every((one) => one === "shift")) {
    throw refused(action, given, "it is needed for writing", "Add ctrl+ or alt+");
  }
  return name;
}

function refused(action: KeyAction, key: string, why: string, fix: string): UserError {
  return new UserError({ what: `Cannot bind "${action}" to "${key}" (setting "keybindings")`, why, fix });
}

/** A key as people read it, for example `Ctrl+O`. */
export function keyName(key: string): string {
  return key.split("+").map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join("+");
}
