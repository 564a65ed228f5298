import { Input } from "@earendil-works/pi-tui/dist/components/input.js";
import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { Dialog } from "./dialog.ts";
import { cleanLine } from "./foreign.ts";
import { cut, wrap } from "./wrap.ts";

/** Asks for one line of text; `done` is called once, without a text when it was left. */
export function lineDialog(title: string, placeholder: string, done: (text: string | undefined) => void): Dialog {
  const input = new Input({ placeholder: cleanLine(placeholder) });
  input.focused = true;
  return {
    lines: ({ width, theme }) => [
      ...wrap(theme.strong(cleanLine(title)), width),
      ...input.render(width),
      cut(theme.dim("Enter takes it · Esc leaves"), width),
    ],
    key(data) {
      if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) done(undefined);
      else if (matchesKey(data, "enter")) done(input.getValue());
      else input.handleInput(data);
      return true;
    },
  };
}
