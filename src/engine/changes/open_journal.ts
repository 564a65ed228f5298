import { dirname } from "@std/path";
import type { ChangeSet, UndoOutcome, UndoPoint, UndoRequest } from "../../core/changes.ts";
import { messageOf } from "../../core/error.ts";
import { ifThere } from "../../core/support/attempt.ts";
import { counted } from "../../core/support/text.ts";
import type { Tree } from "../../core/support/tree.ts";
import { isLeftTemporary, temporaryFolder } from "../../sandbox/system/temporary_folder.ts";
import type { Policy } from "../../core/policy.ts";
import { promptTitle } from "../../core/message.ts";
import { type SessionStore, userWords } from "../../core/session.ts";
import { contentsOf, openJournalFile } from "../../changes/journal_file.ts";
import { openBaseline } from "../../changes/baseline.ts";
import { createPace } from "../../changes/pace.ts";
import { openPack, shrinkPack } from "../../changes/pack.ts";
import { openRecorder, type Recorder, type Scope } from "../../changes/recorder.ts";
import { type Config, toolsRoot } from "../../config/config.ts";
import {
  type CheckpointSettings,
  checkpointsFolder,
  hasInterrupted,
  JOURNAL_LIMITS,
  journalPaths,
  removeOld,
} from "../sessions/checkpoint_place.ts";
import { fileTimeMs } from "../../sandbox/system/file_clock.ts";
import { untouchedFiles } from "../../sandbox/names/named_files.ts";
import { lockSession, type SessionLock } from "../../session/lock.ts";
import { gitContents } from "./git_contents.ts";
import { trialsFolder } from "../sessions/session_folders.ts";
import { canJournal, openWriteScopes, type WriteScopes } from "./scopes.ts";

/** The journal of a session, open. */
export interface OpenJournal {
  readonly recorder: Recorder;
  readonly points: () => Promise<readonly UndoPoint[]>;
  readonly undo: (request: UndoRequest) => Promise<UndoOutcome>;
  /** It can be opened again, with what it holds. */
  readonly close: () => Promise<void>;
  /** After `close`, when the session ends: of one that is not kept nothing stays. */
  readonly forget: () => void;
}

/** What a journal is opened with. */
export interface JournalParts {
  /** Nothing of it stays when the session ends. */
  readonly isPassing: boolean;
  readonly config: Config;
  readonly settings: CheckpointSettings;
  readonly store: SessionStore;
  readonly policy: () => Policy;
  readonly tell: (changes: ChangeSet) => void;
  readonly notify: (message: string) => void;
  /** Whether a background command runs. */
  readonly isBusy: () => boolean;
}

/** Opens the journal of a session; undefined if this system cannot scan. Throws what the system throws. */
export function openSessionJournal(parts: JournalParts): OpenJournal | undefined {
  if (!canJournal()) return undefined;
  const folder = parts.isPassing ? undefined : checkpointsFolder(parts.config);
  const temporary = folder === undefined ? temporaryFolder({ purpose: "changes" }) : undefined;
  let lock: SessionLock | undefined;
  const leave = (): void => {
    lock?.release();
    temporary?.remove();
  };
  try {
    const paths = journalPaths(folder ?? temporary?.path ?? "", parts.store.header.id);
    Deno.mkdirSync(dirname(paths.journal), { recursive: true, mode: 0o700 });
    // Tells other processes that the journal is open.
    lock = folder === undefined ? undefined : lockSession(paths.journal, Date.now(), untouchedFiles);
    return openJournal(parts, paths, folder !== undefined, leave);
  } catch (error) {
    leave();
    throw error;
  }
}

