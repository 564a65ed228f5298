import type { UndoOutcome, UndoPoint, UndoRequest } from "../../core/changes.ts";
import { UserError } from "../../core/error.ts";
import { openJournalFile } from "../../changes/journal_file.ts";
import { openPack } from "../../changes/pack.ts";
import { undo, undoPoints } from "../../changes/undo.ts";
import type { Config } from "../../config/config.ts";
import { loadSession } from "../../session/load.ts";
import { lockSession } from "../../session/lock.ts";
import { checkpointSettings, checkpointsFolder, journalPaths } from "../sessions/checkpoint_place.ts";
import { resumable } from "../sessions/session_choice.ts";
import { openTools } from "../tools/tools_host.ts";
import { canJournal, openWriteScopes } from "./scopes.ts";
import { fetchObjects } from "./git_contents.ts";
import { entryText } from "./open_journal.ts";

/** The changes of a session that no program has open. */
export interface StoredChanges {
  readonly session: string;
  readonly points: readonly UndoPoint[];
  /** What there is to say of the journal, one sentence each. */
  readonly notices: readonly string[];
  readonly undo: (request: UndoRequest) => Promise<UndoOutcome>;
  readonly close: () => Promise<void>;
}

/**
 * Opens the changes of a session of this workspace, by its id, the beginning of one, its file or `latest`, with what tools may
 * write now. Throws UserError for one that is open elsewhere.
 */
export function openStoredChanges(config: Config, which: string): StoredChanges {
  const folder = checkpointsFolder(config);
  if (folder === undefined || !canJournal()) {
    throw new UserError({
      what: "Nothing can be undone here",
      why: canJournal() ? "this process may not write into the user's folder" : "this system has no calls for it",
      fix: "Use git to go back",
    });
  }
  const path = resumable(which, config);
  const lock = lockSession(path, Date.now());
  try {
    const { header: { id }, entries } = loadSession(path);
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    const paths = journalPaths(folder, id);
    const journal = openJournalFile(paths.journal, { session: id, root: config.root });
    const { maxBytes, maxFileBytes } = checkpointSettings(config) ?? { maxBytes: 0, maxFileBytes: 0 };
    const pack = openPack(paths.pack, maxBytes);
    const textOf = (entryId: string): string => entryText({ entry: (one) => byId.get(one) }, entryId);
    const tools = openTools(config, false);
    const scopes = openWriteScopes(tools.policy);
    return {
      session: id,
      get points() {
        return undoPoints({ journal, textOf });
      },
      notices: journal.notices,
      undo: async (request) => {
        const parts = {
          root: config.root,
          journal,
          pack,
          maxFileBytes,
          scopes: scopes.list,
          textOf,
          pathTo: () => [],
          now: Date.now,
        };
        const { outcome } = await undo({
          ...parts,
          fetch: (contents) => fetchObjects(contents, scopes.list.map(({ tree }) => tree)),
        }, request);
        return outcome;
      },
      close: async () => {
        journal.close();
        pack.close();
        scopes.close();
        lock.release();
        await tools.close();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
