// Looks at the write scopes while the model answers, and writes down what is not as it was at the look before. What contents
// are kept is in keeper.ts, what differs in differences.ts. One file above the usual length: which looks, calls and messages
// there are, and in which order they are written down, is one state.
import type { ChangeSet, ChangingCall, CountedFolder, LeftOut } from "../core/changes.ts";
import { messageOf } from "../core/error.ts";
import { attempt } from "../core/support/attempt.ts";
import { isInside } from "../core/policy.ts";
import { bytePath, KIND, modeIn, statusIn, type Tree } from "../core/support/tree.ts";
import type { Baseline, BaselineFile } from "./baseline.ts";
import type { Contents, Differences } from "./differences.ts";
import { type JournalFile, type JournalRecord, lastStates } from "./journal_file.ts";
import { createKeeper, type KnownContents, type RecorderLimits } from "./keeper.ts";
import type { Pace } from "./pace.ts";
import type { Pack } from "./pack.ts";
import { type Change, isSameState, shownIn, type State } from "./states.ts";
import {
  emptyTable,
  type Folder,
  type Found,
  look,
  type LookSums,
  pathAt,
  type Place,
  placeOf,
  places,
  recordOf,
} from "./table.ts";

/** A write scope: its tree, and what of it is looked at. */
export interface Scope {
  readonly tree: Tree;
  /** Whether a path, relative to the tree, may be changed by tools. */
  readonly isKept: (path: string) => boolean;
}

/** What a recorder works with. */
export interface RecorderOptions {
  /** The workspace. */
  readonly root: string;
  /** The write scopes of this moment; the same objects while nothing changes. */
  readonly scopes: () => readonly Scope[];
  readonly journal: JournalFile;
  readonly pack: Pack;
  readonly limits: RecorderLimits;
  readonly pace: Pace;
  /** What a repository in a scope has, as it is now. */
  readonly known: (tree: Tree) => KnownContents | undefined;
  /** Reads contents that are not in the pack, all at once; those that are more than so many bytes in all are left out. */
  readonly fetch: (
    contents: ReadonlyMap<string, string>,
    mostBytes: number,
  ) => Promise<Contents>;
  readonly now: () => number;
  /** Now by the clock of file systems, milliseconds since 1970: what is changed later has no earlier time. */
  readonly fileTimeMs: () => number;
  /** Whether a name is that of a temporary file whose owner has ended. */
  readonly isLeft: (name: string) => boolean;
  readonly tell: (changes: ChangeSet) => void;
  /** Whether a background command runs; if absent, one that was started runs until the session ends. */
  readonly isBusy?: () => boolean;
  /** The journal cannot be written; told once. */
  readonly onFailure: (why: string) => void;
  /** Whether a call waits for the contents, too; true unless told otherwise. Names and stats it always waits for. */
  readonly keepsContents?: boolean;
  /** The state before a call, kept where it outlives this process; absent if nothing outlives it. */
  readonly baseline?: BaselineFile;
}

/** How a call begins. */
export interface CallStart {
  /** What it starts goes on after it: until the session ends each look of a run names it, too. */
  readonly isBackground: boolean;
  /** Aborted when the call should wait no longer. */
  readonly until: AbortSignal;
  /** Aborted when the call is stopped: then nobody knows when it changes its last file. */
  readonly signal?: AbortSignal;
}

