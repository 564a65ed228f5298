// A flood of processes must be seen in time, but in a flood this process waits for a processor. So a process of a few
// kilobytes watches, with real-time priority where the system allows it: the launcher in its other role
// (launcher/sentinel.h). When it sees a flood, it gives all threads of this process real-time priority and wakes it.
import { launcher, spawnConfined } from "../launcher/executable.ts";
import { encodeWatch } from "../launcher/frames.ts";
import type { Flood } from "../launcher/request.ts";
import { runInRealTime } from "./realtime_priority.ts";
import { canWalk, keepProcess } from "./tree.ts";

/** Looks for floods while it is told to. */
export interface Sentinel {
  /** From now on the machine's totals are compared with their values at this moment. */
  watch(): void;
  pause(): void;
  /** Resolves when its process is gone. */
  close(): Promise<void>;
}

/**
 * Starts the sentinel; undefined where there can be none.
 *
 * `onFlood` is called in real time where that is allowed, and that ends with it; it is called again while the flood grows.
 * `onEnd` is called when the sentinel ended without being closed. Neither may throw.
 */
export function openSentinel(
  flood: Flood,
  { onFlood, onEnd }: { readonly onFlood: () => void; readonly onEnd: () => void },
): Sentinel | undefined {
  if (!canWalk()) return undefined;
  let child: Deno.ChildProcess;
  try {
    child = spawnConfined({ program: launcher().path(), args: ["sandpiper-sentinel"], env: {} }, { cwd: "/" });
  } catch {
    return undefined;
  }
  keepProcess(child);
  // It must not keep a program alive that has come to its end.
  child.unref();
  const input = child.stdin.getWriter();
  let isClosed = false;
  // Where it has ended, its output says so.
  const say = (bytes: Uint8Array): void => void input.write(bytes).catch(() => {});
  const ended = Promise.allSettled([
    child.status,
    input.closed,
    child.stderr.cancel(),
    child.stdout.pipeTo(new WritableStream({ write: () => inRealTime(() => isClosed || onFlood()) })).catch(() => {})
      // It may have been ended right after it saw one.
      .then(() => inRealTime(() => isClosed || onEnd())),
  ]);
  say(encodeWatch({ host: Deno.pid, ...flood }));
  return {
    watch: () => say(WATCH),
    pause: () => say(PAUSE),
    async close() {
      isClosed = true;
      child.ref();
      await input.close().catch(() => {});
      await ended;
    },
  };
}

/** All threads, those that began since a flood was seen too; afterwards all of them are ordinary. */
function inRealTime(work: () => void): void {
  const end = runInRealTime();
  try {
    work();
  } finally {
    end();
  }
}

const WATCH = new TextEncoder().encode("w");
const PAUSE = new TextEncoder().encode("p");
