// The host's own git, for what only git should write. It obeys nothing that a command could have made: no hook, no file system
// monitor, no replaced objects, no settings but those of the repository, which commands cannot write.
import { Buffer } from "node:buffer";
import { attempt } from "../../core/support/attempt.ts";
import { keepProcess } from "../process/tree.ts";
import { systemCall } from "../system/ffi.ts";

/** Folders where git may be; PATH is not asked, since a project can put itself there. */
const FOLDERS = ["/usr/bin", "/usr/local/bin", "/bin", "/run/current-system/sw/bin"];

/** No run of git takes as long on its own; what a command left behind may be made to. */
const DEADLINE_MS = 60_000;
/** How long one that is asked to end may take to remove its locks. */
const GRACE_MS = 2_000;
const RLIMIT_DATA = 2; // getrlimit(2)
/** Few bytes of a pack may stand for objects of any size. Mapped packs do not count. */
const MEMORY_BYTES = 2n * 1024n ** 3n;

const FIXED = [
  ...["core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false"],
  // Milliseconds. Other hosts and the user's git hold these locks for a moment each.
  ...["core.filesRefLockTimeout=5000", "core.packedRefsTimeout=5000"],
];

const ENVIRONMENT = {
  PATH: "/usr/bin:/bin",
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  // Nothing is fetched, wherever a repository says that missing objects are.
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_COMMITTER_NAME: "sandpiper",
  GIT_COMMITTER_EMAIL: "sandpiper@localhost",
};

/** What a run of git came to. */
export interface GitOutcome {
  readonly isDone: boolean;
  readonly output: string;
  /** The same as bytes. */
  readonly bytes: Uint8Array;
  /** What it said of why not, one line. */
  readonly why: string;
}

/** Runs git on a repository's folder. When `signal` aborts, git and what it started are ended, and the signal's reason is thrown. */
export type HostGit = (
  folder: string,
  args: readonly string[],
  input?: string | ReadableStream<Uint8Array<ArrayBuffer>>,
  variables?: Readonly<Record<string, string>>,
  signal?: AbortSignal,
) => Promise<GitOutcome>;

/** What git says at the most of what it is asked here, and of what is wrong. */
const LONGEST_OUTPUT = 64 * 1024 * 1024;
const LONGEST_ERRORS = 1024 * 1024;

/** The path of the host's git, or undefined. */
export function findGit(realPath: (path: string) => string | undefined): string | undefined {
  return FOLDERS.map((folder) => `${folder}/git`).find((path) => realPath(path) !== undefined);
}

/** Opens git at a path. */
export function openHostGit(program: string): HostGit {
  return async (folder, args, input = "", variables = {}, signal) => {
    signal?.throwIfAborted();
    const child = new Deno.Command(program, {
      args: [`--git-dir=${folder}`, ...FIXED.flatMap((setting) => ["-c", setting]), ...args],
      cwd: "/",
      clearEnv: true,
      env: { ...ENVIRONMENT, ...variables },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      detached: true,
    }).spawn();
    keepProcess(child);
    systemCall("prlimit64", child.pid, RLIMIT_DATA, new BigUint64Array([MEMORY_BYTES, MEMORY_BYTES]));
    const timers = [setTimeout(() => end(), DEADLINE_MS)];
    const end = (): void => {
      endGroup(child.pid, "SIGTERM");
      timers.push(setTimeout(() => endGroup(child.pid, "SIGKILL"), GRACE_MS));
    };
    signal?.addEventListener("abort", end);
    try {
      const text = typeof input === "string" ? new Blob([input]).stream() : input;
      // One that has ended reads no more.
      const written = text.pipeTo(child.stdin).catch(() => {});
      const [stdout, stderr, { success }] = await Promise.all([
        bounded(child.stdout, LONGEST_OUTPUT, end),
        bounded(child.stderr, LONGEST_ERRORS, end),
        child.status,
      ]);
      await written;
      signal?.throwIfAborted();
      const said = new TextDecoder().decode(stderr).trim().split("\n");
      return {
        isDone: success,
        output: new TextDecoder().decode(stdout),
        bytes: stdout,
        why: (said.find((line) => /^(?:fatal|error):/.test(line)) ?? said[0] ?? "").slice(0, 200),
      };
    } finally {
      signal?.removeEventListener("abort", end);
      timers.forEach(clearTimeout);
    }
  };
}

/** The first bytes of an output; git is ended by `end` when it says more. */
async function bounded(
  output: ReadableStream<Uint8Array<ArrayBuffer>>,
  most: number,
  end: () => void,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of output) {
    bytes += part.length;
    if (bytes > most) end();
    else parts.push(part);
  }
  return Buffer.concat(parts);
}

function endGroup(pid: number, signal: Deno.Signal): void {
  attempt(() => Deno.kill(-pid, signal)); // It ended in this moment.
}