/** Records what changes. Nothing here throws; whoever calls waits for `settle` alone. */
export interface Recorder {
  /** A message of the user was kept; the state of the files now is what undo goes back to. */
  readonly prompt: (entryId: string) => void;
  /** A request is on its way: there is time for a look. */
  readonly lookSoon: () => void;
  /**
   * Called before a call that may change something. When it resolves, the state that the call can change is known, kept, and
   * on disk. False if `until` came first: what is not known then is reported as not restorable, and undo leaves it alone.
   * A look that goes on is given up, and made again later.
   */
  readonly callStarts: (call: ChangingCall, how: CallStart) => Promise<boolean>;
  readonly callEnds: (toolCallId: string) => void;
  /** A run begins. */
  readonly runStarts: () => void;
  /** Something that is not a call, such as a command of the user, may have changed files: the last scan looks for it. */
  readonly touched: () => void;
  /** A background command has ended: a scan finds what it changed since the run. */
  readonly backgroundEnds: () => void;
  /**
   * The session is about to end everything that can write; `writers` are those that are no calls, such as servers. What the
   * last scan, in `close`, finds counts as their work and that of background commands. Scans first if the last scan is so old
   * that somebody else may have changed files since.
   */
  readonly endsSoon: (writers: readonly ChangingCall[]) => Promise<void>;
  /**
   * Looks at what is not looked at yet and tells what changed in the whole run. `ended`: writers that are no calls and were
   * ended before this scan, because the session ends with the run.
   */
  readonly runEnds: (ended?: readonly ChangingCall[]) => Promise<void>;
  /** Waits until nothing is left to be looked at or kept. */
  readonly settle: () => Promise<void>;
  /** The journal knows all that was done until now. */
  readonly catchUp: () => Promise<void>;
  /** Files were put back, which the journal knows: the next look does not take it for somebody else's work. */
  readonly absorb: (changes: readonly Change[]) => Promise<void>;
  /** Compares the disk with the baseline of an interrupted session and completes the journal. Call it first. */
  readonly recover: (interrupted: Baseline) => Promise<void>;
  readonly close: () => Promise<void>;
}

interface Watched {
  scope: Scope;
  readonly top: Folder;
  isKnown: boolean;
}

type Look = Extract<JournalRecord, { readonly type: "look" }>;

/** What differs since the last whole look, by absolute path. */
interface Pending {
  readonly path: string;
  readonly tree: Tree;
  readonly inner: string;
  before: State;
  after: Place | undefined;
  /** The records that `after` was found in. */
  rows: Uint8Array | undefined;
}

/**
 * Whoever has a file mapped sets its times with the first write alone, until the system has written the page to the disk: half a
 * minute later (vm.dirty_expire_centisecs), twice that to be sure. What ends takes its mappings along.
 */
const MAPPED_MS = 60_000;
/** What is found at the end of a session longer after the last scan counts as nobody's, milliseconds: the user worked on. */
const IDLE_MS = 10_000;
const LATE = "the scan of the workspace had not finished when the call began";
const NOT_WRITABLE = "tools may not write there now, so an interrupted call's changes are not known";
/** Up to so many files a call also waits for a scan that finds what somebody else changed since the last one: 40 ms. */
const QUICK_ENTRIES = 20_000;
/** A scan that is not older than this is not repeated, milliseconds. */
const RECENT_MS = 100;

