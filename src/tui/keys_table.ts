/** Keys that the screen itself knows, beside those of the editor; help and docs come from here. */
export const KEYS: readonly { readonly keys: string; readonly does: string }[] = [
  { keys: "Enter", does: "send; while the model works: steer it" },
  { keys: "Alt+Enter", does: "while the model works: a follow-up, for when it is done" },
  { keys: "Shift+Enter, Ctrl+J", does: "a new line (also \\ before Enter)" },
  { keys: "Esc", does: "stop; what was queued comes back into the editor" },
  { keys: "Ctrl+C", does: "empty the editor; twice: quit, the session is saved" },
  { keys: "Ctrl+D", does: "quit, when the editor is empty" },
  { keys: "Ctrl+O", does: "show results in full, or in short again" },
  { keys: "Ctrl+P", does: "choose the model" },
  { keys: "Shift+Tab", does: "the next thinking level" },
  { keys: "Ctrl+G", does: "write in your own editor (VISUAL, EDITOR)" },
  { keys: "Ctrl+L", does: "draw the screen anew" },
  { keys: "Ctrl+Z", does: "suspend; fg comes back" },
  { keys: "Ctrl+-", does: "undo" },
  { keys: "↑ ↓", does: "earlier messages, also of other sessions" },
  { keys: "@path, /name, Tab", does: "complete files and commands" },
  { keys: "!command, !!command", does: "run a command in the sandbox; with !! the model is not told" },
];
