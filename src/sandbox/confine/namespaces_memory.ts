import { dirname } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import { sha256 } from "../../core/support/digest.ts";
import { readProc, readProcLink } from "../system/procfs.ts";

/** Settings of the system that refuse user namespaces, and what lifts that. */
export const NAMESPACE_SETTINGS: readonly (readonly [path: string, refuses: string, fix: string])[] = [
  ["/proc/sys/user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000 lets them be made"],
  [
    "/proc/sys/kernel/unprivileged_userns_clone",
    "0",
    "sysctl kernel.unprivileged_userns_clone=1 lets ordinary users make them",
  ],
  [
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "1",
    "AppArmor lets only programs with a profile of their own make them: give this one a profile with userns, or sysctl " +
    "kernel.apparmor_restrict_unprivileged_userns=0",
  ],
];

/** What a person can do about namespaces of the program's own that are refused. */
export function namespacesFix(hasBubblewrap: boolean): string {
  const causes = NAMESPACE_SETTINGS.filter(([path, refuses]) => readProc(path)?.trim() === refuses).map(([, , fix]) =>
    fix
  );
  const cause = causes.length > 0
    ? causes.join("; ")
    : "In a container, let it make user namespaces and mounts; elsewhere a kernel of 5.12 or later is needed";
  if (hasBubblewrap) return `Nothing has to be done: the level is kernel+. ${cause}`;
  return `${cause}. Or install the package bubblewrap, which some systems allow more; without either the level is kernel`;
}

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
  return attempt(() => Deno.readTextFileSync(file) === circumstances(way)) ?? false;
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
    return attempt(() => Deno.readTextFileSync(path)) ?? "";
  });
  const filters = (readProc("/proc/self/status") ?? "").match(/^Seccomp.*$/gm);
  return sha256(JSON.stringify([way, Deno.uid(), ...settings, ...PLACES.map(readProcLink), filters]));
}
