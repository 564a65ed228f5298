// Machines that lack what confining needs, made for one command: by a filter, by namespaces, by another file over bwrap.
import { FULL_PROGRAM, PROGRAM, type Program } from "../helpers/program.ts";
import { wordsWithout } from "./without_call.ts";

const BWRAP =
  'for b in /usr/bin/bwrap /usr/local/bin/bwrap /bin/bwrap; do [ -e $b ] && mount --bind "$0" $(realpath $b); done;';

/** Words before a command that take something away from the machine that it sees. */
export type Lack = (command: readonly string[]) => readonly string[];

/** A kernel, or a container, that answers every Landlock call with an errno. */
export function withoutLandlock(errno: number): Lack {
  return withoutCall(444, errno);
}

/** One that answers a system call with an errno. */
export function withoutCall(call: number, errno: number): Lack {
  return (command) => [...wordsWithout(call, errno), ...command];
}

/** A machine on which nobody may make another user namespace: unshare(2) and clone(2) answer ENOSPC. */
export const withoutUserNamespaces: Lack = (command) => [
  ...["unshare", "--user", "--map-root-user", "sh", "-c"],
  'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"',
  ...["sh", ...command],
];

/** One whose kernel, or a container, answers what the launcher makes mounts with by ENOSYS; bubblewrap has no need of it. */
export const withoutOwnNamespaces: Lack = withoutCall(442, 38);

/**
 * One on which nobody may make a user namespace at all, so that the level is kernel: in a root that is not the mount
 * namespace's own they are refused, to root as well; user_namespaces(7). Only root can make it.
 */
export const withoutNamespaces: Lack = (command) => [
  ...["unshare", "--mount", "sh", "-c"],
  'mount --rbind / /mnt && exec unshare --root=/mnt --wd="$PWD" -- "$@"',
  ...["sh", ...command],
];

/** One where another file stands in bwrap's place; /dev/null for none that could be started. Only root can make it. */
export function withBwrap(file: string): Lack {
  return (command) => ["unshare", "--mount", "sh", "-c", `${BWRAP} exec "$@"`, file, ...command];
}

/** What a program on such a machine left. */
export interface Left {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where and how the program runs; `source` is needed where the tools run in a worker. */
interface RunPlace {
  readonly cwd: string;
  readonly home: string;
  readonly cache?: string;
  readonly source?: Program;
}

/** Runs the program on a machine, in a folder. */
export async function onMachine(
  lacks: readonly Lack[],
  args: readonly string[],
  { cwd, home, cache, source = args.includes("permissions") ? FULL_PROGRAM : PROGRAM }: RunPlace,
): Promise<Left> {
  const [program = "", ...rest] = lacks.reduceRight(
    (command, lack) => lack(command),
    [...source.command, ...args] as readonly string[],
  );
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...rest],
    cwd,
    clearEnv: true,
    env: {
      PATH: `${Deno.env.get("PATH")}:/usr/sbin`,
      HOME: home,
      DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
      ...(cache === undefined ? {} : { XDG_CACHE_HOME: cache }),
    },
    stdin: "null",
  }).output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

/** Whether this machine lets namespaces be made and files be mounted over, so that others can be had. */
export function canMakeMachines(): boolean {
  try {
    const [program = "", ...args] = withBwrap("/dev/null")(["true"]);
    return Deno.build.os === "linux" && new Deno.Command(program, { args, stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}
