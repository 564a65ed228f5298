import type { Policy } from "../../core/policy.ts";
import type { Self } from "../confine/self.ts";
import { type Layered, NOT_LAYERED } from "../git/paths.ts";
import { type GitLayers, openGitLayers } from "../git_layer/layers.ts";
import { isRunning } from "../process/tree.ts";
import { type ConfinedOptions, type ConfinedProcess, startConfined } from "./confined.ts";

/**
 * Time after the last call, milliseconds, at which waiting processes are checked: a model that calls again sooner must
 * not wait for that.
 */
const REST_MS = 50;
/** After this time, milliseconds, a running call is no longer slowed down by starting the next process. */
const BESIDE_CALL_MS = 100;
/** How many wait at a time; a reply rarely has more calls that come at once. */
const MOST_AHEAD = 2;

/**
 * Confined processes for calls, started ahead: they have read the policy, have confined themselves and wait. None is there
 * before a call is announced, one always is after the first, a second one while a reply announces several.
 *
 * Holds for one policy: a policy that changes means closing these and opening others.
 */
export interface ProcessPool {
  /** Repositories' folders that commands do not write themselves. Looks at them when it is first asked. */
  layered(): Layered;
  /** Announces a call, so that a process for it starts now. Calls that are announced one after the other are of one reply. */
  expect(): void;
  /** A spare, or a process started now; the next spare starts while that runs, or soon after. */
  take(): ConfinedProcess;
  /** Ends the spares; nothing is started any more. */
  close(): Promise<void>;
}

/** Opens the spares of a policy without starting anything. */
export function openProcessPool(policy: Policy, self: Self, net: Pick<ConfinedOptions, "net"> = {}): ProcessPool {
  let layers: { readonly open: GitLayers | undefined } | undefined;
  const start = (): ConfinedProcess => {
    layers ??= { open: openGitLayers(policy) };
    return startConfined(policy, self, { ...net, layers: layers.open });
  };
  const waiting = new Set<ConfinedProcess>();
  let closed = false;
  // Of the calls that were announced since one was taken; the others were refused on the way.
  let announced = 0;
  let isTaken = false;
  const ends = new Set<Promise<void>>();
  const timers = new Set<ReturnType<typeof setTimeout>>();
  let rest: ReturnType<typeof setTimeout> | undefined;
  let endedAt = -Infinity;

  function fill(count: number): void {
    while (!closed && waiting.size < Math.min(count, MOST_AHEAD)) {
      let started: ConfinedProcess;
      try {
        started = start();
      } catch {
        // The call that needs a process will fail with the reason.
        return;
      }
      waiting.add(started);
      // One that died is replaced by the call that would have taken it: at once would be an endless loop where
      // confining does not work.
      const forget = (): void => discard(started);
      started.status.then(forget, forget);
    }
  }

  function discard(spare: ConfinedProcess): void {
    if (!waiting.delete(spare)) return;
    const end = spare.end();
    ends.add(end);
    end.then(() => ends.delete(end));
  }

  /** Starts what is missing, once. */
  function refillIn(ms: number): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => {
      timers.delete(timer);
      // The next call would have to replace a process that a command has made stale.
      if (ms > 0) { for (const spare of waiting) if (spare.isStale()) discard(spare); }
      fill(Math.max(1, announced));
    }, ms);
    timers.add(timer);
    return timer;
  }

  function takeWaiting(): ConfinedProcess | undefined {
    for (const spare of waiting) {
      // A spare that was killed a moment ago may not have been reported yet.
      if (!isRunning(spare.pid) || spare.isStale()) discard(spare);
      else if (waiting.delete(spare)) return spare;
    }
    return undefined;
  }

  return {
    layered: () => (layers ??= { open: openGitLayers(policy) }).open?.layered ?? NOT_LAYERED,
    expect() {
      announced = isTaken ? 1 : announced + 1;
      isTaken = false;
      fill(announced);
    },
    take() {
      if (closed) throw new Error("the spares are closed");
      const taken = takeWaiting() ?? start();
      isTaken = true;
      announced = Math.max(0, announced - 1);
      // While a call runs the host has time to start the next process; a model that answers at once, or announced more
      // calls, leaves none later.
      const isHurried = announced > waiting.size || performance.now() - endedAt < REST_MS;
      refillIn(isHurried ? 0 : BESIDE_CALL_MS);
      const after = (): void => {
        endedAt = performance.now();
        clearTimeout(rest);
        if (!closed) rest = refillIn(REST_MS);
      };
      taken.status.then(after, after);
      return taken;
    },
    async close() {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
      waiting.forEach(discard);
      await Promise.all(ends);
      await layers?.open?.close();
    },
  };
}
