import { createHash } from "node:crypto";
import { dirname } from "@std/path";
import { openRegular, sliceOf } from "../files/file_slice.ts";
import type { GitIndex, IndexEntry } from "./index.ts";
import { lookAt } from "../files/look_at.ts";
import type { GitConfig } from "./state.ts";

/** Larger files are not read. */
const MOST_BYTES = 1024 * 1024;

const LINK = 0o120000;
const SUBMODULE = 0o160000;

/**
 * Whether a tracked file differs from the index; undefined where one might. Submodules are not looked into.
 *
 * Throws for what may not be read; `check` is called for each file and may throw.
 */
export function isWorktreeChanged(
  root: string,
  index: GitIndex,
  config: GitConfig,
  check: () => void,
): boolean | undefined {
  const folders = new Set(["."]);
  let unknown = false;
  for (const entry of index.entries) {
    check();
    if (entry.isSkipped || entry.mode === SUBMODULE) continue;
    if (!isReached(root, dirname(entry.path), folders)) return true;
    const changed = isChanged(`${root}/${entry.path}`, entry, index.writtenMs, config);
    if (changed) return true;
    unknown ||= changed === undefined;
  }
  return unknown ? undefined : false;
}

/** Whether real folders lead there: what lies behind a link is no tracked file, and may be outside of the checkout. */
function isReached(root: string, folder: string, known: Set<string>): boolean {
  if (known.has(folder)) return true;
  if (!isReached(root, dirname(folder), known)) return false;
  if (!lookAt(`${root}/${folder}`)?.isDirectory) return false;
  known.add(folder);
  return true;
}

function isChanged(path: string, entry: IndexEntry, writtenMs: number, config: GitConfig): boolean | undefined {
  const info = lookAt(path);
  if (!info) return true;
  const isLink = entry.mode === LINK;
  // A system without links has files in their place.
  if (isLink && info.isFile && !config.hasLinks) return undefined;
  if (isLink ? !info.isSymlink : !info.isFile) return true;
  const { size } = entry.stat;
  // With 0, git may also mean that it has not looked at the file yet.
  if (size !== 0 && size !== info.size % 2 ** 32) return true;
  if (!isLink && config.hasFileMode && isProgram(info.mode ?? 0) !== isProgram(entry.mode)) return true;
  if (isAsRecorded(info, entry, writtenMs, config)) return false;
  return isLink ? isOtherLink(path, entry) : isOtherContent(path, info, entry, config);
}

function isProgram(mode: number): boolean {
  return (mode & 0o100) !== 0;
}

/** Whether the file's data are those that the index has, and were taken safely before the index was written. */
function isAsRecorded(info: Deno.FileInfo, { stat }: IndexEntry, writtenMs: number, config: GitConfig): boolean {
  if (stat.size !== info.size % 2 ** 32 || !info.mtime) return false;
  const unitMs = stat.wholeSeconds ? 1000 : 1;
  const mtime = Math.floor(info.mtime.getTime() / unitMs);
  if (mtime !== Math.floor(stat.mtimeMs / unitMs) || mtime >= Math.floor(writtenMs / unitMs)) return false;
  if (!config.trustsInode) return true;
  const inode = (info.ino ?? 0) % 2 ** 32;
  const ctime = Math.floor((info.ctime?.getTime() ?? 0) / 1000);
  return (stat.inode === 0 || inode === 0 || inode === stat.inode) &&
    (stat.ctimeSeconds === 0 || ctime === 0 || ctime === stat.ctimeSeconds);
}

function isOtherLink(path: string, entry: IndexEntry): boolean | undefined {
  const target = Deno.readLinkSync(path);
  if (isBlob(new TextEncoder().encode(target), entry)) return false;
  return target.includes("\ufffd") ? undefined : true;
}

function isOtherContent(
  path: string,
  info: Deno.FileInfo,
  entry: IndexEntry,
  config: GitConfig,
): boolean | undefined {
  if (info.size > MOST_BYTES) return undefined;
  using file = openRegular(path);
  const content = sliceOf(file, 0, info.size);
  if (isBlob(content, entry)) return false;
  // What git stores may be made from the file: by filters, or by taking carriage returns away.
  return config.hasFilters || content.includes(13) ? undefined : true;
}

function isBlob(content: Uint8Array, { id }: IndexEntry): boolean {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest().equals(id);
}
