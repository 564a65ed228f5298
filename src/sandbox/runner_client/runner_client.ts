import { messageOf } from "../../core/error.ts";
import type { Policy } from "../../core/policy.ts";
import type { ToolRunner } from "../../core/runner.ts";
import { errorResult } from "../../core/tool.ts";
import type { StartLink } from "./link.ts";
import { openSession, type RunnerSession, type Watch } from "./session.ts";

/** The tools behind the boundary. */
export interface Runner extends ToolRunner {
  /** The runner's process, for whoever walks the host's process tree; absent for a worker and between two runners. */
  readonly pid: number | undefined;
  /** A call is near: what has only confined itself so far starts the tools. Never throws. */
  readonly warm: () => void;
}

/** How long a runner may take to leave by itself when the session ends. */
const CLOSE_GRACE_MS = 20;

/**
 * Starts a runner over any kind of link (`processLink` in process.ts, `workerLink` in worker.ts) and returns at once: its
 * process confines itself and waits; the tools start in it with `warm` or the first call. Keeps one at a time: the next call
 * after an end starts another.
 *
 * Throws what the link throws at its first start; everything else that goes wrong is the result of a call.
 */
export function runnerClient(start: StartLink, policy: Policy, watch: Partial<Watch> = {}): Runner {
  const { deadlineMs = 60_000, abortGraceMs = 2000 } = watch;
  let current: RunnerSession | undefined;
  let closed = false;
  // Every runner that is on its way out; usually none.
  let leaving: Promise<unknown> = Promise.resolve();

  const open = (): RunnerSession => {
    const session = openSession(start, policy, { ...watch, deadlineMs, abortGraceMs }, (gone) => {
      if (current === session) current = undefined;
      leaving = Promise.all([leaving, gone]);
    });
    return session;
  };

  current = open();
  return {
    get pid() {
      return current?.pid;
    },
    warm: () => {
      if (!closed) current?.warm();
    },
    call: (call, options) => {
      if (closed) return Promise.resolve(errorResult("The session is over; no tool can run any more"));
      if (options.signal.aborted) return Promise.resolve(errorResult("Operation aborted"));
      try {
        current ??= open();
      } catch (error) {
        return Promise.resolve(errorResult(`The tools could not be started: ${messageOf(error)}`));
      }
      return current.run(call, options);
    },
    close: async () => {
      closed = true;
      void current?.end("the session ended", CLOSE_GRACE_MS);
      await leaving;
    },
  };
}
