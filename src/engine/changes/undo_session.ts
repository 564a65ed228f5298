import { dirname } from "@std/path";
import type { UndoOutcome, UndoPoint, UndoRequest } from "../../core/changes.ts";
import { UserError } from "../../core/error.ts";
import { promptTitle } from "../../core/message.ts";
import { type SessionEntry, userWords } from "../../core/session.ts";
import { attempt } from "../../core/support/attempt.ts";
import { disposeAll } from "../../core/support/close_all.ts";
import { entryAt } from "../../core/support/on_disk.ts";
import { type JournalRecord, loadJournal, openJournalFile } from "../../changes/journal_file.ts";
import { openPack } from "../../changes/pack.ts";
import { undo, undoPoints } from "../../changes/undo.ts";
import { interruptedUndo } from "../../changes/undo_plan.ts";
import type { Config } from "../../config/config.ts";
import { loadSession } from "../../session/load.ts";
import { untouchedFiles } from "../../sandbox/names/named_files.ts";
import { sessionFiles } from "../sessions/session_choice.ts";
import { lockSession } from "../../session/lock.ts";
import { checkpointSettings, checkpointsFolder, hasInterrupted, journalPaths } from "../sessions/checkpoint_place.ts";
import { resumable } from "../sessions/resumed_session.ts";
import { openTools } from "../tools/tools_host.ts";
import { trialsFolder } from "../sessions/session_folders.ts";
import { recoverInterrupted } from "./interrupted.ts";
import { removeLeftFiles } from "./left_files.ts";
import { canJournal, openWriteScopes } from "./scopes.ts";
import { spillObjects } from "./git_objects.ts";

/** What can be gone back to in a session, whoever has it open. */
export interface StoredPoints {
  readonly session: string;
  readonly points: readonly UndoPoint[];
  /** What there is to say of the journal, one sentence each. */
  readonly notices: readonly string[];
}

/** Another session of this workspace of which files could be put back. */
export interface OtherChanges {
  readonly session: string;
  /** Of its last record; ISO 8601. */
  readonly time: string;
  /** How many its last prompt changed that is not undone. */
  readonly files: number;
}

/** Journals that are read to find one: each is a file of some kilobytes. */
const MOST_OTHERS = 50;

/** The points of a session by name, without a lock. Throws UserError as `openStoredChanges` does, but for an open one. */
export function storedPoints(config: Config, which: string): StoredPoints {
  const folder = folderOf(config);
  const path = resumable(which, config);
  let isOpen = false;
  try {
    lockSession(path, Date.now(), sessionFiles(config, path)).release();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    isOpen = true;
  }
  const { header: { id }, entries } = loadSession(path);
  const journal = loadJournal(journalPaths(folder, id).journal);
  const textOf = textsOf(entries);
  return {
    session: id,
    points: undoPoints({ journal: { records: journal?.records ?? [] }, textOf }),
    // What a program is just writing is not cut off.
    notices: isOpen ? ["The session is open: what it changes now is not listed yet"] : journal?.notices ?? [],
  };
}

/** The newest other session of this workspace that has something to undo. */
export function otherChanges(config: Config, besides: string): OtherChanges | undefined {
  const folder = folderOf(config);
  const times = (attempt(() => [...Deno.readDirSync(folder)]) ?? []).flatMap(({ name }) => {
    // Where there is none, nothing was changed in it.
    const mtime = attempt(() => Deno.statSync(journalPaths(folder, name).journal).mtime);
    return name === besides || !mtime ? [] : [{ session: name, at: mtime.getTime() }];
  });
  for (const { session } of times.sort((a, b) => b.at - a.at).slice(0, MOST_OTHERS)) {
    const journal = loadJournal(journalPaths(folder, session).journal);
    if (journal?.head.root !== config.root) continue;
    const last = undoPoints({ journal, textOf: () => "" }).findLast(({ kind, isUndone, files }) =>
      kind === "prompt" && !isUndone && files > 0
    );
    if (last !== undefined) return { session, time: journal.records.at(-1)?.time ?? last.time, files: last.files };
  }
  return undefined;
}

