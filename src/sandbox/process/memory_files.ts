// Memory that a process holds without mapping it: files of memfd_create(2), and deleted files of a tmpfs.
import { AT_FDCWD, cString, systemCall } from "../system/ffi.ts";
import { numbersIn, readProc } from "../system/procfs.ts";

/** File system of memfd_create(2) too; statfs(2). */
const TMPFS_MAGIC = 0x0102_1994n;

/** What a container may use, where it sees its own group alone: cgroups(7), version 2 and 1. */
const CONTAINER_LIMITS = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];

const linkBuffer = new Uint8Array(256);
const statBuffer = new Uint8Array(256);
const decoder = new TextDecoder();

/** Shared and tmpfs memory of the whole machine, bytes; 0 where that is not known. */
export function sharedMemoryOfMachine(): number {
  const match = /^Shmem:\s+(\d+)/m.exec(readProc("/proc/meminfo") ?? "");
  return match ? 1024 * Number(match[1]) : 0;
}

/** Bytes that programs could have at once, no more than a container has them; 0 where that is not known. */
export function freeMemory(): number {
  const available = /^MemAvailable:\s+(\d+)/m.exec(readProc("/proc/meminfo") ?? "")?.[1];
  const bounds = CONTAINER_LIMITS.flatMap((path) => /^\d+/.exec(readProc(path) ?? "") ?? []).map(Number);
  return Math.min(1024 * Number(available ?? 0), ...bounds);
}

/** Bytes that a folder in memory could still take; 0 for one that is not in memory. */
export function freeMemoryIn(folder: string): number {
  if (systemCall("statfs", cString(folder), statBuffer) !== 0) return 0;
  const view = new DataView(statBuffer.buffer);
  const word = (index: number): bigint => view.getBigUint64(8 * index, true);
  return word(0) === TMPFS_MAGIC ? Number(word(4) * word(1)) : 0;
}

/** Bytes in a folder of shared memory that these processes have to themselves, 0 where they have none (level kernel). */
export function folderMemory(pids: readonly number[]): number {
  const shared = statFolder("/dev/shm")?.identity;
  for (const pid of pids) {
    // The wrapper that stands first still sees the machine's own.
    const folder = statFolder(`/proc/${pid}/root/dev/shm`);
    if (folder && folder.identity !== shared) return folder.bytes;
  }
  return 0;
}

/** Bytes of all files below a folder in memory, while others write there; past so many names it is more than anything. */
export function memoryBelow(folder: string, mostNames: number): number {
  let bytes = 0;
  const folders = [folder];
  let names = 0;
  for (const path of folders) {
    for (const { name, isDirectory } of listOwn(path)) {
      if (++names > mostNames) return Number.MAX_SAFE_INTEGER;
      if (isDirectory) folders.push(`${path}/${name}`);
      else bytes += statFile(cString(`${path}/${name}`))?.bytes ?? 0;
    }
  }
  return bytes;
}

/** A folder of this user's, which may have closed it. */
function listOwn(path: string): Deno.DirEntry[] {
  for (const isClosed of [false, true]) {
    try {
      if (isClosed) Deno.chmodSync(path, 0o700);
      return [...Deno.readDirSync(path)];
    } catch {
      // It is closed, or gone.
    }
  }
  return [];
}

/** Bytes in memory files and deleted files that these processes hold open, each file once. */
export function fileMemory(pids: readonly number[]): number {
  const sizes = new Map<string, number>();
  for (const pid of pids) {
    for (const fd of numbersIn(`/proc/${pid}/fd`)) {
      const path = cString(`/proc/${pid}/fd/${fd}`);
      const link = readLink(path);
      if (!link.startsWith("/memfd:") && !link.endsWith(" (deleted)")) continue;
      const file = statFile(path);
      if (file) sizes.set(file.identity, file.bytes);
    }
  }
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}

function readLink(path: Uint8Array<ArrayBuffer>): string {
  const length = systemCall("readlinkat", AT_FDCWD, path, linkBuffer, linkBuffer.length);
  return length > 0 ? decoder.decode(linkBuffer.subarray(0, length)) : "";
}

/** struct stat has device, inode and blocks (of 512 bytes) in the same places on both architectures. */
function statFile(path: Uint8Array<ArrayBuffer>): { identity: string; bytes: number } | undefined {
  const view = new DataView(statBuffer.buffer);
  // A deleted file elsewhere takes up a disk, whether or not its file system has a device of its own (overlayfs, btrfs).
  if (systemCall("statfs", path, statBuffer) !== 0 || view.getBigUint64(0, true) !== TMPFS_MAGIC) return undefined;
  if (systemCall("newfstatat", AT_FDCWD, path, statBuffer) !== 0) return undefined;
  return {
    identity: `${view.getBigUint64(0, true)}:${view.getBigUint64(8, true)}`,
    bytes: 512 * Number(view.getBigInt64(64, true)),
  };
}

/** struct statfs is the same on both architectures. */
function statFolder(path: string): { readonly identity: bigint; readonly bytes: number } | undefined {
  if (systemCall("statfs", cString(path), statBuffer) !== 0) return undefined;
  const view = new DataView(statBuffer.buffer);
  const word = (index: number): bigint => view.getBigUint64(8 * index, true);
  return { identity: word(7), bytes: Number((word(2) - word(3)) * word(1)) };
}
