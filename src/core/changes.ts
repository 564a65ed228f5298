// What happened to files, found by looking at the disk and never by believing a tool or a model.

/** What became of a file. `mode`: nothing but its permission bits; `moved`: the same file under another name. */
export type ChangeKind = "created" | "changed" | "deleted" | "moved" | "mode";

/** What stands, or stood, at a path. A folder is listed by itself only where nothing that changed lies in it. */
export type ChangedThing = "file" | "link" | "folder" | "other";

/** One file as it was before and after, by its content, its mode and its name. Plain JSON. */
export interface FileChange {
  /** Relative to the workspace where it lies in it, else absolute; the new name of what was moved. */
  readonly path: string;
  /** What became of it. */
  readonly kind: ChangeKind;
  /** What stands there now; what stood there, where nothing does any more. */
  readonly thing: ChangedThing;
  /** The old name; only where `kind` is `moved`. */
  readonly from?: string;
  /** Bytes before; absent where there was nothing, or nothing that has a size. */
  readonly sizeBefore?: number;
  /** Bytes after; absent where there is nothing, or nothing that has a size. */
  readonly sizeAfter?: number;
  /** Lines of text; both absent where one side is binary, too large, or was not kept. */
  readonly linesAdded?: number;
  /** Lines that went; see `linesAdded`. */
  readonly linesRemoved?: number;
  /** Whether one side is no text. */
  readonly isBinary?: boolean;
  /** Permission bits before and after; both only where they differ. */
  readonly modeBefore?: number;
  /** See `modeBefore`. */
  readonly modeAfter?: number;
  /** Why undo cannot bring back what was there: absent where it can. */
  readonly notRestorable?: string;
}

/** A folder that is not looked into: ignored by git, a cache, `node_modules`, `.git`. */
export interface CountedFolder {
  /** As in `FileChange`. */
  readonly path: string;
  /** By what can be seen of the folder itself: `changed` means names came or went right in it. */
  readonly kind: "created" | "changed" | "deleted";
}

/** What a look at the files did not see or could not keep, in words for people. */
export interface LeftOut {
  /** One sentence without a full stop: what and why, for example "files above 8 MB are not kept". */
  readonly why: string;
  /** How many files or folders; absent where nobody counted. */
  readonly count?: number;
  /** Some of them, as in `FileChange`; never more than ten. */
  readonly paths?: readonly string[];
}

/** A call that may have made changes. */
export interface ChangingCall {
  /** Its id. */
  readonly toolCallId: string;
  /** Its tool. */
  readonly toolName: string;
}

/**
 * What changed between two looks.
 *
 * `calls`: while the named calls ran; more than one where a call began before the look after the call before had ended: which
 * of them it was is not known then. `run`: in a whole run, a file that came and went is none. `outside`: while no call
 * ran, so by somebody else. `undo`: files were put back.
 */
export interface ChangeSet {
  /** What it is about. */
  readonly of: "calls" | "run" | "outside" | "undo";
  /** The calls since the look before; all of a run that were not only looking. */
  readonly calls: readonly ChangingCall[];
  /** Sorted by path. */
  readonly files: readonly FileChange[];
  /** Sums over `files`, of those whose lines are known. */
  readonly linesAdded: number;
  /** As `linesAdded`. */
  readonly linesRemoved: number;
  /** Ignored folders that came, went or were changed: counted and never looked into. */
  readonly counted: readonly CountedFolder[];
  /** What the look did not see or could not keep; empty where it was whole. */
  readonly leftOut: readonly LeftOut[];
}

/** A moment that files can be brought back to: before a message of the user, or before an undo. */
export interface UndoPoint {
  /** 1 is the oldest of the session; what `--to` takes. 0 where `kind` is `apply`. */
  readonly number: number;
  /**
   * What it stands before. `apply`: the application of a patch that was cut off in the middle (SIGKILL, a crash). It is in no list:
   * whichever moment is asked for, an undo takes that back first and does nothing else.
   */
  readonly kind: "prompt" | "undo" | "apply";
  /** The entry of the message; only where `kind` is `prompt`. */
  readonly entryId?: string;
  /** The beginning of the message on one line. */
  readonly text: string;
  /** ISO 8601. */
  readonly time: string;
  /** Files that changed from here to the next point. */
  readonly files: number;
  /** Files that somebody else changed meanwhile; absent for none. */
  readonly outside?: number;
  /** Whether its changes were undone already. */
  readonly isUndone: boolean;
}

/** What undo would do, or did, to one file. */
export interface UndoStep {
  /** As in `FileChange`. */
  readonly path: string;
  /** `restore`: its content comes back; `remove`: it was not there; `mode`: only its permission bits. */
  readonly action: "restore" | "remove" | "mode";
  /** What will stand there, or what is removed. */
  readonly thing: ChangedThing;
}

/** A file that undo leaves as it is, and why. */
export interface UndoLeft {
  /** As in `FileChange`. */
  readonly path: string;
  /** For people. */
  readonly why: string;
  /** Whether `force` would do it all the same. */
  readonly isForcible: boolean;
}

/** What undo would do, and, where `isDone`, what it did. */
export interface UndoOutcome {
  /** What was gone back to. */
  readonly point: UndoPoint;
  /** What is or was done. */
  readonly steps: readonly UndoStep[];
  /** What is left as it is. */
  readonly left: readonly UndoLeft[];
  /** Whether the steps were taken; false for a preview. */
  readonly isDone: boolean;
}

