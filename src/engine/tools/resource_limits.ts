import { UserError } from "../../core/error.ts";
import { once } from "../../core/support/once.ts";
import { readProc } from "../../sandbox/system/procfs.ts";

/** Open files that one call with everything around it needs. */
const MIN_OPEN_FILES = 64;
/** Bytes of the largest file that this program writes at its start. */
const MIN_FILE_BYTES = 1024 * 1024;

/** A limit of the process: its name in /proc/self/limits, what `ulimit` calls it, and the least value that works. */
const LIMITS = [
  { name: "Max open files", option: "-n", min: MIN_OPEN_FILES, show: (value: number) => `${value} open files` },
  { name: "Max file size", option: "-f", min: MIN_FILE_BYTES, show: (value: number) => `files of ${value} bytes` },
] as const;

/**
 * Throws UserError if limits of this process (`ulimit`) leave no room for a session. With a limit for the size of files, a
 * write beyond it is an error from here on: the kernel would end the process.
 *
 * @param limits the text of /proc/self/limits; "" where there is none
 */
export function requireResources(limits: string = readProc("/proc/self/limits") ?? ""): void {
  const low = LIMITS.flatMap(({ name, option, min, show }) => {
    const value = softLimit(limits, name);
    return value === undefined || value >= min ? [] : [{ option, why: `${show(value)} (at least ${min} are needed)` }];
  });
  if (low.length > 0) {
    throw new UserError({
      what: "The limits of this process are too low",
      why: `it may have ${low.map(({ why }) => why).join(" and ")}`,
      fix: `Raise them before you start it: ${low.map(({ option }) => `ulimit ${option} unlimited`).join("; ")}`,
    });
  }
  if (softLimit(limits, "Max file size") !== undefined) surviveFileLimit();
}

/** The soft limit of that name; undefined if there is none. */
function softLimit(limits: string, name: string): number | undefined {
  const [, soft] = new RegExp(`^${name} +(\\S+)`, "m").exec(limits) ?? [];
  return soft === undefined || soft === "unlimited" ? undefined : Number(soft);
}

const surviveFileLimit = once(() => Deno.addSignalListener("SIGXFSZ", () => {}));
