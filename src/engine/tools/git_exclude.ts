// If sandpiper is killed during a write, a temporary file remains in the workspace until the next session. git does not show it:
// the file info/exclude of the repository, which is not part of any commit, names it.
import { join } from "@std/path";
import { isInside, type Policy } from "../../core/policy.ts";
import { attempt } from "../../core/support/attempt.ts";
import { findRepository } from "../../core/support/git_repository.ts";
import { entryAt } from "../../core/support/on_disk.ts";
import { deviceOf } from "../../sandbox/git/outer_repository.ts";
import { repositoriesBelow } from "../../sandbox/git/paths.ts";
import { bestHolder, type HeldDirectory } from "../../sandbox/names/held_directory.ts";
import { disk } from "../../sandbox/system/disk.ts";

/** Matches what `temporaryName` gives. */
const PATTERN = ".sandpiper-*.tmp";
const LINES = `# sandpiper: temporary files\n${PATTERN}\n`;
/** A longer file is left as it is; bytes. */
const MAX_BYTES = 1024 * 1024;
/** Directories between `modules` and a submodule's repository. */
const MAX_DEPTH = 4;
const NEWLINE = 10;
const GROUP_WRITE = 0o020;

/**
 * Adds the pattern of temporary files to `info/exclude` of the repositories around the write scopes of a policy and of their
 * submodules, once. Must be called before a command runs: for a running command the file is protected. Never throws. It changes
 * nothing in a repository of another user, through a link, or if this process cannot hold a directory.
 */
export function excludeTemporaryFiles(policy: Policy): void {
  // The files of a private copy are removed with the copy.
  if (policy.copyOf !== undefined || Deno.permissions.querySync({ name: "write" }).state !== "granted") return;
  if (bestHolder().whyReadOnly !== undefined) return;
  for (const repository of repositoriesOf(policy)) attempt(() => addPattern(repository)); // Read-only, or a full disk.
}

/** Real paths of the repositories of the write scopes, with their submodules. */
function repositoriesOf({ root, write, tmp, cache }: Policy): ReadonlySet<string> {
  const granted = write.list.filter((path) => path === root || ![tmp, cache].some((folder) => isInside(path, folder)));
  const starts = new Set(write.all ? [root] : granted.map((path) => isInside(path, root) ? root : path));
  const view = { ...disk, deviceOf };
  const found = [...starts].flatMap((start) => findRepository(start, view)?.common ?? []);
  return new Set(found.flatMap((common) => [common, ...repositoriesBelow(join(common, "modules"), disk, MAX_DEPTH)]));
}

function addPattern(repository: string): void {
  using held = bestHolder().hold(repository, "");
  const { uid, mode } = Deno.statSync(held.pathOf("."));
  if (uid !== Deno.uid()) return;
  // In a repository that a group shares, a new file would need the group's mode.
  const canCreate = ((mode ?? 0) & GROUP_WRITE) === 0;
  if (isMissing(held, "info")) {
    if (!canCreate) return;
    Deno.mkdirSync(held.pathOf("info"));
  }
  using info = bestHolder().hold(repository, "info");
  if (isMissing(info, "exclude")) {
    if (!canCreate) return;
    Deno.openSync(info.pathOf("exclude"), { append: true, createNew: true }).close();
  }
  if (!hasPattern(info)) append(info);
}

function isMissing(directory: HeldDirectory, name: string): boolean {
  return entryAt(directory.pathOf(name)) === undefined;
}

function hasPattern(info: HeldDirectory): boolean {
  using file = info.openRegular("exclude", { read: true });
  return textOf(file)?.split(/\r?\n/).includes(PATTERN) ?? true;
}

function append(info: HeldDirectory): void {
  using file = info.openRegular("exclude", { read: true, append: true });
  const { uid, nlink } = file.statSync();
  // Another name of the file can be anywhere. Another sandpiper that has the lock adds the lines itself.
  if (uid !== Deno.uid() || nlink !== 1 || !file.tryLockSync(true)) return;
  const text = textOf(file);
  if (text === undefined || text.split(/\r?\n/).includes(PATTERN)) return;
  const { size } = file.statSync();
  const lines = text === "" || text.charCodeAt(text.length - 1) === NEWLINE ? LINES : `\n${LINES}`;
  const bytes = new TextEncoder().encode(lines);
  // One call, so that no other program writes in between.
  if (attempt(() => file.writeSync(bytes)) !== bytes.length) file.truncateSync(size);
}

/** The bytes of a file as characters, from its start; undefined if it is too long. */
function textOf(file: Deno.FsFile): string | undefined {
  const { size } = file.statSync();
  if (size > MAX_BYTES) return undefined;
  const bytes = new Uint8Array(size);
  file.seekSync(0, Deno.SeekMode.Start);
  let length = 0;
  for (let count = 0; length < size && (count = file.readSync(bytes.subarray(length)) ?? 0) > 0;) length += count;
  return new TextDecoder("latin1").decode(bytes.subarray(0, length));
}