/**
 * The steps of an undo that a person is shown. Folders come and go with what is in them: one is a step only where its mode is
 * set or no other step is inside it, and has a slash at its end.
 */
export function shownSteps(steps: readonly UndoStep[]): readonly UndoStep[] {
  const around = new Set<string>();
  for (const { path } of steps) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      if (around.has(folder)) break;
      around.add(folder);
    }
  }
  return steps.flatMap((step) => {
    const { action, path, thing } = step;
    if (thing !== "folder") return [step];
    return action === "mode" || !around.has(path) ? [{ ...step, path: `${path}/` }] : [];
  });
}

/** What is left as it is by the reasons, each said once, in the order in which they come. */
export function leftByReason(
  left: readonly UndoLeft[],
): readonly (Omit<UndoLeft, "path"> & { readonly paths: readonly string[] })[] {
  return [...Map.groupBy(left, ({ why, isForcible }) => `${isForcible} ${why}`).values()].flatMap((same) => {
    const [first] = same;
    return first ? [{ why: first.why, isForcible: first.isForcible, paths: same.map(({ path }) => path) }] : [];
  });
}

/** How undo is asked for. */
export interface UndoRequest {
  /** A point's number or its entry's id; the last message that was not undone without it. */
  readonly to?: number | string;
  /** In place of `to`: an entry of the session's tree; the files become what they were there. */
  readonly at?: string;
  /** In place of `to`: takes the last undo back, unless calls changed files after it. */
  readonly redo?: boolean;
  /** Only says what it would do. */
  readonly dryRun?: boolean;
  /** Overwrites what somebody else changed since. */
  readonly force?: boolean;
}

/** What a private copy of the workspace cost. */
export interface TrialCost {
  /** Files and links. */
  readonly files: number;
  /** Bytes of the files, however they are stored. */
  readonly bytes: number;
  /** Whether the file system shares the bytes with the workspace (reflinks): all, some or none of the files. */
  readonly reflink: "yes" | "partly" | "no";
  /** Of what goes into a patch, a second copy is kept, to compare with: bytes. */
  readonly baseBytes: number;
  /** Wall clock. */
  readonly milliseconds: number;
}

/** A trial that goes on. */
export interface TrialState {
  /** The private copy, where tools work. */
  readonly folder: string;
  /** The workspace, which they cannot write. */
  readonly workspace: string;
  /** What it took to make it. */
  readonly cost: TrialCost;
}

/** A file of a patch. */
export interface PatchedFile extends Pick<FileChange, "from" | "linesAdded" | "linesRemoved"> {
  /** Relative to the workspace; bytes that are no UTF-8 are shown as U+FFFD. The new name of what was moved. */
  readonly path: string;
  /** `mode`: nothing but whether it can be run. */
  readonly kind: ChangeKind;
  /** What it is from now on, where its mode says so: a program is more than its lines. */
  readonly becomes?: "executable" | "not executable" | "a link";
}

/** What a trial changed. */
export interface TrialChanges {
  /** Sorted by path; empty: nothing. */
  readonly files: readonly PatchedFile[];
  /** The same in git's format. A byte string: one character for each byte. */
  readonly patch: string;
  /** What changed and is not in the patch, or cannot be. */
  readonly leftOut: readonly LeftOut[];
}

/** Why a file of a patch cannot be taken. */
export interface Misfit {
  /** As in `PatchedFile`. */
  readonly path: string;
  /** For people. */
  readonly why: string;
  /** The first line of the hunk in the patch, `@@ -1,4 +1,5 @@`; absent where it is about the whole file. */
  readonly hunk?: string;
}

/** What came of an application of a patch that was cut off, by SIGKILL or a crash. */
export interface TakenBack {
  /** Whether all of it was done already: then it was left so. */
  readonly isComplete: boolean;
  /** Files that are as they were before it. */
  readonly restored: readonly string[];
  /** Files that somebody else changed since: they are left as they are. */
  readonly left: readonly string[];
}

/** What applying a patch would do, or did. */
export interface ApplyOutcome {
  /** Of an application that was cut off before this one: it was taken back first. */
  readonly takenBack?: TakenBack;
  /** What the workspace gets. */
  readonly files: readonly PatchedFile[];
  /** What does not fit; where there is any, nothing is changed. */
  readonly misfits: readonly Misfit[];
  /** Whether the files were changed; false for a preview, and where something does not fit. */
  readonly isDone: boolean;
}

/** How a trial that is open is asked what is to become of its changes. */
export interface TakeRequest {
  /** Paths of `PatchedFile`s, the new ones of those that moved; all without it. */
  readonly paths?: readonly string[];
  /** Only says what it would do. */
  readonly dryRun?: boolean;
}

/** What became of the changes of a trial when it ended. */
export interface TrialResult extends Pick<TrialChanges, "files" | "leftOut"> {
  /** What the copy took. */
  readonly cost: TrialCost;
  /** The file that the patch was written to; absent where nothing changed, or it could not be written. */
  readonly patch?: string;
  /** Why there is no patch although there may be changes. */
  readonly why?: string;
}
