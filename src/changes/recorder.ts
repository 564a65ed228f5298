// Looks at the write scopes while the model answers, and writes down what is not as it was at the look before.
import type { ChangeSet, ChangingCall, CountedFolder, LeftOut } from "../core/changes.ts";
import { messageOf } from "../core/error.ts";
import {
  KIND,
  lengthIn,
  modeIn,
  nameIn,
  RECORD,
  type Records,
  statusIn,
  type Tree,
  wordsOf,
} from "../core/support/tree.ts";
import { changeSet, kindOf, shownIn } from "./change_set.ts";
import type { JournalFile, JournalRecord } from "./journal_file.ts";
import { countLines } from "./line_counts.ts";
import type { Pace } from "./pace.ts";
import { type Pack } from "./pack.ts";
import { bytesOfString, type Change, isSameState, type State, whyTooLarge } from "./states.ts";
import {
  emptyTable,
  type Folder,
  type Found,
  look,
  type LookSums,
  noteOf,
  pathAt,
  type Place,
  placeOf,
  places,
  recordOf,
  setNote,
} from "./table.ts";

/** A write scope: its tree, and what of it is looked at. */
export interface Scope {
  readonly tree: Tree;
  /** Whether a path, relative to the tree, may be changed by tools. */
  readonly isKept: (path: string) => boolean;
}

/** Contents that need not be copied: those that a repository has. */
export interface KnownContents {
  /** The name of the object of a file that is as the repository has it, by its path in the tree and its record. */
  readonly of: (path: string, record: Records, at: number) => Uint8Array | undefined;
  /** Whether attributes make the bytes of files other than those of their objects. */
  readonly converts: (attributes: Uint8Array) => boolean;
}

/** Bounds of a session's journal. */
export interface RecorderLimits {
  readonly maxFileBytes: number;
  readonly depth: number;
  readonly entries: number;
  /** Contents that a repository has are read again to count lines: so much of them at once. */
  readonly lineBytes: number;
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
  ) => Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>>;
  readonly now: () => number;
  readonly tell: (changes: ChangeSet) => void;
  /** The journal cannot be written; told once. */
  readonly onFailure: (why: string) => void;
}

/** How a call begins. */
export interface CallStart {
  /** It only looks, and that is certain. */
  readonly isReadOnly: boolean;
  /** What it starts goes on after it: until the session ends each look of a run names it, too. */
  readonly isBackground: boolean;
  /** By the clock that file systems set times by. */
  readonly atMs: number;
}

