// Sessions whose process ended without closing their journal (SIGKILL, a crash): what their last calls changed is found by a scan
// at the next start in the same workspace, before anything else changes it.
import { messageOf, UserError } from "../../core/error.ts";
import type { Policy } from "../../core/policy.ts";
import { attempt } from "../../core/support/attempt.ts";
import { entryAt } from "../../core/support/on_disk.ts";
import { openBaseline } from "../../changes/baseline.ts";
import { contentsOf, loadJournal, openJournalFile } from "../../changes/journal_file.ts";
import { createPace } from "../../changes/pace.ts";
import { openPack, shrinkPack } from "../../changes/pack.ts";
import { openRecorder } from "../../changes/recorder.ts";
import { type Config, toolsRoot } from "../../config/config.ts";
import { untouchedFiles } from "../../sandbox/names/named_files.ts";
import { lockSession } from "../../session/lock.ts";
import { isLeftTemporary } from "../../sandbox/system/temporary_folder.ts";
import { fileTimeMs } from "../../sandbox/system/file_clock.ts";
import { isSessionId } from "../../session/identifiers.ts";
import { type CheckpointSettings, JOURNAL_LIMITS, journalPaths } from "../sessions/checkpoint_place.ts";
import { fetchObjects } from "./git_objects.ts";
import { gitContents } from "./git_contents.ts";
import { openWriteScopes } from "./scopes.ts";

/** What came of the interrupted sessions of a workspace. */
export interface Recovered {
  /** Sessions whose last calls changed files, and how many. */
  readonly completed: readonly { readonly session: string; readonly files: number }[];
  /** A sentence for each session whose journal cannot be completed. */
  readonly problems: readonly string[];
}

/**
 * Completes the journals of all interrupted sessions of this workspace. A journal that cannot be completed stops no other one,
 * and is not tried again: a later scan would find changes of later sessions. `folder`: where journals are.
 */
export async function recoverInterrupted(
  config: Config,
  folder: string,
  settings: CheckpointSettings,
  policy: Policy,
): Promise<Recovered> {
  const completed: { session: string; files: number }[] = [];
  const problems: string[] = [];
  for (const { name: session } of attempt(() => [...Deno.readDirSync(folder)]) ?? []) {
    if (!isSessionId(session) || !entryAt(journalPaths(folder, session).baseline)?.isFile) continue;
    try {
      const files = await recoverOne(config, folder, settings, policy, session);
      if (files > 0) completed.push({ session, files });
    } catch (error) {
      problems.push(
        `Cannot determine the changes of the last calls of the interrupted session ${session}: ${messageOf(error)}`,
      );
    }
  }
  return { completed, problems };
}

/** Returns how many files the last calls changed; 0 if the session is of another workspace, or open in a process. */
async function recoverOne(
  config: Config,
  folder: string,
  settings: CheckpointSettings,
  policy: Policy,
  session: string,
): Promise<number> {
  const paths = journalPaths(folder, session);
  const root = toolsRoot(config);
  if (loadJournal(paths.journal)?.head.root !== root) return 0;
  using opened = new DisposableStack();
  try {
    const lock = lockSession(paths.journal, Date.now(), untouchedFiles);
    opened.defer(() => lock.release());
  } catch (error) {
    // A process has it open, which knows all of it.
    if (error instanceof UserError) return 0;
    throw error;
  }
  opened.defer(() => attempt(() => Deno.removeSync(paths.baseline))); // It is removed already, if all went well.
  const scopes = openWriteScopes(policy);
  opened.defer(() => scopes.close());
  const journal = openJournalFile(paths.journal, { session, root });
  opened.defer(() => journal.close());
  const pack = openPack(paths.pack, settings.maxBytes);
  opened.defer(() => pack.close());
  const baseline = openBaseline(paths.baseline, pack.count);
  const interrupted = baseline.interrupted();
  const before = journal.records.length;
  if (interrupted) {
    const trees = scopes.list.map(({ tree }) => tree);
    const recorder = openRecorder({
      root,
      scopes: () => scopes.list,
      journal,
      pack,
      limits: { ...JOURNAL_LIMITS, maxFileBytes: settings.maxFileBytes },
      pace: createPace(() => performance.now(), () => new Promise((resolve) => setTimeout(resolve, 0))),
      known: (tree) => gitContents(tree, config.world.env),
      fetch: (contents, mostBytes) => fetchObjects(contents, trees, mostBytes),
      now: Date.now,
      fileTimeMs,
      isLeft: isLeftTemporary,
      tell: () => {},
      baseline,
      onFailure: (why) => {
        throw new Error(why);
      },
    });
    await recorder.recover(interrupted);
    await recorder.close();
  }
  pack.close();
  baseline.remove();
  shrinkPack(paths.pack, contentsOf(journal.records));
  const looks = journal.records.slice(before).flatMap((record) => record.type === "look" ? [record] : []);
  return looks.reduce((sum, { changes }) => sum + changes.length, 0);
}
