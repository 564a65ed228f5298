// Contents that a repository has in the place of a copy, read back. Loaded where a file changed, or is put back, that it has.
import { dirname } from "@std/path";
import { openPack } from "../../changes/pack.ts";
import { isContent } from "../../changes/restore.ts";
import { UserError } from "../../core/error.ts";
import { isInside } from "../../core/policy.ts";
import { ifThere } from "../../core/support/attempt.ts";
import { bytePath, type Tree } from "../../core/support/tree.ts";
import { findGit, openHostGit } from "../../sandbox/git_layer/host_git.ts";
import { disk } from "../../sandbox/system/disk.ts";

/** Objects that are asked for at once. */
const BATCH_BYTES = 32 * 1024 * 1024;

/**
 * Reads objects of the repositories at the top of some trees, given with the paths of their files; only what is as it should be.
 * One that would make them more than `mostBytes` in all is left out.
 */
export async function fetchObjects(
  contents: ReadonlyMap<string, string>,
  trees: readonly Tree[],
  mostBytes = Infinity,
): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> {
  const found = new Map<string, Uint8Array<ArrayBuffer>>();
  await visitObjects(contents, trees, mostBytes, (content, blob) => void found.set(content, blob));
  return found;
}

/**
 * The same, all of them, put aside in a file at `path` that is removed at the end: memory holds one batch, then one content at
 * a time. Throws UserError where there is no room for them.
 */
export async function spillObjects(
  contents: ReadonlyMap<string, string>,
  trees: readonly Tree[],
  path: string,
): Promise<Disposable & { readonly get: (content: string) => Uint8Array<ArrayBuffer> | undefined }> {
  const clear = (): void => ifThere(() => Deno.removeSync(path));
  clear();
  const pack = openPack(path, Infinity);
  const numbers = new Map<string, number>();
  const close = (): void => {
    try {
      pack.close();
    } finally {
      clear();
    }
  };
  try {
    await visitObjects(contents, trees, Infinity, (content, blob) => {
      const number = pack.add(blob);
      if (number === undefined) throw noRoom(path);
      numbers.set(content, number);
    });
  } catch (error) {
    close();
    throw error;
  }
  return {
    get(content) {
      const number = numbers.get(content);
      return number === undefined ? undefined : pack.read(number);
    },
    [Symbol.dispose]: close,
  };
}

function noRoom(path: string): UserError {
  return new UserError({
    what: "Cannot put files back",
    why: `there is no room at ${dirname(path)} for what git has of them`,
    fix: "Make room there and try again; nothing was changed",
  });
}

async function visitObjects(
  contents: ReadonlyMap<string, string>,
  trees: readonly Tree[],
  mostBytes: number,
  take: (content: string, blob: Uint8Array<ArrayBuffer>) => void,
): Promise<void> {
  const program = findGit(disk.realPath);
  if (program === undefined) return;
  const git = openHostGit(program);
  let left = mostBytes;
  for (const { root } of trees) {
    const prefix = bytePath(root);
    const names = [...contents].filter(([, path]) => isInside(path, prefix)).map(([content]) => content.slice(4));
    for (let at = 0; at < names.length;) {
      // Sizes first: what is said at once has a bound.
      const some = names.slice(at, at + 4096);
      const { output } = await git(`${root}/.git`, ["cat-file", "--batch-check"], some.join("\n") + "\n");
      const sizes = output.split("\n").map((line) => Number(/ blob (\d+)$/.exec(line)?.[1] ?? NaN));
      let bytes = 0;
      const asked: string[] = [];
      const there: string[] = [];
      while (asked.length < some.length && (asked.length === 0 || bytes < BATCH_BYTES)) {
        const [name = "", size = NaN] = [some[asked.length], sizes[asked.length]];
        asked.push(name);
        if (!(size <= left)) continue;
        [bytes, left] = [bytes + size, left - size];
        there.push(name);
      }
      if (there.length > 0) {
        const said = await git(`${root}/.git`, ["cat-file", "--batch"], there.join("\n") + "\n");
        for (const [name, blob] of objectsIn(said.bytes)) {
          const content = `git:${name}`;
          if (isContent(blob, content)) take(content, blob);
        }
      }
      at += asked.length;
    }
  }
}

/** The objects in what `git cat-file --batch` says: a line with name, kind and size, the bytes, a newline. */
function* objectsIn(said: Uint8Array): Generator<[name: string, blob: Uint8Array<ArrayBuffer>]> {
  for (let at = 0; at < said.length;) {
    const end = said.indexOf(10, at);
    const [name = "", kind, size] = new TextDecoder().decode(said.subarray(at, end)).split(" ");
    const length = Number(size);
    if (end < 0 || kind !== "blob" || !Number.isFinite(length)) return;
    yield [name, Uint8Array.from(said.subarray(end + 1, end + 1 + length))];
    at = end + 1 + length + 1;
  }
}
