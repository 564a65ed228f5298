// Memory that a process holds without mapping it: files of memfd_create(2), and deleted files of a tmpfs.
import { AT_FDCWD, cString, systemCall } from "../system/ffi.ts";
import { numbersIn, readProc } from "../system/procfs.ts";

/** File system of memfd_create(2) too; statfs(2). */
const TMPFS_MAGIC = 0x0102_1994n;

const linkBuffer = new Uint8Array(256);
const statBuffer = new Uint8Array(256);
const decoder = new TextDecoder();

/** Shared and tmpfs memory of the whole machine, bytes; 0 where that is not known. */
export function sharedMemoryOfMachine(): number {
  const match = /^Shmem:\s+(\d+)/m.exec(readProc("/proc/meminfo") ?? "");
  return match ? 1024 * Number(match[1]) : 0;
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
