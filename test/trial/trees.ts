// Trees of files with names of any bytes, made and changed at random.
import { dirname, join, normalize } from "@std/path";
import { bytesOf, byteString, KIND, type Tree } from "../../src/core/support/tree.ts";
import { openFolderTree } from "../../src/sandbox/system/tree.ts";
import { sha256 } from "../../src/core/support/digest.ts";
import { applyPlan } from "../../src/trial/apply.ts";
import { applyJournal, journalBytes } from "../../src/trial/apply_journal.ts";
import { namesIn } from "../../src/trial/folders.ts";
import type { Wanted } from "../../src/trial/plan.ts";

export type Random = (below: number) => number;

/** mulberry32 */
export function randomOf(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
}

/** Names as byte strings: spaces, newlines, quotes, what is no UTF-8. */
const NAMES = [
  "a",
  "b.ts",
  "c d",
  "\xc3\xbc",
  "sub",
  "deep",
  "n\nl",
  'q"t',
  "\xff\xfe",
  "t\tb",
  "b\\s",
  " lead",
  "trail ",
];
const MODES = [0o644, 0o755, 0o600, 0o700, 0o444, 0o640];

export function treeAt(path: string): Tree {
  const tree = openFolderTree(path);
  if (tree === undefined) throw new Error(`no tree at ${path}`);
  return tree;
}

/** Leaves a workspace with `a.txt` and `b.txt` as an application of a patch does that is killed after two of its three files. */
export function cutOffApply(ws: string, home: string): void {
  const tree = treeAt(ws);
  const file = (text: string): Wanted => ({ kind: "file", bytes: new TextEncoder().encode(text), mode: 0o644 });
  const wanted = new Map([["a.txt", file("new a\n")], ["made.txt", file("made\n")], ["b.txt", file("new b\n")]]);
  const folder = `${home}/.sandpiper/agent/apply`;
  Deno.mkdirSync(folder, { recursive: true });
  Deno.writeFileSync(
    `${folder}/${sha256(tree.root).slice(0, 32)}.journal`,
    journalBytes(applyJournal(tree, wanted, ".half.tmp")),
  );
  wanted.delete("b.txt");
  const failure = applyPlan(tree, wanted, 0o022);
  tree.close();
  if (failure !== undefined) throw new Error(failure.why);
}

/** Files and links as git can know them: kind, whether it can be run, content. Folders count by what is in them. */
export function snapshot(tree: Tree): Readonly<Record<string, string>> {
  const found: [string, string][] = [];
  for (const path of paths(tree)) {
    const status = tree.status(path);
    const kind = (status?.mode ?? 0) >> 12;
    if (kind === KIND.link) found.push([path, `link ${tree.readLink(path)}`]);
    if (kind !== KIND.file) continue;
    const bytes = tree.read(path, 1e9)?.bytes;
    found.push([path, `${((status?.mode ?? 0) & 0o100) === 0 ? "file" : "program"} ${bytes && byteString(bytes)}`]);
  }
  return Object.fromEntries(found.sort(([a], [b]) => a < b ? -1 : 1));
}

/** In an order of their own: each kind of disk gives names in another one, and a seed must mean the same on all. */
function* paths(tree: Tree, folder = ""): Generator<string> {
  for (const name of namesIn(tree, folder).sort()) {
    const path = folder === "" ? name : `${folder}/${name}`;
    yield path;
    if ((tree.status(path)?.mode ?? 0) >> 12 === KIND.folder) yield* paths(tree, path);
  }
}

/** Whether a path of a snapshot is a link that leads back to itself, over other links or at once. */
export function isEndless(shot: Readonly<Record<string, string>>, path: string): boolean {
  const seen = new Set<string>();
  for (let at = path; !seen.has(at);) {
    seen.add(at);
    const [, target] = /^link ([^]*)$/.exec(shot[at] ?? "") ?? [];
    if (target === undefined || target.startsWith("/")) return false;
    at = normalize(join(dirname(at), target));
  }
  return true;
}

/** Does some things to a tree; what the system refuses is not done. */
export function change(tree: Tree, random: Random, times: number): void {
  for (let count = 0; count < times; count++) {
    try {
      act(tree, random);
    } catch {
      // It was refused.
    }
  }
}

function act(tree: Tree, random: Random): void {
  const pick = <T>(list: readonly T[], other: T): T => list[random(list.length)] ?? other;
  const all = [...paths(tree)];
  const of = (kind: number): string[] => all.filter((path) => (tree.status(path)?.mode ?? 0) >> 12 === kind);
  const folder = pick(["", ...of(KIND.folder)], "");
  const name = pick(NAMES, "a");
  const fresh = folder === "" ? name : `${folder}/${name}`;
  const file = pick(of(KIND.file), fresh);
  const any = pick(all, fresh);
  const old = byteString(tree.read(file, 1e9)?.bytes ?? new Uint8Array());
  const put = (path: string, text: string): void => tree.putFile(path, bytesOf(text), pick(MODES, 0o644));
  switch (random(12)) {
    case 0:
      return put(fresh, textOf(random));
    case 1:
      return put(file, textOf(random));
    case 2:
      return put(file, old + (random(2) ? "more\n" : "more without end"));
    case 3: {
      const lines = old.split("\n");
      lines.splice(random(lines.length), random(4), ...(random(2) ? [`line ${random(9)}`] : []));
      return put(file, lines.join("\n"));
    }
    case 4:
      return put(file, `${old.slice(0, random(20))}\0${random(99)}`);
    case 5:
      return tree.putLink(fresh, pick(["a", "./b.ts", "/etc/passwd", "no where", "\xff", "sub/deep"], "a"));
    case 6:
      return tree.setMode(file, pick(MODES, 0o644));
    case 7:
      return removeAll(tree, any);
    case 8:
      return move(tree, any, fresh);
    case 9:
      removeAll(tree, any);
      return tree.makeFolder(any, 0o755);
    case 10:
      removeAll(tree, any);
      return put(any, textOf(random));
    default:
      return tree.makeFolder(fresh, 0o755);
  }
}

/** Lines of few kinds, so that hunks fit in several places; sometimes no newline at the end, sometimes no text at all. */
function textOf(random: Random): string {
  if (random(8) === 0) return "";
  if (random(8) === 0) return `\0\x01${String.fromCharCode(random(256)).repeat(random(300))}`;
  const lines = Array.from({ length: random(30) }, () => `line ${random(6)}${random(9) === 0 ? "\r" : ""}`);
  return lines.join("\n") + (random(3) ? "\n" : "");
}

function removeAll(tree: Tree, path: string): void {
  const isFolder = (tree.status(path)?.mode ?? 0) >> 12 === KIND.folder;
  if (isFolder) { for (const name of namesIn(tree, path)) removeAll(tree, `${path}/${name}`); }
  tree.remove(path, isFolder);
}

function move(tree: Tree, from: string, to: string): void {
  if (to === from || to.startsWith(`${from}/`) || tree.status(to) !== undefined) return;
  const status = tree.status(from);
  if (status === undefined) return;
  switch (status.mode >> 12) {
    case KIND.folder:
      tree.makeFolder(to, 0o755);
      for (const name of namesIn(tree, from)) move(tree, `${from}/${name}`, `${to}/${name}`);
      return tree.remove(from, true);
    case KIND.link:
      tree.putLink(to, tree.readLink(from) ?? "a");
      return tree.remove(from, false);
    default:
      tree.putFile(to, tree.read(from, 1e9)?.bytes ?? new Uint8Array(), status.mode & 0o777);
      tree.remove(from, false);
  }
}
