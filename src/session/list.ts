import { basename, join } from "@std/path";
import { messageOf, UserError } from "../core/error.ts";
import { attempt } from "../core/support/attempt.ts";
import { SUB_SESSIONS } from "./folder.ts";
import { readHeader } from "./header.ts";
import { type OnSpoilt, type SessionSummary, summarize } from "./summary.ts";

/** How many sessions an error names. */
const MOST_NAMED = 5;

/**
 * The sessions in a folder, the one that was written last first; `onSpoilt` hears of each file that is none, and of a folder
 * that cannot be looked into, and why.
 */
export function listSessions(folder: string, onSpoilt?: OnSpoilt): readonly SessionSummary[] {
  return sessionFiles(folder, (why) => onSpoilt?.(closed(folder, why), folder)).map((path) => summarize(path, onSpoilt))
    .filter((summary) => summary !== undefined);
}

/**
 * The file of the session that was written last, of those in `cwd` when that is given: a folder named by
 * `--session-dir` may hold those of many. Undefined when there is none.
 *
 * Throws `UserError` for a newer file that cannot be read as a session, and for a folder that cannot be looked into: the one
 * that is wanted may be there.
 */
export function newestSession(folder: string, cwd?: string): string | undefined {
  const files = sessionFiles(folder, (why) => {
    throw new UserError({
      what: "Cannot tell which session is the newest",
      why: closed(folder, why),
      fix: "Make it readable, or begin a new session",
    });
  });
  return files.filter(holdsSomething).find((path) => {
    try {
      const { header } = readHeader(path);
      return cwd === undefined || header.cwd === cwd;
    } catch (error) {
      throw new UserError({
        what: "Cannot tell which session is the newest",
        why: `"${path}" was written last and is no session: ${
          error instanceof UserError ? error.why : messageOf(error)
        }`,
        fix: "Mend its first line or move it away, or name another session: -r ID",
      });
    }
  });
}

/** Whether a word names the file of a session. */
export function isPath(word: string): boolean {
  return /[/\\]|\.jsonl$/.test(word);
}

/**
 * The file of a session that is named by its path, its id, or the beginning of its id.
 *
 * Throws `UserError` when there is none, or more than one.
 */
export function findSession(folders: readonly string[], query: string): string {
  // A path is taken at its word: opening it says what is wrong with it.
  if (isPath(query)) return query;
  const unseen: string[] = [];
  const files = folders.flatMap((folder) => [folder, join(folder, SUB_SESSIONS)])
    .flatMap((folder) => sessionFiles(folder, (why) => unseen.push(closed(folder, why))));
  const ids = files.flatMap((path) => {
    // One whose first line is spoilt is found by its name: opening it says what is wrong with it.
    const id = attempt(() => readHeader(path).header.id) ?? /^[^_]+_(.+)\.jsonl$/.exec(basename(path))?.[1];
    return id?.startsWith(query) ? [{ id, path }] : [];
  });
  const exact = ids.filter(({ id }) => id === query);
  const found = exact.length > 0 ? exact : ids;
  if (found.length === 1 && found[0] && query !== "") return found[0].path;
  if (found.length === 0 || query === "") {
    throw new UserError({
      what: `Cannot find session "${query}"`,
      why: folders.length === 0
        ? "nothing has been kept yet"
        : [`no session has this id or one that begins with it (looked in ${folders.join(", ")})`, ...unseen].join("; "),
      fix: "Take one from the list: sandpiper sessions",
    });
  }
  const named = found.slice(0, MOST_NAMED).map(({ id, path }) => exact.length > 0 ? path : id);
  throw new UserError({
    what: `Cannot tell which session "${query}" is`,
    why: `${found.length} begin with it: ${named.join(", ")}${found.length > MOST_NAMED ? ", …" : ""}`,
    fix: exact.length > 0 ? "Give the path of its file" : "Give more of its id",
  });
}

function closed(folder: string, why: string): string {
  return `"${folder}" cannot be looked into: ${why}`;
}

/**
 * Newest first; those of the same moment by their names, which begin with the time of their beginning. `onClosed` hears why a
 * folder that is there cannot be looked into.
 */
function sessionFiles(folder: string, onClosed: (why: string) => void): readonly string[] {
  let names: string[];
  try {
    names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch (error) {
    // No session was kept there yet, or this process was given no right to read any.
    if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable)) onClosed(messageOf(error));
    return [];
  }
  return names.filter((name) => name.endsWith(".jsonl")).map((name) => {
    const path = join(folder, name);
    return { path, time: attempt(() => Deno.statSync(path).mtime?.getTime()) ?? 0 };
  }).sort((a, b) => b.time - a.time || (a.path < b.path ? 1 : -1)).map(({ path }) => path);
}

/** A file that a killed process left empty holds no session yet; a folder or a pipe never does. */
function holdsSomething(path: string): boolean {
  const found = attempt(() => Deno.statSync(path));
  return found !== undefined && found.isFile && found.size > 0;
}