/** Opens the recorder of a session. */
export function openRecorder(options: RecorderOptions): Recorder {
  const { journal, pack, pace, limits, root } = options;
  const watched = new Map<string, Watched>();
  const pending = new Map<string, Pending>();
  const counted = new Map<string, CountedFolder>();
  let calls: ChangingCall[] = [];
  /** Calls that started something which may still be at work, or was at the last whole scan. */
  let background: ChangingCall[] = [];
  /** What besides calls can write until the session ends. */
  let lateWriters: readonly ChangingCall[] = [];
  /** Whether something that is not a call may have changed files since the last whole scan. */
  let isTouched = false;
  /** Calls of the run that have not ended, or were stopped. */
  let started: { readonly call: ChangingCall; readonly signal: AbortSignal | undefined }[] = [];
  /** Calls that have not ended: while one goes on no look is whole. */
  const open = new Set<string>();
  let ofRun: { readonly looks: Look[]; readonly calls: ChangingCall[] } | undefined;
  /** Somebody else may have changed something since the last run. */
  let isNewRun = false;
  /** When the first call began that did not wait until all scopes were known: milliseconds of the file systems' clock. */
  let lateSinceMs: number | undefined;
  /** Whether a message came after the last whole look. */
  let isPrompted = false;
  /** When the last whole look ended, and how many entries it saw. */
  let lastLook = { endMs: -Infinity, entries: 0 };
  /** Whether the baseline on disk has all scopes. */
  let isOnDisk = false;
  const notes: LeftOut[] = [];
  /** Messages, and the calls before them that were not looked at yet. */
  const prompts: { readonly record: JournalRecord; readonly after: readonly ChangingCall[] }[] = [];
  let queue: Promise<unknown> = Promise.resolve();
  /** A look that is not done, and whether it is to be given up. */
  let running: { isStopped: boolean } | undefined;
  let first: Promise<void> | undefined;
  let copying: Promise<unknown> = Promise.resolve();
  let hasFailed = false;
  const scopeOf = (tree: Tree): Scope | undefined => watched.get(tree.root)?.scope;
  const keeper = createKeeper({
    pack,
    limits,
    known: options.known,
    objects: options.baseline?.interrupted()?.objects,
    isKept: (tree, path) => scopeOf(tree)?.isKept(path) ?? false,
  });
  const { stateOf } = keeper;
  let loading: Promise<Differences> | undefined;
  /** Most runs change nothing. */
  const differences = (): Promise<Differences> =>
    loading ??= import("./differences.ts").then(({ createDifferences }) => createDifferences(keeper, pack));
  const unseen = new Set<string>();
  /** Temporary files of killed processes that are gone now. */
  const removed = new Set<string>();

  /** Messages are written with what came of them: a session in which nothing changes leaves no journal. */
  const flushPrompts = (): void => {
    for (const { record } of prompts.splice(0)) write(record);
  };
  const write = (record: JournalRecord): void => {
    if (hasFailed) return;
    try {
      pack.flush();
      journal.add(record);
    } catch (error) {
      hasFailed = true;
      options.onFailure(messageOf(error));
    }
  };

  const tellFound = (tree: Tree, { path, before, after, isIgnored }: Found): void => {
    const absolute = `${bytePath(tree.root)}/${path}`;
    if (isIgnored) {
      const kind = before === undefined ? "created" : after === undefined ? "deleted" : "changed";
      counted.set(absolute, { path: shownIn(root, absolute), kind });
      return;
    }
    const known = pending.get(absolute);
    const rows = after?.folder.bytes;
    if (known) [known.after, known.rows] = [after, rows];
    else pending.set(absolute, { path: absolute, tree, inner: path, before: stateOf(before), after, rows });
  };

  /** Walks all scopes; false where it was stopped. */
  async function walk(isStopped: () => boolean): Promise<boolean> {
    const scopes = options.scopes();
    for (const key of [...watched.keys()]) if (!scopes.some(({ tree }) => tree.root === key)) watched.delete(key);
    unseen.clear();
    const isQuiet = options.isBusy?.() === false;
    const over = isQuiet ? background.filter(({ toolCallId }) => !open.has(toolCallId)) : [];
    const wasTouched = isTouched;
    isTouched = false;
    let entries = 0;
    for (const scope of scopes) {
      let one = watched.get(scope.tree.root);
      if (one === undefined) watched.set(scope.tree.root, one = { scope, top: emptyTable(), isKnown: false });
      one.scope = scope;
      const sums: LookSums = { entries: 0, ignored: 0, unseen: [], temporary: [] };
      const isWhole = await pace.run(
        look(scope.tree, one.top, {
          limits,
          isKept: scope.isKept,
          now: options.now,
          settleMs: background.length > 0 ? MAPPED_MS : 0,
          tell: (found) => tellFound(scope.tree, found),
          sums,
        }),
        one.isKnown ? isStopped : undefined,
      );
      for (const path of sums.unseen) unseen.add(shownIn(root, `${bytePath(scope.tree.root)}/${path}`));
      if (!isWhole) {
        isTouched ||= wasTouched;
        return false;
      }
      entries += sums.entries;
      for (const path of sums.temporary) removeLeft(scope, path);
      if (!one.isKnown) {
        one.isKnown = true;
        isOnDisk = false;
        if (lateSinceMs !== undefined) await pace.run(findLate(one, lateSinceMs));
        copying = Promise.all([copying, pace.run(keeper.keepAll(scope.tree, one.top))]);
        copying.catch(() => {});
      }
    }
    background = background.filter((call) => !over.includes(call));
    lateSinceMs = undefined;
    lastLook = { endMs: options.now(), entries };
    return true;
  }
  /** Removes a temporary file that a killed process left; whether it did. */
  const removeLeft = ({ tree, isKept }: Scope, path: string): boolean => {
    if (!isKept(path) || !options.isLeft(path.slice(path.lastIndexOf("/") + 1))) return false;
    if (attempt(() => (tree.remove(path, false), true)) === undefined) return false;
    removed.add(`${bytePath(tree.root)}/${path}`);
    return true;
  };
  const areKnown = (): boolean => options.scopes().every(({ tree }) => watched.get(tree.root)?.isKnown);

  /** Where its record is now: a look that was given up may have been followed by one that read the folder anew. */
  const placeNow = ({ tree, inner, after, rows }: Pending): Place | undefined => {
    if (after === undefined || after.folder.bytes === rows) return after;
    const top = watched.get(tree.root)?.top;
    return top && placeOf(top, inner);
  };

  /** A whole look, and what it found written down; nothing where it was stopped. */
  async function lookNow(
    isStopped: () => boolean,
    of: "calls" | "outside",
    by: readonly ChangingCall[],
  ): Promise<void> {
    const hadPrompted = isPrompted;
    isPrompted = false;
    if (!await walk(isStopped)) {
      isPrompted ||= hadPrompted;
      return;
    }
    await writeLook(isStopped, of, by);
  }

  /** What is pending, compared and written down; nothing where it was stopped. */
  async function writeLook(
    isStopped: () => boolean,
    of: "calls" | "outside",
    by: readonly ChangingCall[],
  ): Promise<void> {
    for (const [key, { tree, inner, before, after }] of pending) {
      const isRemoved = after === undefined && removed.has(key);
      const scope = before.kind === "absent" && after !== undefined ? scopeOf(tree) : undefined;
      if (isRemoved || (scope && removeLeft(scope, inner))) pending.delete(key);
    }
    const list = [...pending.values()].sort((a, b) => a.path < b.path ? -1 : 1);
    const changes: Change[] = [];
    if (list.length > 0) {
      const { compare } = await differences();
      const fetched = await fetchFor(list);
      if (!await pace.run(compare(list, placeNow, fetched, changes), isStopped)) return;
    } else if (isStopped()) return;
    pending.clear();
    const ignored = [...counted.values()];
    counted.clear();
    const leftOut = [...notes.splice(0), ...unseenNote()];
    if (of === "calls") calls = calls.filter((call) => !by.includes(call));
    if (changes.length === 0 && ignored.length === 0 && (leftOut.length === 0 || of === "outside")) return;
    const found: Look = {
      type: "look",
      of,
      calls: by,
      time: new Date(options.now()).toISOString(),
      changes,
      ...(ignored.length > 0 ? { counted: ignored } : {}),
      ...(leftOut.length > 0 ? { leftOut } : {}),
    };
    // What somebody else did before the message came stands before it, and so does what calls did.
    if (of === "calls" && prompts.some(({ after }) => by.some((call) => !after.includes(call)))) flushPrompts();
    write(found);
    if (of === "calls") flushPrompts();
    if (of === "calls") ofRun?.looks.push(found);
    const { told } = await differences();
    options.tell(told(changes, root, { of, calls: by, counted: ignored, leftOut }));
  }

  const fetchFor = async (
    list: readonly Pick<Pending, "before" | "path">[],
  ): Promise<Contents> => {
    const wanted = new Map<string, string>();
    for (const { before, path } of list) {
      if (before.kind === "file" && before.content?.startsWith("git:")) wanted.set(before.content, path);
    }
    return wanted.size === 0 ? NONE : await options.fetch(wanted, limits.lineBytes);
  };

  const unseenNote = (): LeftOut[] =>
    unseen.size === 0
      ? []
      : [{ why: "folders could not be looked into", count: unseen.size, paths: [...unseen].slice(0, 10) }];

  const inOrder = (work: () => Promise<void>): Promise<void> => {
    const done = queue.then(work).catch((error) => options.onFailure(messageOf(error)));
    queue = done;
    return done;
  };

  const begin = (): void => {
    first ??= inOrder(async () => {
      isPrompted = false;
      await walk(() => false);
    });
  };

  /** What was changed since a call began that did not wait for the scan: what it was before is not known. */
  function* findLate({ scope: { tree, isKept }, top }: Watched, sinceMs: number): Generator<true, void> {
    // Some file systems have whole seconds.
    const isSince = (ms: number): boolean => ms >= (ms % 1_000 === 0 ? Math.floor(sinceMs / 1_000) * 1_000 : sinceMs);
    let isLate = isSince(tree.status("")?.changedMs ?? 0);
    for (const list of places(top)) {
      for (const place of list) {
        if (!isSince(statusIn(place.folder, place.at).changedMs)) continue;
        isLate = true;
        const inner = pathAt(place);
        const path = `${bytePath(tree.root)}/${inner}`;
        if (modeIn(place.folder.bytes, place.at) >> 12 === KIND.folder || !isKept(inner)) continue;
        // A new inode, even a new time of birth, is not a new name: `sed -i` and `mv` replace what was there.
        const before: State = { kind: "unknown", why: LATE };
        pending.set(path, { path, tree, inner, before, after: place, rows: place.folder.bytes });
      }
      yield true;
    }
    if (isLate) notes.push({ why: LATE });
  }

  /** All that a call can change is known when it resolves, and kept. */
  async function stateKnown(): Promise<void> {
    begin();
    await queue;
    // While another call goes on, its state before is that of this one.
    if (open.size === 0 && isLookDue()) {
      const isOutside = isNewRun && calls.length === 0;
      isNewRun = false;
      await lookInOrder(true, isOutside);
    }
    if (options.keepsContents !== false) await copying.catch(() => {});
  }

  const isLookDue = (): boolean => {
    if (!areKnown() || (isPrompted && prompts.length > 0)) return true;
    const isQuick = lastLook.entries <= QUICK_ENTRIES && options.now() - lastLook.endMs > RECENT_MS;
    return isQuick && calls.length === 0;
  };

  /** Puts on disk what a later process needs to find out what a call changed, whatever becomes of this one. */
  const putOnDisk = (call: ChangingCall, isBackground: boolean): void => {
    if (calls.length === 0 && pending.size === 0) flushPrompts();
    if (!isOnDisk && areKnown() && pending.size === 0 && options.baseline && !hasFailed) {
      try {
        pack.flush();
        const tops = [...watched.values()].map(({ scope: { tree }, top }) => ({ root: tree.root, top }));
        options.baseline.write({
          tops,
          objects: keeper.objects(),
          contents: pack.count(),
          records: journal.records.length,
        });
        isOnDisk = true;
      } catch (error) {
        hasFailed = true;
        options.onFailure(messageOf(error));
      }
    }
    const time = new Date(options.now()).toISOString();
    write({
      type: "begin",
      call,
      time,
      ...(isBackground ? { isBackground } : {}),
      ...(isOnDisk || !options.baseline ? {} : { isUnknown: true }),
    });
  };

  /** Whether there may be something to find; what only reads changes nothing. */
  const lookInOrder = (isStoppable: boolean, isOutside = false): Promise<void> =>
    inOrder(async () => {
      if (isStoppable && open.size > 0) return;
      const going = ofRun !== undefined && !isOutside ? background.filter((call) => !calls.includes(call)) : [];
      const by = [...calls, ...going];
      const of = by.length > 0 ? "calls" as const : "outside" as const;
      const own = running = { isStopped: false };
      await lookNow(() => isStoppable && own.isStopped, of, by);
      if (running === own) running = undefined;
    });

  return {
    prompt: (entryId) => {
      const time = new Date(options.now()).toISOString();
      prompts.push({ record: { type: "prompt", entryId, time }, after: [...calls] });
      isPrompted = true;
    },
    lookSoon() {
      if (first === undefined) return begin();
      const isOutside = isNewRun && calls.length === 0;
      if (calls.length > 0 || isNewRun || background.length > 0) void lookInOrder(true, isOutside);
      isNewRun = false;
    },
    async callStarts(call, { isBackground, until, signal }) {
      const isKnown = await isBefore(until, stateKnown());
      // Nothing is awaited from here to the start of the call.
      if (!areKnown()) lateSinceMs ??= options.fileTimeMs();
      if (running) running.isStopped = true;
      putOnDisk(call, isBackground);
      if (isBackground) background.push(call);
      open.add(call.toolCallId);
      started.push({ call, signal });
      calls.push(call);
      ofRun?.calls.push(call);
      return isKnown;
    },
    callEnds(id) {
      open.delete(id);
      // The end of the run aborts this signal, too.
      started = started.filter(({ call, signal }) => call.toolCallId !== id || signal?.aborted);
    },
    touched: () => void (isTouched = true),
    backgroundEnds() {
      if (ofRun !== undefined || background.length === 0) return;
      calls.push(...background.filter((call) => !calls.includes(call)));
      void lookInOrder(true);
    },
    async endsSoon(writers) {
      if (first === undefined) return;
      const canWrite = writers.length + background.length + started.length > 0;
      const isOld = isTouched || options.now() - lastLook.endMs > IDLE_MS;
      if (canWrite && isOld) await lookInOrder(false);
      lateWriters = writers;
    },
    runStarts() {
      open.clear();
      started = [];
      isNewRun = first !== undefined;
      ofRun = { looks: [], calls: [] };
    },
    async runEnds(ended = []) {
      const run = ofRun;
      if (journal.records.length > 0) flushPrompts();
      if (run === undefined || run.calls.length + background.length + ended.length === 0) return;
      calls.push(...ended);
      run.calls.push(...ended);
      begin();
      if (calls.length + background.length > 0) await lookInOrder(false);
      else await queue;
      ofRun = undefined;
      const { looks } = run;
      await inOrder(async () => {
        const { fold, told, withLines } = await differences();
        const folded = fold(looks.flatMap((one) => one.changes));
        const changes = withLines(folded, await fetchFor(folded));
        options.tell(told(changes, root, {
          of: "run",
          calls: [...run.calls, ...background.filter((call) => !run.calls.includes(call))],
          counted: [...new Map(looks.flatMap((one) => one.counted ?? []).map((one) => [one.path, one])).values()],
          leftOut: looks.flatMap((one) => one.leftOut ?? []),
        }));
      });
    },
    async catchUp() {
      begin();
      await lookInOrder(false);
      flushPrompts();
    },
    absorb: (changes) =>
      inOrder(async () => {
        await walk(() => false);
        const known = new Map(changes.map((change) => [change.path, change]));
        const list = [...pending.values()].filter(({ path }) => known.has(path));
        const { compare } = await differences();
        await pace.run(compare(list, placeNow, NONE, []));
        for (const one of list) {
          const place = placeNow(one);
          const state = stateOf(place && recordOf(place));
          if (isSameState(state, known.get(one.path)?.after ?? ABSENT) === true) pending.delete(one.path);
          else one.before = known.get(one.path)?.after ?? ABSENT;
        }
      }),
    recover: ({ tops, records }) =>
      inOrder(async () => {
        const scopes = options.scopes();
        for (const { root, top } of tops) {
          const scope = scopes.find(({ tree }) => tree.root === root);
          if (scope) watched.set(root, { scope, top, isKnown: true });
          else notes.push({ why: NOT_WRITABLE, paths: [root] });
        }
        await walk(() => false);
        // What the journal knows came after the baseline.
        const since = journal.records.slice(records);
        for (const [path, before] of lastStates(since)) {
          const known = pending.get(path);
          if (known) known.before = before;
          for (const { scope: { tree }, top } of known ? [] : watched.values()) {
            const root = bytePath(tree.root);
            if (!isInside(path, root) || path === root) continue;
            const inner = path.slice(root === "/" ? 1 : root.length + 1);
            const after = placeOf(top, inner);
            pending.set(path, { path, tree, inner, before, after, rows: after?.folder.bytes });
            break;
          }
        }
        const at = since.findLastIndex((record) => record.type === "look" && record.of === "calls");
        const last = since[at];
        // What a background command started went on after the scan that names it.
        const wentOn = new Set(last?.type === "look" ? last.calls.map(({ toolCallId }) => toolCallId) : []);
        const by = since.flatMap((record, number) =>
          record.type === "begin" && (number > at || (record.isBackground && wentOn.has(record.call.toolCallId)))
            ? [record.call]
            : []
        );
        await writeLook(() => false, by.length > 0 ? "calls" : "outside", by);
        first = Promise.resolve();
      }),
    async settle() {
      await queue;
      await copying;
    },
    async close() {
      // Commands in the background, servers, and calls that were stopped may have changed something after the last scan.
      const late = [...background, ...started.map(({ call }) => call), ...lateWriters];
      calls.push(...late.filter((call) => !calls.includes(call)));
      // A scan that goes on is not cut off before its changes are written.
      if (first !== undefined && (calls.length + pending.size > 0 || isTouched)) await lookInOrder(false);
      // The first scan removes what killed processes left.
      await first;
      pace.close();
      await queue;
      await copying.catch(() => {});
    },
  };
}

/** Whether some work ended before a signal. */
async function isBefore(until: AbortSignal, work: Promise<void>): Promise<boolean> {
  if (until.aborted) return false;
  const { promise, resolve } = Promise.withResolvers<false>();
  const stop = (): void => resolve(false);
  until.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work.then(() => true), promise]);
  } finally {
    until.removeEventListener("abort", stop);
  }
}

const ABSENT: State = { kind: "absent" };
const NONE: Contents = new Map();
