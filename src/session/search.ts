import { stripControls, takeCharacters } from "../core/support/text.ts";
import { textOf } from "../core/message.ts";
import type { SessionEntry } from "../core/session.ts";
import { readEntry } from "./entry_shape.ts";
import { readLines } from "./load.ts";
import { parseObject } from "./shape.ts";

/** Where a text stands in a session. */
export interface SessionMatch {
  /** The entry that says it; sessions of the oldest format have no ids. */
  readonly entryId?: string;
  /** Who says it. `name`: the session is called so; `summary`: what was left out is summed up so. */
  readonly by: "user" | "assistant" | "summary" | "name";
  /** One line of at most 120 characters around the first place. */
  readonly excerpt: string;
}

/** What was found in one session. */
export interface SessionMatches {
  /** The newest one: what was said last tells most of where a session stands. */
  readonly newest: SessionMatch;
  /** Entries that hold the text. */
  readonly count: number;
}

/** Characters of an excerpt, and those before the place. */
const EXCERPT = 120;
const BEFORE = 30;

/**
 * Looks for a text in what was said in a session, in all its branches: messages of the user and answers, summaries, names.
 * Not in thoughts, nor in what tools were called with and gave. Small and capital letters are the same, and so is all
 * space. Undefined where it is nowhere, or the file cannot be read.
 */
export function searchSession(path: string, text: string): SessionMatches | undefined {
  const wanted = folded(text).trim();
  if (wanted === "") return undefined;
  // A line that holds no word of it need not be parsed. Only letters and digits stand in JSON as they are.
  const [word = ""] = wanted.match(/[a-z0-9]+/g)?.toSorted((a, b) => b.length - a.length) ?? [];
  let newest: SessionMatch | undefined;
  let count = 0;
  try {
    const look = (line: string | undefined): void => {
      const match = line?.toLowerCase().includes(word) ? matchIn(line, wanted) : undefined;
      if (!match) return;
      newest = match;
      count++;
    };
    look(readLines(path, look).tail);
  } catch {
    return undefined; // lists of sessions say what is wrong with it
  }
  return newest && { newest, count };
}

function matchIn(line: string, wanted: string): SessionMatch | undefined {
  const fields = parseObject(line);
  if (!fields) return undefined;
  const { entry } = readEntry(fields, 0);
  const said = saidIn(entry);
  if (!said) return undefined;
  const oneLine = said.text.replace(/\s+/g, " ");
  const at = folded(oneLine).indexOf(wanted);
  if (at < 0) return undefined;
  const from = Math.max(0, at - BEFORE);
  const excerpt = stripControls(`${from > 0 ? "…" : ""}${oneLine.slice(from, from + EXCERPT)}`);
  const id = typeof entry.id === "string" ? { entryId: entry.id } : {};
  return { ...id, by: said.by, excerpt: takeCharacters(excerpt.trim(), EXCERPT) };
}

function saidIn(entry: SessionEntry): Pick<SessionMatch, "by"> & { readonly text: string } | undefined {
  switch (entry.type) {
    case "message": {
      const { message } = entry;
      if (message.role !== "user" && message.role !== "assistant") return undefined;
      return { by: message.role, text: textOf(message.content) };
    }
    case "compaction":
    case "branch_summary":
      return { by: "summary", text: entry.summary };
    case "session_info":
      return { by: "name", text: entry.name };
    default:
      return undefined;
  }
}

/** Letters of one case, each kept one unit long, so that a place in it is a place in the text. */
function folded(text: string): string {
  const spaced = text.replace(/\s+/g, " ");
  const lower = spaced.toLowerCase();
  return lower.length === spaced.length ? lower : spaced.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