/** Records what changes. Nothing here throws; whoever calls waits for `settle` alone. */
export interface Recorder {
  /** A message of the user was kept; the state of the files now is what undo goes back to. */
  readonly prompt: (entryId: string) => void;
  /** A request is on its way: there is time for a look. */
  readonly lookSoon: () => void;
  /** A call begins: a look that goes on is given up, and made again later. */
  readonly callStarts: (call: ChangingCall, how: CallStart) => void;
  readonly callEnds: (toolCallId: string) => void;
  /** A run begins. */
  readonly runStarts: () => void;
  /** Looks at what is not looked at yet and tells what changed in the whole run. */
  readonly runEnds: () => Promise<void>;
  /** Waits until nothing is left to be looked at or kept. */
  readonly settle: () => Promise<void>;
  /** The journal knows all that was done until now. */
  readonly catchUp: () => Promise<void>;
  /** Files were put back, which the journal knows: the next look does not take it for somebody else's work. */
  readonly absorb: (changes: readonly Change[]) => Promise<void>;
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
const LATE = "the first look had not ended when a call began: what it changed before is not known";
const CHANGED_BEFORE_KEPT = "it was changed before it could be kept";

/** Opens the recorder of a session. */
export function openRecorder(options: RecorderOptions): Recorder {
  const { journal, pack, pace, limits, root } = options;
  const watched = new Map<string, Watched>();
  const pending = new Map<string, Pending>();
  const counted = new Map<string, CountedFolder>();
  let calls: ChangingCall[] = [];
  /** Calls that started something which may still be at work. */
  const background: ChangingCall[] = [];
  /** Calls that have not ended: while one goes on no look is whole. */
  const open = new Set<string>();
  let ofRun: { readonly looks: Look[]; readonly calls: ChangingCall[] } | undefined;
  /** Somebody else may have changed something since the last run. */
  let isNewRun = false;
  /** When the first call began that could change something. */
  let firstCallMs: number | undefined;
  const notes: LeftOut[] = [];
  /** Messages, and the calls before them that were not looked at yet. */
  const prompts: { readonly record: JournalRecord; readonly after: readonly ChangingCall[] }[] = [];
  let queue: Promise<unknown> = Promise.resolve();
  /** A look that is not done, and whether it is to be given up. */
  let running: { isStopped: boolean } | undefined;
  let first: Promise<void> | undefined;
  let isFirstDone = false;
  let copying: Promise<unknown> = Promise.resolve();
  let hasFailed = false;
  const objects = createNames();
  const unseen = new Set<string>();

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

  /** The name of a content that is noted in a record. */
  const contentOf = (note: number): string | undefined =>
    note > 0 ? `sha256:${pack.digest(note - 1)}` : note < 0 ? objects.name(-note - 1) : undefined;

  const stateOf = (record: Records | undefined): State => {
    if (record === undefined) return { kind: "absent" };
    const { mode, size, stamp } = statusIn(record, 0);
    const [kind, bits] = [mode >> 12, mode & 0o7777];
    if (kind === KIND.folder) return { kind: "folder", mode: bits };
    if (kind !== KIND.file && kind !== KIND.link) return { kind: "other", mode: bits };
    const content = contentOf(noteOf(record) | 0);
    return {
      kind: kind === KIND.file ? "file" : "link",
      mode: bits,
      size,
      stamp,
      ...(content === undefined ? { why: whyNotKept(size) } : { content }),
    };
  };

  const whyNotKept = (size: number): string =>
    size > limits.maxFileBytes
      ? whyTooLarge(limits.maxFileBytes)
      : pack.isFull()
      ? "the room for what is kept of the session was used up"
      : CHANGED_BEFORE_KEPT;

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

  /** Keeps what a file or link holds, where it is as its record says. */
  const keep = (tree: Tree, path: string, place: Place): Uint8Array<ArrayBuffer> | undefined => {
    const { mode, size, stamp } = statusIn(place.folder, place.at);
    const kind = mode >> 12;
    if (kind === KIND.link) {
      const target = tree.readLink(path);
      if (target === undefined || tree.status(path)?.stamp !== stamp) return undefined;
      return noted(place, bytesOfString(target));
    }
    if (kind !== KIND.file || size > limits.maxFileBytes) return undefined;
    const read = tree.read(path, limits.maxFileBytes);
    return read?.status.stamp === stamp ? noted(place, read.bytes) : undefined;
  };
  const noted = (place: Place, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
    const number = pack.add(bytes);
    if (number !== undefined) setNote(place, number + 1);
    return bytes;
  };

  /** Everything that is there, so that it can be brought back. */
  function* keepAll({ scope: { tree }, top }: Watched): Generator<true, void> {
    const repository = options.known(tree);
    const stack = [{ folder: top, known: repository }];
    for (let next = stack.pop(); next; next = stack.pop()) {
      const { folder } = next;
      let { bytes } = folder;
      const known = next.known && converts(tree, folder, next.known) ? undefined : next.known;
      for (let next = 0; next < bytes.length;) {
        const at = next;
        next += lengthIn(bytes, at);
        const kind = modeIn(bytes, at) >> 12;
        if (kind === KIND.folder || noteOf(folder, at) !== 0) continue;
        const place = { folder, at };
        const path = pathAt(place);
        if (!scopeOf(tree)?.isKept(path)) continue;
        const content = known?.of(path, { bytes, words: wordsOf(bytes), length: bytes.length }, at);
        if (content !== undefined) setNote(place, -objects.add(content));
        else if (!pack.isFull()) keep(tree, path, place);
        yield true;
        // A look has read this folder anew meanwhile.
        if (folder.bytes !== bytes) [bytes, next] = [folder.bytes, 0];
      }
      for (const inner of folder.inner) stack.push({ folder: inner, known });
      yield true;
    }
  }
  const converts = (tree: Tree, folder: Folder, known: KnownContents): boolean => {
    for (let at = 0; at < folder.bytes.length; at += lengthIn(folder.bytes, at)) {
      if (folder.bytes[at + RECORD.name] !== 0x2e || nameIn(folder.bytes, at) !== ".gitattributes") continue;
      const read = tree.read(pathAt({ folder, at }), limits.maxFileBytes);
      return read === undefined || known.converts(read.bytes);
    }
    return false;
  };
  const scopeOf = (tree: Tree): Scope | undefined => watched.get(tree.root)?.scope;

  /** Walks all scopes; false where it was stopped. */
  async function walk(isStopped: () => boolean): Promise<boolean> {
    const scopes = options.scopes();
    for (const key of [...watched.keys()]) if (!scopes.some(({ tree }) => tree.root === key)) watched.delete(key);
    unseen.clear();
    for (const scope of scopes) {
      let one = watched.get(scope.tree.root);
      if (one === undefined) watched.set(scope.tree.root, one = { scope, top: emptyTable(), isKnown: false });
      one.scope = scope;
      const sums: LookSums = { entries: 0, ignored: 0, unseen: [] };
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
      if (!isWhole) return false;
      if (!one.isKnown) {
        one.isKnown = true;
        copying = Promise.all([copying, pace.run(keepAll(one))]);
        copying.catch(() => {});
      }
    }
    return true;
  }

  /** Keeps what came, and compares it with what was. */
  function* compare(
    list: readonly Pending[],
    fetched: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
    into: Change[],
  ): Generator<true, void> {
    for (const one of list) {
      const { before } = one;
      const after = placeNow(one);
      let bytes: Uint8Array<ArrayBuffer> | undefined;
      if (after !== undefined && noteOf(after.folder, after.at) === 0) bytes = keep(one.tree, one.inner, after);
      const state = stateOf(recordOrNone(after));
      const change: Change = { path: one.path, before, after: state };
      if (kindOf(change) !== undefined) into.push({ ...change, ...linesOf(before, state, bytes, fetched) });
      yield true;
    }
  }

  /** Where its record is now: a look that was given up may have been followed by one that read the folder anew. */
  const placeNow = ({ tree, inner, after, rows }: Pending): Place | undefined => {
    if (after === undefined || after.folder.bytes === rows) return after;
    const top = watched.get(tree.root)?.top;
    return top && placeOf(top, inner);
  };

  const read = (
    state: State,
    fetched: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
  ): Uint8Array<ArrayBuffer> | undefined => {
    if (state.kind !== "file") return new Uint8Array();
    if (state.content === undefined) return undefined;
    const known = fetched.get(state.content);
    if (known) return known;
    const number = state.content.startsWith("sha256:") ? pack.find(state.content.slice(7)) : undefined;
    return number === undefined ? undefined : pack.read(number);
  };

  const linesOf = (
    before: State,
    after: State,
    bytes: Uint8Array<ArrayBuffer> | undefined,
    fetched: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
  ): Pick<Change, "lines" | "isBinary"> => {
    if (before.kind !== "file" && after.kind !== "file") return {};
    try {
      const old = read(before, fetched);
      const fresh = bytes !== undefined && after.kind === "file" ? bytes : read(after, fetched);
      if (old === undefined || fresh === undefined) return {};
      const lines = countLines(old, fresh);
      return lines === "binary" ? { isBinary: true } : { lines };
    } catch {
      return {};
    }
  };

  /** A whole look, and what it found written down; nothing where it was stopped. */
  async function lookNow(
    isStopped: () => boolean,
    of: "calls" | "outside",
    by: readonly ChangingCall[],
  ): Promise<void> {
    if (!await walk(isStopped)) return;
    const list = [...pending.values()].sort((a, b) => a.path < b.path ? -1 : 1);
    const changes: Change[] = [];
    const fetched = list.length === 0 ? NONE : await fetchFor(list);
    if (!await pace.run(compare(list, fetched, changes), isStopped)) return;
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
    options.tell(changeSet(changes, root, { of, calls: by, counted: ignored, leftOut }));
  }

  const fetchFor = async (
    list: readonly Pick<Pending, "before" | "path">[],
  ): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> => {
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
      await walk(() => false);
      isFirstDone = true;
      if (firstCallMs !== undefined) await pace.run(findLate(firstCallMs));
    });
  };

  /** What was changed since the first call began, where the first look came late: nobody knows what it was. */
  function* findLate(sinceMs: number): Generator<true, void> {
    for (const { scope: { tree }, top } of watched.values()) {
      // Some file systems have whole seconds.
      const isSince = (ms: number): boolean => ms >= (ms % 1_000 === 0 ? Math.floor(sinceMs / 1_000) * 1_000 : sinceMs);
      let isLate = isSince(tree.status("")?.changedMs ?? 0);
      for (const list of places(top)) {
        for (const place of list) {
          if (!isSince(statusIn(place.folder, place.at).changedMs)) continue;
          isLate = true;
          const inner = pathAt(place);
          const path = `${bytePath(tree.root)}/${inner}`;
          if (modeIn(place.folder.bytes, place.at) >> 12 === KIND.folder || !scopeOf(tree)?.isKept(inner)) continue;
          // What was made since then was not there.
          const isNew = isSince(tree.bornMs(inner) ?? 0);
          pending.set(path, {
            path,
            tree,
            inner,
            before: isNew ? ABSENT : { kind: "unknown", why: LATE },
            after: place,
            rows: place.folder.bytes,
          });
        }
        yield true;
      }
      if (isLate) notes.push({ why: LATE });
    }
  }

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
    },
    lookSoon() {
      if (first === undefined) return begin();
      const isOutside = isNewRun && calls.length === 0;
      if (calls.length > 0 || isNewRun || background.length > 0) void lookInOrder(true, isOutside);
      isNewRun = false;
    },
    callStarts(call, { isReadOnly, isBackground, atMs }) {
      if (isReadOnly) return;
      if (isBackground) background.push(call);
      if (running) running.isStopped = true;
      if (!isFirstDone) firstCallMs ??= atMs;
      open.add(call.toolCallId);
      calls.push(call);
      ofRun?.calls.push(call);
    },
    callEnds: (id) => void open.delete(id),
    runStarts() {
      open.clear();
      isNewRun = first !== undefined;
      ofRun = { looks: [], calls: [] };
    },
    async runEnds() {
      const run = ofRun;
      if (journal.records.length > 0) flushPrompts();
      if (run === undefined || run.calls.length + background.length === 0) return;
      begin();
      if (calls.length + background.length > 0) await lookInOrder(false);
      else await queue;
      ofRun = undefined;
      const { looks } = run;
      const changes: Change[] = [];
      await inOrder(async () => {
        const folded = foldChanges(looks.flatMap((one) => one.changes));
        const fetched = await fetchFor(folded);
        for (const change of folded) {
          if (kindOf(change) !== undefined) {
            changes.push({ ...change, ...linesOf(change.before, change.after, undefined, fetched) });
          }
        }
      });
      options.tell(changeSet(changes, root, {
        of: "run",
        calls: [...run.calls, ...background.filter((call) => !run.calls.includes(call))],
        counted: [...new Map(looks.flatMap((one) => one.counted ?? []).map((one) => [one.path, one])).values()],
        leftOut: looks.flatMap((one) => one.leftOut ?? []),
      }));
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
        await pace.run(compare(list, NONE, []));
        for (const one of list) {
          const state = stateOf(recordOrNone(placeNow(one)));
          if (isSameState(state, known.get(one.path)?.after ?? ABSENT) === true) pending.delete(one.path);
          else one.before = known.get(one.path)?.after ?? ABSENT;
        }
      }),
    async settle() {
      await queue;
      await copying;
    },
    async close() {
      pace.close();
      await queue;
      await copying.catch(() => {});
    },
  };
}

