import { fuzzyFilter } from "@earendil-works/pi-tui/dist/fuzzy.js";
import { decodeKittyPrintable, matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { Dialog } from "./dialog.ts";
import { cleanLine, cleanText } from "../screen/foreign.ts";
import { cut, widthOf } from "../screen/wrap.ts";

/** One line of a picker. */
export interface Choice<T> {
  readonly label: string;
  /** Beside the label, less bright. */
  readonly detail?: string;
  readonly value: T;
}

/** What a picker is made of. */
export interface PickerOptions<T> {
  readonly title: string;
  readonly choices: readonly Choice<T>[];
  /** The line that is chosen at the start. */
  readonly start?: number;
  /** What a text that the person typed stands for: it is offered below what was found. */
  readonly typed?: ((text: string) => T) | undefined;
  /** Called once; without a value when it was left. */
  readonly done: (value: T | undefined) => void;
}

/** So many choices are seen at once: there is nothing to search for until somebody types. */
const FEW = 5;

/** Lines of a picker beside its choices: title, search, hint. */
const FRAME_ROWS = 3;

/** A list to choose from, with search: typing narrows it. */
export function picker<T>({ title, choices, start = 0, typed: own, done }: PickerOptions<T>): Dialog {
  const all = choices.map((choice) => ({
    ...choice,
    // Spaces at its beginning say where in a tree it stands.
    label: cleanText(choice.label).replace(/\s*\n\s*/g, " "),
    detail: cleanLine(choice.detail ?? ""),
  }));
  let query = "";
  let found = all;
  let at = Math.max(0, Math.min(start, all.length - 1));
  let page = 10;

  const search = (text: string): void => {
    query = text;
    found = query.trim() === "" ? all : fuzzyFilter([...all], query, ({ label, detail }) => `${label} ${detail}`);
    if (own && query.trim() !== "" && !all.some(({ label }) => label === query.trim())) {
      found = [...found, { label: query.trim(), detail: "as typed", value: own(query) }];
    }
    at = 0;
  };
  const move = (by: number): void => {
    if (found.length > 0) at = Math.max(0, Math.min(found.length - 1, at + by));
  };

  return {
    lines({ width, theme, rows }) {
      page = Math.max(3, Math.min(20, rows - FRAME_ROWS));
      const first = Math.max(0, Math.min(at - Math.floor(page / 2), found.length - page));
      const shown = found.slice(first, first + page).map(({ label, detail }, index) => {
        const isChosen = first + index === at;
        // The label gives way: what is beside it says which one it is.
        const beside = detail === "" ? "" : `  ${cut(detail, Math.floor(width / 2))}`;
        const line = cut(
          `${isChosen ? "❯" : " "} ${cut(label, width - 2 - widthOf(beside))}${theme.dim(beside)}`,
          width,
        );
        return isChosen ? theme.accent(line) : line;
      });
      const position = found.length > page ? `  ${at + 1}/${found.length}` : "";
      return [
        cut(`${theme.strong(cleanLine(title))}${theme.dim(position)}`, width),
        ...(all.length > FEW || own || query !== ""
          ? [cut(`${theme.dim("search:")} ${query}${theme.selected(" ")}`, width)]
          : []),
        ...(shown.length > 0 ? shown : [theme.dim("  nothing matches")]),
        cut(theme.dim("↑↓ choose · Enter takes it · Esc leaves"), width),
      ];
    },
    key(data) {
      if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) done(undefined);
      else if (matchesKey(data, "enter")) done(found[at]?.value);
      else if (matchesKey(data, "up")) move(-1);
      else if (matchesKey(data, "down")) move(1);
      else if (matchesKey(data, "pageUp")) move(-page);
      else if (matchesKey(data, "pageDown")) move(page);
      else if (matchesKey(data, "backspace")) search([...query].slice(0, -1).join(""));
      else if (matchesKey(data, "ctrl+u")) search("");
      else {
        const text = typed(data);
        if (text !== "") search(query + text);
      }
      return true;
    },
  };
}

/** The text that a key or a paste stands for; empty for keys that stand for none. */
export function typed(data: string): string {
  // deno-lint-ignore no-control-regex -- the marks around a paste
  const pasted = /^\x1b\[200~([\s\S]*)\x1b\[201~$/.exec(data)?.[1];
  if (pasted !== undefined) return cleanLine(pasted);
  return decodeKittyPrintable(data) ?? (data.charCodeAt(0) >= 32 && data !== "\x7f" ? cleanLine(data) || " " : "");
}
