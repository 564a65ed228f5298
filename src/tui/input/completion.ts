import type { AutocompleteItem, AutocompleteProvider } from "@earendil-works/pi-tui/dist/autocomplete.d.ts";
import { fuzzyFilter } from "@earendil-works/pi-tui/dist/fuzzy.js";
import { cleanLine } from "../screen/foreign.ts";

/** Something that `/` completes to. */
export interface Completable {
  readonly name: string;
  readonly description: string;
}

/** Where completions come from. */
export interface CompletionSources {
  readonly commands: () => readonly Completable[];
  /** Paths that tools may read, relative to the workspace; folders end with `/`. */
  readonly files: () => Promise<readonly string[]>;
}

/** Files that are offered at a time; commands are all offered. */
const MOST = 20;
/** How long a listing of files is good, milliseconds. */
const FRESH_MS = 3000;

/** Completes `/command` at the beginning of a message and `@path` anywhere; Tab completes a bare path. */
export function completion({ commands, files }: CompletionSources): AutocompleteProvider {
  let listed: { readonly at: number; readonly paths: Promise<readonly string[]> } | undefined;
  const list = (): Promise<readonly string[]> => {
    if (!listed || performance.now() - listed.at > FRESH_MS) {
      // A name that could steer the terminal is not offered: cleaned, it would be another file's.
      const paths = files().then((all) => all.filter((path) => cleanLine(path) === path), () => []);
      listed = { at: performance.now(), paths };
    }
    return listed.paths;
  };

  return {
    triggerCharacters: ["@"],
    async getSuggestions(lines, row, column, { signal, force }) {
      const before = (lines[row] ?? "").slice(0, column);
      const command = row === 0 ? /^\/(\S*)$/.exec(before)?.[1] : undefined;
      if (command !== undefined && !command.includes("/")) {
        const matching = fuzzyFilter([...commands()], command, ({ name }) => name).map(({ name, description }) => {
          return { value: `/${name}`, label: `/${name}`, description: cleanLine(description) };
        });
        return found(`/${command}`, matching);
      }
      const at = /(?:^|\s)@("[^"]*|\S*)$/.exec(before)?.[1];
      const bare = force ? /(\S+)$/.exec(before)?.[1] : undefined;
      const word = at ?? bare;
      if (word === undefined) return null;
      const paths = await list();
      if (signal.aborted) return null;
      const prefix = at === undefined ? word : `@${word}`;
      const query = word.replace(/^"/, "").replace(/^\.\//, "");
      const matching = query === "" ? paths.slice(0, MOST) : fuzzyFilter([...paths], query, (path) => path);
      return found(prefix, matching.slice(0, MOST).map((path) => fileItem(path, at !== undefined)));
    },
    applyCompletion(lines, row, column, item, listedFor) {
      const line = lines[row] ?? "";
      const typed = line.slice(0, column);
      // Keys may come faster than lists: what was listed for the beginning of a word says nothing of the whole one.
      const isStale = !typed.endsWith(listedFor);
      const command = isStale && row === 0 ? /^\/(\S*)$/.exec(typed)?.[1] : undefined;
      const chosen = command === undefined ? undefined : bestCommand(commands(), command);
      if (isStale && chosen === undefined) return { lines, cursorLine: row, cursorCol: column };
      const [value, prefix] = chosen === undefined ? [item.value, listedFor] : [`/${chosen}`, typed];
      const before = line.slice(0, column - prefix.length) + value;
      // A folder is gone on with; anything else is followed by a space.
      const start = before + (/\/"?$/.test(value) ? "" : " ");
      const next = lines.slice();
      next[row] = start + line.slice(column).replace(/^ /, "");
      return { lines: next, cursorLine: row, cursorCol: start.length };
    },
    shouldTriggerFileCompletion: () => true,
  };
}

/** The command of this name, else the one that it is nearest to the beginning of. */
function bestCommand(commands: readonly Completable[], typed: string): string | undefined {
  const whole = commands.find(({ name }) => name === typed);
  return (whole ?? fuzzyFilter([...commands], typed, ({ name }) => name)[0])?.name;
}

function found(prefix: string, items: AutocompleteItem[]): { prefix: string; items: AutocompleteItem[] } | null {
  return items.length === 0 ? null : { prefix, items };
}

function fileItem(path: string, isMention: boolean): AutocompleteItem {
  const quoted = /\s/.test(path) ? `"${path}"` : path;
  return { value: isMention ? `@${quoted}` : quoted, label: path };
}
