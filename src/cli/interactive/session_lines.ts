import { listSessions } from "../../session/list.ts";
import type { SessionLine } from "../../tui/commands/command.ts";
import type { Config } from "../../config/config.ts";
import { sessionPlaces } from "../../engine/sessions/session_choice.ts";

/** The sessions of this workspace but the current one, newest first. */
export function sessionLines(config: Config, current: string): readonly SessionLine[] {
  const { folder } = sessionPlaces(config);
  if (folder === undefined) return [];
  const spoilt: SessionLine[] = [];
  const sound = listSessions(folder, (why, path) => void spoilt.push(spoiltLine(why, path)));
  const lines = sound.filter(({ cwd, id }) => cwd === config.root && id !== current).map((one) => ({
    which: one.id,
    firstMessage: one.firstMessage,
    messageCount: one.messageCount,
    modified: one.modified.getTime(),
    ...(one.name ? { name: one.name } : {}),
  }));
  return [...lines, ...spoilt].toSorted((one, other) => other.modified - one.modified);
}

/** One that cannot be read stands in the list as well: who chooses it is told what is wrong with it. */
function spoiltLine(why: string, path: string): SessionLine {
  let modified = 0;
  try {
    modified = Deno.statSync(path).mtime?.getTime() ?? 0;
  } catch {
    // It is gone in the meantime.
  }
  return { which: path, firstMessage: why, messageCount: 0, modified };
}
