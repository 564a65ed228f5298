// A folder whose changes are recorded as a session does it: real files, a real journal, no tools.
import type { ChangeSet, UndoOutcome, UndoRequest } from "../../src/core/changes.ts";
import type { Tree } from "../../src/core/support/tree.ts";
import { type JournalFile, openJournalFile } from "../../src/changes/journal_file.ts";
import { createPace } from "../../src/changes/pace.ts";
import { openPack, type Pack } from "../../src/changes/pack.ts";
import { type CallStart, openRecorder, type Recorder } from "../../src/changes/recorder.ts";
import type { RecorderLimits } from "../../src/changes/keeper.ts";
import { undo, type UndoParts } from "../../src/changes/undo.ts";
import { libc, shortCall } from "../../src/sandbox/system/ffi.ts";
import { fileTimeMs } from "../../src/sandbox/system/file_clock.ts";
import { isLeftTemporary } from "../../src/sandbox/system/temporary_folder.ts";
import { openFolderTree } from "../../src/sandbox/system/tree.ts";

// Opened once in a process and never closed: the first test that needs it must not be blamed for it.
libc();
shortCall();

/** A recorded folder. */
export interface Recorded {
  /** Beside the folder, and removed with it. */
  readonly top: string;
  readonly root: string;
  readonly tree: Tree;
  readonly recorder: Recorder;
  readonly journal: JournalFile;
  readonly pack: Pack;
  readonly parts: UndoParts;
  readonly told: readonly ChangeSet[];
  readonly failures: readonly string[];
  /** Does something as one call of a run of its own. */
  readonly call: (work: () => void, prompt?: string) => Promise<void>;
  readonly goOn: () => void;
  readonly undo: (request?: UndoRequest) => Promise<UndoOutcome>;
}

/** What a test wants otherwise. */
export interface RecordedOptions {
  readonly limits?: Partial<RecorderLimits>;
  readonly maxBytes?: number;
  readonly isKept?: (path: string) => boolean;
  /** No look was made yet when `work` begins. */
  readonly isUnseen?: boolean;
  /** Scans go on only after `goOn`. */
  readonly isHeld?: boolean;
  /** Called before a changed file is read. */
  readonly onRead?: () => void;
  readonly isBusy?: () => boolean;
}

/** A call of bash begins. */
export function callStart(): CallStart {
  return { isBackground: false, until: new AbortController().signal };
}

/** Records a new folder while `work` goes on. `fill` puts into it what is there before. */
export async function withRecorded(
  fill: (root: string) => void,
  work: (recorded: Recorded) => Promise<void>,
  { limits, maxBytes = 1e8, isKept = () => true, isUnseen = false, isHeld = false, onRead, isBusy }: RecordedOptions =
    {},
): Promise<void> {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-undo-" }));
  const root = `${top}/ws`;
  Deno.mkdirSync(root);
  const opened = openFolderTree(root);
  if (opened === undefined) throw new Error("no tree");
  const read: Tree["read"] = (path, maxBytes) => {
    onRead?.();
    return opened.read(path, maxBytes);
  };
  const tree = onRead ? { ...opened, read } : opened;
  const scopes = [{ tree, isKept }];
  const journal = openJournalFile(`${top}/journal.jsonl`, { session: "s", root });
  const pack = openPack(`${top}/pack`, maxBytes);
  const told: ChangeSet[] = [];
  const failures: string[] = [];
  const fetch = () => Promise.resolve(new Map());
  const pace = createPace(() => performance.now(), () => new Promise((resolve) => setTimeout(resolve, 0)));
  const { promise: held, resolve: goOn } = Promise.withResolvers<void>();
  if (!isHeld) goOn();
  const recorder = openRecorder({
    root,
    scopes: () => scopes,
    journal,
    pack,
    limits: { maxFileBytes: 1e6, depth: 64, entries: 1e6, lineBytes: 1e6, ...limits },
    pace: { ...pace, run: (steps, isStopped) => held.then(() => pace.run(steps, isStopped)) },
    known: () => undefined,
    fetch,
    now: Date.now,
    fileTimeMs,
    isLeft: isLeftTemporary,
    tell: (changes) => void told.push(changes),
    onFailure: (why) => void failures.push(why),
    ...(isBusy ? { isBusy } : {}),
  });
  const maxFileBytes = limits?.maxFileBytes ?? 1e6;
  const parts = { root, journal, pack, maxFileBytes, scopes, fetch, textOf: () => "", pathTo: () => [], now: Date.now };
  let calls = 0;
  try {
    fill(root);
    if (!isUnseen) {
      recorder.lookSoon();
      await recorder.settle();
    }
    await work({
      ...{ top, root, tree, recorder, journal, pack, parts, told, failures, goOn },
      async call(act, prompt = `entry${calls}`) {
        const call = { toolCallId: `call${++calls}`, toolName: "bash" };
        recorder.runStarts();
        recorder.prompt(prompt);
        await recorder.callStarts(call, callStart());
        act();
        recorder.callEnds(call.toolCallId);
        await recorder.runEnds();
      },
      async undo(request = {}) {
        await recorder.catchUp();
        const { outcome, done } = await undo(parts, request);
        await recorder.absorb(done);
        return outcome;
      },
    });
  } finally {
    await recorder.close();
    journal.close();
    pack.close();
    tree.close();
    Deno.removeSync(top, { recursive: true });
  }
}
