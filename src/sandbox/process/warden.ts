// At level kernel nothing but their environment tells whose processes a command left behind. Their host ends them; when it
// is killed itself, a small process that waits beside it does, as soon as the pipe between the two breaks.
import { SESSION_VARIABLE } from "./leftovers.ts";
import { canWalk, keepProcess } from "./tree.ts";

/**
 * Ends what bears the mark of a session (`$1`), when standard input ends without a word.
 *
 * Each is stopped before it is looked at once more and ended: what stands still cannot be another that took its number.
 * Builtins alone, so that nothing has to be found or started at that moment.
 */
const SCRIPT = `
trap '' HUP INT TERM PIPE
IFS= read -r word && exit 0
belongs() {
  [[ -O /proc/$1/environ ]] || return 1
  local variable
  while IFS= read -r -d '' variable; do [[ $variable == "$mark" ]] && return 0; done
  return 1
} 2>/dev/null < "/proc/$1/environ"
mark=$1
for ((round = 0; round < 50; round++)); do
  found=0
  for folder in /proc/[0-9]*; do
    pid=\${folder#/proc/}
    belongs "$pid" || continue
    kill -STOP "$pid" || continue
    if belongs "$pid"; then kill -KILL "$pid" && found=1; else kill -CONT "$pid"; fi
  done 2>/dev/null
  ((found)) || exit 0
done
`;

/** Waits beside this process for as long as commands may run. */
export interface Warden {
  /** Nothing is to be ended any more: this process did it. */
  readonly close: () => Promise<void>;
}

/** Starts the warden of a session; undefined where none can be had, and what is left is ended at the next start. */
export function openWarden(session: string): Warden | undefined {
  if (!canWalk()) return undefined;
  let child: Deno.ChildProcess;
  try {
    // The mark stands among its arguments, and only an environment counts: it never meets itself.
    const args = ["--noprofile", "--norc", "-c", SCRIPT, "sandpiper-warden", `${SESSION_VARIABLE}=${session}`];
    const streams = { stdin: "piped", stdout: "null", stderr: "null", detached: true } as const;
    child = new Deno.Command("/bin/bash", { args, clearEnv: true, cwd: "/", ...streams }).spawn();
  } catch {
    return undefined;
  }
  keepProcess(child);
  const writer = child.stdin.getWriter();
  // It has ended: the session's record is there still.
  writer.closed.catch(() => {});
  return {
    close: async () => {
      await writer.write(new TextEncoder().encode("done\n")).catch(() => {});
      await writer.close().catch(() => {});
      await child.status;
    },
  };
}
