import { listSessions } from "../../session/list.ts";
import type { SessionLine } from "../../tui/commands/command.ts";
import type { Config } from "../config.ts";
import { sessionPlaces } from "../session_choice.ts";

/** The sessions of this workspace but the current one, newest first. */
export function sessionLines(config: Config, current: string): readonly SessionLine[] {
  const { folder } = sessionPlaces(config);
  if (folder === undefined) return [];
  return listSessions(folder).filter(({ cwd, id }) => cwd === config.root && id !== current).map((one) => ({
    which: one.id,
    firstMessage: one.firstMessage,
    messageCount: one.messageCount,
    modified: one.modified.getTime(),
    ...(one.name ? { name: one.name } : {}),
  }));
}
