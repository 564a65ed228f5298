// Hosts that share a repository take turns: one at a time imports, or runs a command that makes commits, so that each commit builds
// on the last one. Nothing else depends on turns: a host that waited too long continues without one.
import { join } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";

/** How long a turn lasts, and how long a host waits for one, at most; milliseconds. */
const LIMITS = { turnMs: 3_000, patienceMs: 10_000 };
/** Between two attempts of the next host, and of one that has just come; milliseconds. */
const PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/** Whether a command probably makes commits: a script with another name may, too. */
export function makesCommits(argv: readonly string[]): boolean {
  const text = argv.join("\n");
  const at = text.search(/\bgit\b/);
  return at >= 0 && /\b(?:am|cherry-pick|commit|merge|pull|rebase|revert|stash)\b/.test(text.slice(at));
}

interface Turn {
  users: number;
  readonly begun: Promise<void>;
  end(): void;
}

/**
 * Returns a function that waits for this host's turn at a repository's directory and returns the function that ends it.
 * Commands of one host share its turn. The kernel ends the turn of a program that ends.
 */
export function openTurns(folder: string, { turnMs, patienceMs } = LIMITS): () => Promise<() => void> {
  let current: Turn | undefined;
  const newTurn = (): Turn => {
    let file: Deno.FsFile | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      file?.close();
      if (current === turn) current = undefined;
    };
    const wait = async (): Promise<void> => {
      const until = performance.now() + patienceMs;
      // Only the next host waits for the end of a turn: so the host whose turn ends cannot take it again before that one.
      // The longer a host waits to be the next one, the more often it tries.
      const pause = (left: number): number => Math.max(1, LONGEST_PAUSE_MS * (left / patienceMs) ** 2);
      const next = await lock(join(folder, "objects"), until, pause);
      try {
        file = next && await lock(folder, until, () => PAUSE_MS);
      } finally {
        next?.close();
      }
      if (file === undefined) end();
      else timer = setTimeout(end, turnMs);
    };
    const turn: Turn = { users: 0, begun: wait(), end };
    return turn;
  };
  return async () => {
    const turn = current ??= newTurn();
    turn.users++;
    let isUsed = true;
    const end = (): void => {
      if (isUsed && --turn.users === 0) turn.end();
      isUsed = false;
    };
    await turn.begun;
    return end;
  };
}

/** Locks a directory, flock(2); undefined if it cannot be locked, or if others kept it locked until then. */
async function lock(
  path: string,
  until: number,
  pause: (left: number) => number,
): Promise<Deno.FsFile | undefined> {
  const file = attempt(() => Deno.openSync(path));
  while (file !== undefined) {
    // It throws on a file system without such locks. Waiting in the kernel would block a thread that nothing can end.
    const isLocked = attempt(() => file.tryLockSync(true));
    if (isLocked === true) return file;
    const left = until - performance.now();
    if (isLocked === undefined || left < 0) break;
    await new Promise((resolve) => setTimeout(resolve, pause(left)));
  }
  file?.close();
  return undefined;
}
