import type { AutocompleteProvider } from "@earendil-works/pi-tui/dist/autocomplete.d.ts";
import { KeybindingsManager, setKeybindings, TUI_KEYBINDINGS } from "@earendil-works/pi-tui/dist/keybindings.js";
import { Editor } from "@earendil-works/pi-tui/dist/components/editor.js";
import type { TUI } from "@earendil-works/pi-tui/dist/tui.d.ts";
import type { KeyBindings } from "./key_bindings.ts";
import type { Style, Theme } from "../screen/theme.ts";

/** Where the person writes. */
export interface PromptEditor {
  readonly lines: (width: number) => readonly string[];
  readonly key: (data: string) => void;
  /** The text with pastes in full. */
  readonly text: () => string;
  readonly setText: (text: string) => void;
  readonly remember: (text: string) => void;
  /** A list of completions is open and takes arrows, Enter and Escape. */
  readonly isCompleting: () => boolean;
  /** Takes the text away, for a way of sending that is not Enter. */
  readonly takeText: () => string;
}

/** What an editor is made of. */
export interface EditorOptions {
  /** As it is now. */
  readonly theme: () => Theme;
  readonly bindings: KeyBindings;
  readonly rows: () => number;
  readonly provider: AutocompleteProvider;
  readonly onSubmit: (text: string) => void;
  readonly onChange: () => void;
}

/** An empty editor with history, undo, completion and placeholders for large pastes. */
export function promptEditor({ theme, bindings, rows, provider, onSubmit, onChange }: EditorOptions): PromptEditor {
  // Of the library's screen the editor asks for a redraw and for the height, and for nothing else.
  const host = {
    requestRender: onChange,
    terminal: {
      get rows() {
        return rows();
      },
    },
  } as unknown as TUI;
  // One table for the whole process is how the library takes them.
  const own = { "tui.input.newLine": [...bindings.of("newLine")], "tui.editor.undo": [...bindings.of("undo")] };
  setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS, own));
  const dim: Style = (text) => theme().dim(text);
  const accent: Style = (text) => theme().accent(text);
  const editor = new Editor(host, {
    borderColor: dim,
    selectList: {
      selectedPrefix: accent,
      selectedText: accent,
      description: dim,
      scrollInfo: dim,
      noMatch: dim,
    },
  }, { autocompleteMaxVisible: 8 });
  editor.focused = true;
  editor.setAutocompleteProvider(provider);
  editor.onSubmit = onSubmit;
  return {
    lines: (width) => editor.render(width),
    key: (data) => editor.handleInput(data),
    text: () => editor.getExpandedText(),
    setText: (text) => editor.setText(text),
    remember: (text) => editor.addToHistory(text),
    isCompleting: () => editor.isShowingAutocomplete(),
    takeText() {
      const text = editor.getExpandedText().trim();
      editor.setText("");
      return text;
    },
  };
}