/** `leave` is called when it is closed. */
function openJournal(
  { config, settings, store, policy, tell, notify, isPassing, isBusy }: JournalParts,
  paths: ReturnType<typeof journalPaths>,
  outlives: boolean,
  leave: () => void,
): OpenJournal {
  const journal = openJournalFile(paths.journal, { session: store.header.id, root: toolsRoot(config) });
  journal.notices.forEach(notify);
  const pack = openPack(paths.pack, settings.maxBytes);
  // Without a file of the session no later process can undo anything of it.
  const baseline = store.path !== undefined && outlives ? openBaseline(paths.baseline, pack.count) : undefined;
  const trees = new Map<string, Tree>();
  let current: { readonly policy: Policy; readonly scopes: WriteScopes } | undefined;
  const scopes = (): readonly Scope[] => {
    const now = policy();
    if (current?.policy !== now) current = { policy: now, scopes: openWriteScopes(now, trees) };
    return current.scopes.list;
  };
  const fetch = async (contents: ReadonlyMap<string, string>, mostBytes?: number) =>
    (await import("./git_objects.ts")).fetchObjects(contents, [...trees.values()], mostBytes);
  const recorder = openRecorder({
    root: toolsRoot(config),
    scopes,
    journal,
    pack,
    limits: { ...JOURNAL_LIMITS, maxFileBytes: settings.maxFileBytes },
    pace: createPace(() => performance.now(), () => new Promise((resolve) => setTimeout(resolve, 0))),
    known: (tree) => gitContents(tree, config.world.env),
    fetch,
    now: Date.now,
    tell,
    isBusy,
    fileTimeMs,
    isLeft: isLeftTemporary,
    keepsContents: !isPassing,
    ...(baseline ? { baseline } : {}),
    onFailure: (why) => notify(`What changes is not recorded any more: ${why}`),
  });
  if (outlives) removeOld(dirname(dirname(paths.journal)), settings.days, Date.now());
  const textOf = (entryId: string): string => promptTitle(userWords(store.entry(entryId)));
  return {
    recorder,
    points: async () => {
      await recorder.catchUp();
      const { undoPoints } = await import("../../changes/undo.ts");
      return undoPoints({ journal, textOf });
    },
    undo: async (request) => {
      await recorder.catchUp();
      const [{ undo }, { spillObjects }] = await Promise.all([
        import("../../changes/undo.ts"),
        import("./git_objects.ts"),
      ]);
      const { outcome, changes, done } = await undo({
        root: toolsRoot(config),
        journal,
        pack,
        maxFileBytes: settings.maxFileBytes,
        scopes: scopes(),
        copies: trialsFolder(config.world.env),
        fetch: (contents) => spillObjects(contents, [...trees.values()], paths.spill),
        textOf,
        pathTo: (entryId) => store.entry(entryId) ? store.pathTo(entryId) : [],
        now: Date.now,
      }, request);
      if (changes !== undefined) {
        await recorder.absorb(done);
        tell(changes);
      }
      return outcome;
    },
    close: async () => {
      await recorder.close();
      journal.close();
      current?.scopes.close();
      // Of a session that changed nothing, nothing stays; else what its records name. On a full disk there is more than is
      // needed, or no record names what is missing.
      try {
        pack.close();
        // First, since its records note the pack's numbers.
        baseline?.remove();
        if (!journal.records.some(({ type }) => type === "look" || type === "undo")) {
          ifThere(() => Deno.removeSync(dirname(paths.journal), { recursive: true }));
        } else if (store.path !== undefined) shrinkPack(paths.pack, contentsOf(journal.records));
      } catch (error) {
        notify(untidy(error));
      }
      leave();
    },
    forget: () => {
      if (store.path !== undefined) return;
      try {
        ifThere(() => Deno.removeSync(dirname(paths.journal), { recursive: true }));
      } catch (error) {
        notify(untidy(error));
      }
    },
  };
}

/** Completes the journals of sessions that were interrupted in this workspace, and reports them. */
export async function recoverFirst(
  config: Config,
  settings: CheckpointSettings,
  policy: Policy,
  notify: (message: string, level?: "info") => void,
): Promise<void> {
  const folder = checkpointsFolder(config);
  if (folder === undefined || !canJournal() || !hasInterrupted(folder)) return;
  const { recoverInterrupted } = await import("./interrupted.ts");
  const { completed, problems } = await recoverInterrupted(config, folder, settings, policy);
  for (const problem of problems) notify(problem);
  for (const { session, files } of completed) {
    notify(
      `Session ${session} was interrupted in the middle of a call, which had changed ${counted(files, "file")}. ` +
        `sandpiper undo ${session} reverts it`,
      "info",
    );
  }
}

function untidy(error: unknown): string {
  return `What is kept for undo could not be tidied up: ${messageOf(error)}`;
}
