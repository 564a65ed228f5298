import type { FsStat } from "just-bash";
import { basename, dirname } from "@std/path";
import type { Policy } from "../../core/policy.ts";

/** The folders in which the shell's commands seem to lie. */
const COMMAND_FOLDERS = ["/bin", "/usr/bin"];

/** What scripts expect of a system. What is written there goes nowhere, and reading finds nothing. */
const DEVICES = ["/dev/null", "/dev/zero", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"];

/** Refuses every byte for want of space: programs are tried with it. */
export const FULL_DEVICE = "/dev/full";

/** Paths that only the shell has: nothing of them is on the disk. */
export interface OwnFiles {
  /** Undefined for a path that is not one of these. */
  stat(path: string): FsStat | undefined;
  isDevice(path: string): boolean;
  /** The names in a folder of commands; undefined for any other folder. */
  names(folder: string): string[] | undefined;
}

/**
 * The own files of a shell with these commands.
 *
 * The folders above the policy's are among them: that they are there its paths say already, and `cd` asks for each. What
 * else is in them is not told.
 */
export function ownFiles(commands: ReadonlySet<string>, { read }: Pick<Policy, "read">): OwnFiles {
  const above = new Set(read.list.flatMap(foldersAbove));
  const entry = { isFile: true, isDirectory: false, isSymbolicLink: false, size: 0, mtime: new Date(0) };
  return {
    stat(path) {
      if (COMMAND_FOLDERS.includes(path) || above.has(path)) {
        return { ...entry, isFile: false, isDirectory: true, mode: 0o755 };
      }
      if (DEVICES.includes(path) || path === FULL_DEVICE) return { ...entry, mode: 0o666 };
      const isCommand = COMMAND_FOLDERS.includes(dirname(path)) && commands.has(basename(path));
      return isCommand ? { ...entry, mode: 0o755 } : undefined;
    },
    isDevice: (path) => DEVICES.includes(path),
    names: (folder) => COMMAND_FOLDERS.includes(folder) ? [...commands].sort() : undefined,
  };
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}
