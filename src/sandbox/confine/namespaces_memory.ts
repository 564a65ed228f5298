import { dirname } from "@std/path";
import { NAMESPACE_SETTINGS } from "./namespace_settings.ts";
import { sha256 } from "../../core/support/digest.ts";
import { readProc, readProcLink } from "../system/procfs.ts";

/** What the answer depends on: another boot, user, container, filter or setting of namespaces asks again. */
const SETTINGS = [
  "/proc/sys/kernel/random/boot_id",
  ...NAMESPACE_SETTINGS.map(([path]) => path),
];
const PLACES = ["/proc/self/ns/user", "/proc/self/ns/mnt"];

/**
 * Whether a way to make namespaces worked when it was tried last under the same circumstances; trying costs some
 * milliseconds of every start. `way` tells it from others: the launcher by its digest, bwrap by `identityOfFile`.
 *
 * Only a yes is remembered, and a wrong yes is no danger: what does not work starts nothing. Tools cannot write the file,
 * which lies in the program's own cache.
 */
export function knownToWork(file: string, way: string): boolean {
  try {
    return Deno.readTextFileSync(file) === circumstances(way);
  } catch {
    return false;
  }
}

/** Remembers that a way works; a cache that cannot be written remembers nothing. */
export function rememberWorking(file: string, way: string): void {
  try {
    Deno.mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    Deno.writeTextFileSync(file, circumstances(way), { mode: 0o600 });
  } catch {
    // Asked again at the next start.
  }
}

/** A program's file as it is now. */
export function identityOfFile(path: string): string {
  const { mtime, size, ino } = Deno.statSync(path);
  return JSON.stringify([path, mtime?.getTime(), size, ino]);
}

function circumstances(way: string): string {
  const settings = SETTINGS.map((path) => {
    try {
      return Deno.readTextFileSync(path);
    } catch {
      return "";
    }
  });
  const filters = (readProc("/proc/self/status") ?? "").match(/^Seccomp.*$/gm);
  return sha256(JSON.stringify([way, Deno.uid(), ...settings, ...PLACES.map(readProcLink), filters]));
}
