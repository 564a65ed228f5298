/**
 * Temporary folders of tests in memory: on a disk a third of the processor time of tests with many files went into finding
 * numbers for new files, past those of the files that were removed a moment ago (ext4 keeps these apart for minutes).
 */

/** Of one test process, mebibytes; only what is written takes memory. */
const MOST_MB = 1024;
/** Below this all memory is for the tests themselves, mebibytes. */
const LEAST_FREE_MB = 6_144;

/** Starts what follows with a file system in memory over the folder `$0`, which nobody else sees and which ends with it. */
const MOUNT = `mount -t tmpfs -o size=${MOST_MB}m,mode=1777 sandpiper-tests "$0" && exec "$@"`;

/** A folder that is in memory for one process and what it starts. */
export interface MemoryFolder extends Disposable {
  /** What stands before the process's own command line. */
  readonly prefix: readonly string[];
  /** In which the process's temporary folders are made. */
  readonly env: Readonly<Record<string, string>>;
}

/** Such a folder, or undefined where this user may not mount one, where memory is short, and where the disk is asked for. */
export function openMemoryFolder(): MemoryFolder | undefined {
  if (!canMount()) return undefined;
  const folder = Deno.makeTempDirSync({ prefix: "sp-" });
  return {
    prefix: [...PREFIX, folder],
    env: { TMPDIR: folder },
    // What is mounted there is mounted for others; here it is empty.
    [Symbol.dispose]: () => Deno.removeSync(folder),
  };
}

const PREFIX: readonly string[] = ["unshare", "--mount", "sh", "-c", MOUNT];

let mountable: boolean | undefined;

/** Asked once: a mount namespace of root's own, so nobody's claims change with another user or other namespaces. */
function canMount(): boolean {
  return mountable ??= Deno.build.os === "linux" && Deno.uid() === 0 &&
    Deno.systemMemoryInfo().available >= LEAST_FREE_MB * 2 ** 20 && succeeds();
}

function succeeds(): boolean {
  const folder = Deno.makeTempDirSync({ prefix: "sp-" });
  try {
    const [program = "", ...args] = [...PREFIX, folder, "true"];
    return new Deno.Command(program, { args, stdin: "null", stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    return false; // There is no such program.
  } finally {
    Deno.removeSync(folder);
  }
}
