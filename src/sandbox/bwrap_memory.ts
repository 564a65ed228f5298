import { dirname } from "@std/path";
import { sha256 } from "../core/digest.ts";

/** What the answer depends on: another bwrap, boot, user or setting of namespaces asks again. */
const SETTINGS = [
  "/proc/sys/kernel/random/boot_id",
  "/proc/sys/user/max_user_namespaces",
  "/proc/sys/kernel/unprivileged_userns_clone",
  "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
];

/**
 * Whether bwrap worked when it was tried last under the same circumstances; trying costs 8 ms of every start.
 *
 * Only a yes is remembered, and a wrong yes is no danger: a bwrap that does not work starts nothing. Tools cannot write
 * the file, which lies in the program's own cache.
 */
export function knownToWork(file: string, bwrap: string): boolean {
  try {
    return Deno.readTextFileSync(file) === circumstances(bwrap);
  } catch {
    return false;
  }
}

/** Remembers that bwrap works; a cache that cannot be written remembers nothing. */
export function rememberWorking(file: string, bwrap: string): void {
  try {
    Deno.mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    Deno.writeTextFileSync(file, circumstances(bwrap), { mode: 0o600 });
  } catch {
    // Asked again at the next start.
  }
}

function circumstances(bwrap: string): string {
  const { mtime, size, ino } = Deno.statSync(bwrap);
  const settings = SETTINGS.map((path) => {
    try {
      return Deno.readTextFileSync(path);
    } catch {
      return "";
    }
  });
  return sha256(JSON.stringify([bwrap, mtime?.getTime(), size, ino, Deno.uid(), ...settings]));
}
