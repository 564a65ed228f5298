import { UserError } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";
import { listLines } from "../../session/export/list_text.ts";
import { listSessions } from "../../session/list.ts";
import { searchSession } from "../../session/search.ts";
import type { SessionSummary } from "../../session/summary.ts";
import type { SessionLine } from "../../tui/commands/command.ts";
import type { Config } from "../../config/config.ts";
import { sessionPlaces } from "../../engine/sessions/session_choice.ts";

/** The sessions of this workspace but the current one, newest first; with `text` those in which it was said. */
export function sessionLines(config: Config, current: string, text?: string): readonly SessionLine[] {
  const spoilt: SessionLine[] = [];
  const sound = sessionsHere(config, (why, path) => void spoilt.push(spoiltLine(why, path)));
  const lines = sound.filter(({ id }) => id !== current).flatMap((one): SessionLine[] => {
    const matches = text === undefined ? undefined : searchSession(one.path, text);
    if (text !== undefined && !matches) return [];
    return [{
      which: one.id,
      firstMessage: one.firstMessage,
      messageCount: one.messageCount,
      modified: one.modified.getTime(),
      ...(one.name ? { name: one.name } : {}),
      ...(matches ? { found: `${matches.newest.by}: ${matches.newest.excerpt}` } : {}),
    }];
  });
  const all = text === undefined ? [...lines, ...spoilt] : lines;
  return all.toSorted((one, other) => other.modified - one.modified);
}

/** How many sessions an error lists. */
const MOST_LISTED = 20;

/** What `-r` alone comes to where nobody can choose: the sessions that there are, and how one is named. */
export function whichSession(config: Config): UserError {
  const sessions = sessionsHere(config, () => {});
  const more = sessions.length > MOST_LISTED ? `\n… and ${sessions.length - MOST_LISTED} more: sandpiper sessions` : "";
  const list = listLines(sessions.slice(0, MOST_LISTED), false).trimEnd();
  return new UserError({
    what: "Which session?",
    why: sessions.length === 0 ? "this workspace has none" : "-r names none, and there is no screen to choose on",
    fix: sessions.length === 0
      ? "Leave -r out; see those of other workspaces: sandpiper sessions --all"
      : `Name one, or the newest: sandpiper -r ${sessions[0]?.id.slice(0, 13)} …\n${list}${more}`,
  });
}

function sessionsHere(config: Config, onSpoilt: (why: string, path: string) => void): readonly SessionSummary[] {
  const { folder } = sessionPlaces(config);
  return folder === undefined ? [] : listSessions(folder, onSpoilt).filter(({ cwd }) => cwd === config.root);
}

/** One that cannot be read stands in the list as well: who chooses it is told what is wrong with it. */
function spoiltLine(why: string, path: string): SessionLine {
  const modified = attempt(() => Deno.statSync(path).mtime?.getTime()) ?? 0;
  return { which: path, firstMessage: why, messageCount: 0, modified };
}
