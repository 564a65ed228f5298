import type { SessionSummary } from "../summary.ts";
import { localTime, oneLine } from "../view/visible_text.ts";

/** Least characters of an id that a list shows: ids begin with the time, and those of one minute look alike. */
const LEAST_ID = 8;

/**
 * Sessions as lines: id, when they were written last, messages, name or first message; with `cwd` their workspace.
 * `eastMinutes`: as of `localTime`.
 */
export function listLines(
  sessions: readonly SessionSummary[],
  cwd: boolean,
  eastMinutes?: (date: Date) => number,
): string {
  const ids = shortIds(sessions.map(({ id }) => id));
  const width = Math.max(LEAST_ID, ...ids.map((id) => id.length));
  return sessions.map((session, at) => {
    const { modified, messageCount, isWhole, name, firstMessage } = session;
    const isOne = messageCount === 1 && isWhole;
    const messages = `${`${messageCount}${isWhole ? "" : "+"}`.padStart(5)} ${isOne ? "message " : "messages"}`;
    const title = oneLine(name ?? firstMessage, 100) || "(nothing was said)";
    const where = cwd ? `  ${oneLine(session.cwd, 200)}` : "";
    return `${(ids[at] ?? "").padEnd(width)}  ${localTime(modified, eastMinutes)}  ${messages}  ${title}${where}\n`;
  }).join("");
}

/** The shortest beginning, the same length for all, that tells them apart. */
function shortIds(ids: readonly string[]): readonly string[] {
  const different = new Set(ids).size;
  const longest = ids.reduce((most, id) => Math.max(most, id.length), 0);
  for (let length = LEAST_ID; length < longest; length++) {
    const short = ids.map((id) => id.slice(0, length));
    if (new Set(short).size === different) return short.map((id) => oneLine(id, 128));
  }
  return ids.map((id) => oneLine(id, 128));
}