function textsOf(entries: readonly SessionEntry[]): (entryId: string) => string {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return (entryId) => promptTitle(userWords(byId.get(entryId)));
}

/**
 * Completes the journals of sessions of this workspace that were interrupted in the middle of a call. Returns a sentence for each
 * that cannot be completed.
 */
export async function recoverWorkspace(config: Config): Promise<readonly string[]> {
  const [folder, settings] = [checkpointsFolder(config), checkpointSettings(config)];
  if (folder === undefined || settings === undefined || !canJournal() || !hasInterrupted(folder)) return [];
  const tools = openTools(config, false);
  try {
    return (await recoverInterrupted(config, folder, settings, tools.policy)).problems;
  } finally {
    await tools.close();
  }
}

/** Where journals are. Throws UserError where nothing can be undone. */
function folderOf(config: Config): string {
  const folder = checkpointsFolder(config);
  if (folder !== undefined && canJournal()) return folder;
  throw new UserError({
    what: "Nothing can be undone here",
    why: canJournal() ? "this process may not write into the user's folder" : "this system has no calls for it",
    fix: "Use git to go back",
  });
}

/** The changes of a session that no program has open. */
export interface StoredChanges extends StoredPoints {
  readonly undo: (request: UndoRequest) => Promise<UndoOutcome>;
  readonly close: () => Promise<void>;
}

/**
 * Opens the changes of a session of this workspace, by its id, the beginning of one, its file or `latest`, with what tools may
 * write now. Throws UserError for one that is open elsewhere.
 */
export async function openStoredChanges(config: Config, which: string): Promise<StoredChanges> {
  const folder = folderOf(config);
  const path = resumable(which, config);
  const { maxBytes, maxFileBytes } = checkpointSettings(config) ?? { maxBytes: 0, maxFileBytes: 0 };
  const stack = new AsyncDisposableStack();
  const lock = lockSession(path, Date.now(), sessionFiles(config, path));
  stack.defer(() => lock.release());
  try {
    const { header: { id }, entries } = loadSession(path);
    const paths = journalPaths(folder, id);
    const tools = openTools(config, false);
    stack.defer(() => tools.close());
    if (entryAt(dirname(paths.journal))) {
      const journalLock = lockSession(paths.journal, Date.now(), untouchedFiles);
      stack.defer(() => journalLock.release());
    }
    const journal = openJournalFile(paths.journal, { session: id, root: config.root });
    stack.defer(() => journal.close());
    const pack = openPack(paths.pack, maxBytes);
    stack.defer(() => pack.close());
    const textOf = textsOf(entries);
    const scopes = openWriteScopes(tools.policy);
    stack.defer(() => scopes.close());
    return {
      session: id,
      get points() {
        return undoPoints({ journal, textOf });
      },
      notices: [...journal.notices, ...unknownChanges(journal.records)],
      undo: async (request) => {
        // Its temporary files, too.
        if (interruptedUndo(journal.records) && !request.dryRun) await removeLeftFiles(tools.policy);
        const { outcome } = await undo({
          root: config.root,
          journal,
          pack,
          maxFileBytes,
          scopes: scopes.list,
          copies: trialsFolder(config.world.env),
          textOf,
          pathTo: () => [],
          now: Date.now,
          fetch: (contents) => spillObjects(contents, scopes.list.map(({ tree }) => tree), paths.spill),
        }, request);
        return outcome;
      },
      close: () => disposeAll(stack),
    };
  } catch (error) {
    await disposeAll(stack).catch(() => {});
    throw error;
  }
}

/** What is not known of an interrupted session, one sentence each. */
function unknownChanges(records: readonly JournalRecord[]): readonly string[] {
  const last = records.findLastIndex(({ type }) => type === "look");
  const isUnknown = records.slice(last + 1).some((record) => record.type === "begin" && record.isUnknown);
  return isUnknown
    ? ["The program ended in the middle of a call that had not waited for the scan: undo does not know what it changed"]
    : [];
}
