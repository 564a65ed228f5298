import { fuzzyFilter } from "@earendil-works/pi-tui/dist/fuzzy.js";
import { decodeKittyPrintable, type KeyId, matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { Dialog } from "./dialog.ts";
import { keyName } from "./key_bindings.ts";
import { cleanLine, cleanText } from "../screen/foreign.ts";
import { cut, widthOf } from "../screen/wrap.ts";

/** One line of a picker. */
export interface Choice<T> {
  /** Asked for each time it is shown where it may change, as is `detail`. */
  readonly label: string | (() => string);
  /** Beside the label, less bright. */
  readonly detail?: string | (() => string);
  readonly value: T;
}

/** What can be done with a list beside taking one of its lines. */
export interface PickOptions<T> {
  /** The line that is chosen at the start. */
  readonly start?: number;
  /** What a text that the person typed stands for, offered below what was found; `as` says so beside it. */
  readonly typed?: { readonly as: string; readonly value: (text: string) => T };
  /** What the field that is typed into is called; unless told otherwise it searches. */
  readonly field?: string;
  /** What Enter does, for the hint; unless told otherwise it takes the line. */
  readonly enter?: () => string;
  /** Space marks a line, or takes its mark away, and the list stays; false where the line has none. */
  readonly mark?: (value: T) => boolean;
  /** What Esc does, for the hint; unless told otherwise it leaves. */
  readonly escape?: string;
  /** Keys that do something else with the line at hand. */
  readonly actions?: readonly PickAction<T>[];
}

/** A key that does something else with a line. */
export interface PickAction<T> {
  /** As `ctrl+d`. */
  readonly key: KeyId;
  /** One word, for the hint. */
  readonly does: string;
  /** What it makes of the line's value; undefined where it does nothing there. */
  readonly value: (chosen: T) => T | undefined;
}

/** What a picker is made of. */
export interface PickerOptions<T> extends PickOptions<T> {
  readonly title: string;
  readonly choices: readonly Choice<T>[];
  /** Called once; without a value when it was left. */
  readonly done: (value: T | undefined) => void;
}

/** So many choices are seen at once: there is nothing to search for until somebody types. */
const FEW = 5;

/** Lines of a picker beside its choices: title, search, hint. */
const FRAME_ROWS = 3;

/** What a label or detail says now. */
export function shownOf(text: string | (() => string) = ""): string {
  return typeof text === "string" ? text : text();
}

/** A list to choose from, with search: typing narrows it. */
export function picker<T>(options: PickerOptions<T>): Dialog {
  const {
    title,
    choices,
    start = 0,
    typed: own,
    field = "search",
    enter = () => "takes it",
    mark,
    escape = "leaves",
    actions = [],
    done,
  } = options;
  const all = choices.map((choice) => ({
    value: choice.value,
    get label() {
      // Spaces at its beginning say where in a tree it stands.
      return cleanText(shownOf(choice.label)).replace(/\s*\n\s*/g, " ");
    },
    get detail() {
      return cleanLine(shownOf(choice.detail));
    },
  }));
  let query = "";
  let found = all;
  let at = Math.max(0, Math.min(start, all.length - 1));
  let page = 10;
  const hints = (): string =>
    [
      // Nothing to choose from: what is typed is taken.
      ...(all.length > 0 ? ["↑↓ choose"] : []),
      ...(all.length > 0 && mark ? ["Space marks"] : []),
      `Enter ${enter()}`,
      ...(all.length > 0 ? actions : []).map(({ key, does }) => `${keyName(key)} ${does}`),
      `Esc ${escape}`,
    ].join(" · ");

  const search = (text: string): void => {
    query = text;
    found = query.trim() === "" ? all : fuzzyFilter([...all], query, ({ label, detail }) => `${label} ${detail}`);
    if (own && query.trim() !== "" && !all.some(({ label }) => label === query.trim())) {
      found = [...found, { label: query.trim(), detail: own.as, value: own.value(query) }];
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
        // The label gives way to half of the line: what is beside it says which one it is. More is what a label leaves.
        const room = Math.max(Math.floor(width / 2), width - 4 - widthOf(label));
        const beside = detail === "" ? "" : `  ${cut(detail, room)}`;
        const line = cut(
          `${isChosen ? "❯" : " "} ${cut(label, width - 2 - widthOf(beside))}${theme.dim(beside)}`,
          width,
        );
        return isChosen ? theme.accent(line) : line;
      });
      const position = found.length > page ? `  ${at + 1}/${found.length}` : "";
      return [
        cut(`${theme.strong(cleanLine(title))}${theme.dim(position)}`, width),
        ...(all.length === 0 || all.length > FEW || own || query !== ""
          ? [cut(`${theme.dim(`${field}:`)} ${query}${theme.selected(" ")}`, width)]
          : []),
        ...(shown.length > 0 ? shown : [theme.dim(all.length > 0 ? "  nothing matches" : "  type it")]),
        cut(theme.dim(hints()), width),
      ];
    },
    key(data) {
      const chosen = found[at];
      const action = actions.find(({ key }) => matchesKey(data, key));
      if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) done(undefined);
      else if (matchesKey(data, "enter")) done(chosen?.value);
      else if (matchesKey(data, "up")) move(-1);
      else if (matchesKey(data, "down")) move(1);
      else if (matchesKey(data, "pageUp")) move(-page);
      else if (matchesKey(data, "pageDown")) move(page);
      else if (matchesKey(data, "backspace")) search([...query].slice(0, -1).join(""));
      else if (matchesKey(data, "ctrl+u")) search("");
      else if (mark && matchesKey(data, "space")) {
        if (chosen) mark(chosen.value);
      } else if (action) {
        const value = chosen && action.value(chosen.value);
        if (value !== undefined) done(value);
      } else {
        const text = typed(data);
        if (text !== "") search(query + text);
      }
      return true;
    },
  };
}

/** The text that a key or a paste stands for; empty for keys that stand for none. */
function typed(data: string): string {
  // deno-lint-ignore no-control-regex -- the marks around a paste
  const pasted = /^\x1b\[200~([\s\S]*)\x1b\[201~$/.exec(data)?.[1];
  if (pasted !== undefined) return cleanLine(pasted);
  return decodeKittyPrintable(data) ?? (data.charCodeAt(0) >= 32 && data !== "\x7f" ? cleanLine(data) || " " : "");
}
