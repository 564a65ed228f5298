import type { Policy } from "../core/policy.ts";
import { type ConfinedProcess, startConfined } from "./confined_process.ts";
import { canWalk } from "./process_tree.ts";
import { statOf } from "./procfs.ts";
import type { NetOptions } from "./net_gate.ts";
import type { Self } from "./self.ts";

/** Time for the host to use the answer of a call before the next process is started beside it. */
const AFTER_CALL_MS = 5;
/** A call that lasts this long is not disturbed by a start beside it any more. */
const BESIDE_CALL_MS = 100;

/**
 * Confined processes for calls, one of them started ahead: it has read the policy, has confined itself and waits.
 *
 * Holds for one policy: a policy that changes means closing these and opening others.
 */
export interface Spares {
  /** Starts the first spare; not before, because starting up is measured. */
  warm(): void;
  /** The spare, or a process started now; the next spare follows when the call has ended or lasts. */
  take(): ConfinedProcess;
  /** Ends the spare; nothing is started any more. */
  close(): Promise<void>;
}

/** Opens the spares of a policy without starting anything. */
export function openSpares(policy: Policy, self: Self, net?: NetOptions): Spares {
  let spare: ConfinedProcess | undefined;
  let closed = false;
  const ends = new Set<Promise<void>>();
  const timers = new Set<ReturnType<typeof setTimeout>>();

  function refill(): void {
    if (closed || spare) return;
    let started: ConfinedProcess;
    try {
      started = startConfined(policy, self, net);
    } catch {
      // The call that needs a process will fail with the reason.
      return;
    }
    spare = started;
    // One that died is replaced by the call that would have taken it: at once would be an endless loop where
    // confining does not work.
    const forget = (): void => {
      if (spare === started) discardSpare();
    };
    started.status.then(forget, forget);
  }

  function discardSpare(): void {
    const end = spare?.end();
    spare = undefined;
    if (!end) return;
    ends.add(end);
    end.then(() => ends.delete(end));
  }

  function refillIn(ms: number): void {
    if (closed) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      refill();
    }, ms);
    timers.add(timer);
  }

  return {
    warm: refill,
    take() {
      if (closed) throw new Error("the spares are closed");
      // A spare that was killed a moment ago may not have been reported yet.
      if (spare && !isAlive(spare.pid)) discardSpare();
      const taken = spare ?? startConfined(policy, self, net);
      spare = undefined;
      refillIn(BESIDE_CALL_MS);
      const after = (): void => refillIn(AFTER_CALL_MS);
      taken.status.then(after, after);
      return taken;
    },
    async close() {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
      discardSpare();
      await Promise.all(ends);
    },
  };
}

function isAlive(pid: number): boolean {
  return !canWalk() || statOf(pid)?.zombie === false;
}