/** Names of objects, twenty bytes each. */
function createNames(): {
  /** Gives how many there are now. */
  readonly add: (name: Uint8Array) => number;
  readonly name: (number: number) => string;
} {
  let bytes = new Uint8Array(20 * 64);
  let count = 0;
  return {
    add(name) {
      if ((count + 1) * 20 > bytes.length) {
        const more = new Uint8Array(bytes.length * 2);
        more.set(bytes);
        bytes = more;
      }
      bytes.set(name.subarray(0, 20), count * 20);
      return ++count;
    },
    name: (number) => `git:${bytes.subarray(number * 20, number * 20 + 20).toHex()}`,
  };
}

const ABSENT: State = { kind: "absent" };
const NONE: ReadonlyMap<string, Uint8Array<ArrayBuffer>> = new Map();

/** The first state of each path and the last one. */
function foldChanges(changes: readonly Change[]): Change[] {
  const folded = new Map<string, Change>();
  for (const { path, before, after } of changes) {
    folded.set(path, { path, before: folded.get(path)?.before ?? before, after });
  }
  return [...folded.values()];
}

function recordOrNone(place: Place | undefined): Records | undefined {
  return place && recordOf(place);
}

/** A path as a byte string. */
export function bytePath(path: string): string {
  let text = "";
  for (const byte of new TextEncoder().encode(path)) text += String.fromCharCode(byte);
  return text;
}
