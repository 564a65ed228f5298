// What the journal of changes costs, in a process of its own: looks at trees of two sizes, the pack, and undo.
// libc is open before the first look, as in a session, where Landlock is asked for first. Words: the folder to work in; or that and a tree, for one first look at it. Prints one JSON object.
import { createPace } from "../../../src/changes/pace.ts";
import { openJournalFile } from "../../../src/changes/journal_file.ts";
import { openPack } from "../../../src/changes/pack.ts";
import { openRecorder } from "../../../src/changes/recorder.ts";
import { emptyTable, type Folder, look, type LookSums } from "../../../src/changes/table.ts";
import { undo } from "../../../src/changes/undo.ts";
import { fileTimeMs } from "../../../src/sandbox/system/file_clock.ts";
import { systemCall } from "../../../src/sandbox/system/ffi.ts";
import { openFolderTree } from "../../../src/sandbox/system/tree.ts";

const [work = "", only] = Deno.args;
const LIMITS = { depth: 64, entries: 10_000_000, maxFileBytes: 8_000_000, lineBytes: 32_000_000 };

/** Folders of ten files, a hundred of those in one. */
function makeTree(root: string, files: number, bytes: number): void {
  const text = "x".repeat(bytes - 8);
  for (let folder = 0; folder < files / 10; folder++) {
    const path = `${root}/part${Math.floor(folder / 100)}/folder${folder}`;
    Deno.mkdirSync(path, { recursive: true });
    for (let file = 0; file < 10; file++) {
      Deno.writeTextFileSync(`${path}/file_number_${file}.ts`, `${String(folder * 10 + file).padStart(7)}\n${text}`);
    }
  }
}

/** Processor time of this thread, milliseconds; clock_gettime(2). */
function threadMs(): number {
  systemCall("clock_gettime", CLOCK_THREAD_CPUTIME_ID, time);
  return Number(time[0]) * 1_000 + Number(time[1]) / 1e6;
}
const CLOCK_THREAD_CPUTIME_ID = 3;
const time = new BigUint64Array(2);

/** One whole look; the longest step of it, milliseconds. */
function lookAt(
  root: string,
  top: Folder,
): { readonly ms: number; readonly threadMs: number; readonly longestMs: number } {
  const tree = openFolderTree(root);
  if (tree === undefined) throw new Error(`${root} is no folder`);
  const sums: LookSums = { entries: 0, ignored: 0, unseen: [], temporary: [] };
  const threadBegin = threadMs();
  const begin = performance.now();
  let longestMs = 0;
  let last = begin;
  for (const _ of look(tree, top, { limits: LIMITS, isKept: () => true, tell: () => {}, sums, now: Date.now })) {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - last);
    last = now;
  }
  tree.close();
  return { ms: performance.now() - begin, threadMs: threadMs() - threadBegin, longestMs };
}

function measureLook(root: string): Record<string, number> {
  const top = emptyTable();
  const before = memory();
  const first = lookAt(root, top);
  const bytes = memory() - before;
  for (let round = 0; round < 3; round++) lookAt(root, top);
  const again = [1, 2, 3, 4, 5].map(() => lookAt(root, top)).sort((a, b) => a.ms - b.ms)[2] ?? first;
  return { againMs: again.ms, stepMs: Math.max(first.longestMs, again.longestMs), bytes };
}

function memory(): number {
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

// A first look is one of a process: whoever wants several starts several.
if (only !== undefined) {
  const { ms, threadMs } = lookAt(only, emptyTable());
  console.log(JSON.stringify({ ms, threadMs }));
  Deno.exit();
}
const results: Record<string, unknown> = {};
for (const files of [10_000, 100_000]) {
  const root = `${work}/tree${files}`;
  makeTree(root, files, 20);
  // What was changed a moment ago is read again by the next look.
  await new Promise((resolve) => setTimeout(resolve, 100));
  results[String(files)] = measureLook(root);
}

const contents = Array.from({ length: 1000 }, (_, at) => new TextEncoder().encode(String(at).padEnd(5000, "y")));
const begin = performance.now();
const packed = openPack(`${work}/pack`, 1e9);
for (const bytes of contents) packed.add(bytes);
packed.close();
results["packMs"] = performance.now() - begin;

// A thousand files of 5 KB, each changed by a call; then undone.
const root = `${work}/undo`;
makeTree(root, 1000, 5000);
const tree = openFolderTree(root);
if (tree === undefined) throw new Error("no tree");
const scopes = [{ tree, isKept: () => true }];
const journal = openJournalFile(`${work}/journal.jsonl`, { session: "s", root });
const pack = openPack(`${work}/undo.pack`, 1e9);
const fetch = () => Promise.resolve(new Map());
const recorder = openRecorder({
  root,
  scopes: () => scopes,
  journal,
  pack,
  limits: LIMITS,
  pace: createPace(() => performance.now(), () => new Promise((resolve) => setTimeout(resolve, 0))),
  known: () => undefined,
  fetch,
  now: Date.now,
  fileTimeMs,
  isLeft: () => false,
  tell: () => {},
  onFailure: (why) => {
    throw new Error(why);
  },
});
recorder.lookSoon();
await recorder.settle();
recorder.runStarts();
recorder.prompt("entry");
await recorder.callStarts({ toolCallId: "call", toolName: "bash" }, {
  isBackground: false,
  until: new AbortController().signal,
});
for (const part of Deno.readDirSync(root)) {
  for (const folder of Deno.readDirSync(`${root}/${part.name}`)) {
    const path = `${root}/${part.name}/${folder.name}`;
    for (const { name } of Deno.readDirSync(path)) {
      Deno.writeTextFileSync(`${path}/${name}`, "changed\n", { append: true });
    }
  }
}
recorder.callEnds("call");
await recorder.runEnds();
const parts = {
  maxFileBytes: LIMITS.maxFileBytes,
  root,
  journal,
  pack,
  scopes,
  fetch,
  textOf: () => "",
  pathTo: () => [],
  now: Date.now,
};
const undoing = performance.now();
const { outcome } = await undo(parts, {});
results["undoMs"] = performance.now() - undoing;
results["undone"] = outcome.steps.length;
// What a turn costs the program's own thread in which nothing but reading was called: the events of one call and its request.
const turns = 1000;
const reading = performance.now();
for (let turn = 0; turn < turns; turn++) {
  recorder.callEnds(`read${turn}`);
  recorder.lookSoon();
}
results["readTurnMs"] = (performance.now() - reading) / turns;
await recorder.close();
journal.close();
pack.close();
console.log(JSON.stringify(results));
