// What every process gets that runs for a tool: a command, one in the background, a listed program, a server. It is followed
// with all that it starts, held to its limits, ended for a reason, and over when nothing of it is left and what it did to
// protected paths is undone.
import { ToolError } from "../../core/error.ts";
import type { Policy } from "../../core/policy.ts";
import { type Layered, NOT_LAYERED } from "../git/paths.ts";
import { openRemaker } from "../git_layer/remade.ts";
import { privatePlaces } from "../policy/private_folders.ts";
import { killTree } from "../process/end_tree.ts";
import { openStop, type Stop, type StopReason } from "../process/stop.ts";

import { becomeSubreaper, expectTree, openTree } from "../process/tree.ts";
import { openWatchdog } from "../process/watchdog.ts";
import { within } from "../../core/support/sleep.ts";
import { openProtectedGuard } from "../tripwire/guard.ts";
import { openQuarantine } from "../tripwire/quarantine.ts";
import { openTripwire } from "../tripwire/tripwire.ts";

/** How long a child that holds the output may go on talking after its first process has ended. */
const AFTER_EXIT_MS = 150;
/** How long output may take to arrive after all who could write are gone. */
const AFTER_KILL_MS = 50;
/** 128 + SIGKILL. */
const KILLED = 137;

/** How a process ended, with all that it had started. */
export interface Ended {
  /** Undefined for one that outlives SIGKILL: it sits in the kernel, and nobody waits for it. */
  readonly status: Deno.CommandStatus | undefined;
  /** Deno reports a death by signal as 128 + signal. */
  readonly exitCode: number;
  /** Why it was ended, where it did not end by itself. */
  readonly reason: StopReason | undefined;
  /** How many of its processes could not be ended. */
  readonly left: number;
  /** What is to be said of what it did to repositories under layers, one line each. */
  readonly settled: readonly string[];
}

/** A process that is looked after; nothing that asks for its end has an effect after that. */
export interface Supervised extends Pick<Stop, "gently" | "atOnce" | "reason" | "done"> {
  readonly ended: Promise<Ended>;
}

/** A process that was started to be looked after; the rest as in StartedProcess. */
export interface Followed extends Pick<Deno.ChildProcess, "pid" | "status"> {
  settle?(isQuiet: boolean): Promise<string[]>;
}

/** What is known of a process when it has been started. */
export interface Following {
  /** When nobody can write to its outputs any more. */
  readonly drained?: Promise<unknown>;
  /** It is ended gently when it takes longer. */
  readonly timeoutMs?: number;
  /** It is ended gently when this aborts. */
  readonly signal?: AbortSignal;
}

/** Looks after the processes of a policy. */
export interface Supervisor {
  /** Gets ready ahead of the first process, which then has less to wait for. */
  prepare(): void;
  /** To be called right before a process is started, and `follow` right after it. Throws when all has been closed. */
  begin(): void;
  /** Looks after a detached child that `keepProcess` knows. */
  follow(process: Followed, following?: Following): Supervised;
  /** Puts back protected paths while what runs goes on. */
  check(): void;
  /** What was undone since it was last asked, one line each. */
  notes(): string[];
  /** Ends all that runs at once; nothing begins any more. */
  close(): Promise<void>;
}

/**
 * Opens the supervisor of a policy; nothing is started before it is asked to do something. `layered` is asked before the
 * first process: folders of repositories that the processes do not write themselves.
 */
export function openSupervisor(policy: Policy, layered?: () => Layered): Supervisor {
  const guard = openProtectedGuard(() => openTripwire(policy, layered?.() ?? NOT_LAYERED));
  const remaker = layered && openRemaker(policy, openQuarantine(privatePlaces(policy)));
  const watchdog = openWatchdog(policy.limits);
  const running = new Set<Supervised>();
  let isClosed = false;

  const begin = (): void => {
    if (guard.isQuiet()) remaker?.begin();
    guard.begin();
  };

  /** Has the host make anew the repositories that commands made. */
  const makeAnew = async (): Promise<readonly string[]> =>
    guard.isQuiet() ? await remaker?.take(guard.made(), guard.isQuiet) ?? [] : [];

  const follow: Supervisor["follow"] = (process, { drained = Promise.resolve(), timeoutMs, signal } = {}) => {
    const tree = openTree(process.pid);
    guard.add(tree);
    const stop = openStop(tree, policy.sandbox === "kernel+");
    const onLimit = (sentence: string): void => stop.atOnce("limit", sentence);
    const unwatch = watchdog.watch(tree, onLimit);
    const onAbort = (): void => stop.gently("aborted");
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop.gently("timeout"), timeoutMs);
    signal?.addEventListener("abort", onAbort);
    const ignoreWishes = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    let isOver = false;

    const end = async (): Promise<Ended> => {
      let left: number | undefined;
      try {
        const status = await Promise.race([
          process.status,
          stop.done.then(() => within(AFTER_EXIT_MS, process.status)),
        ]);
        ignoreWishes();
        if (stop.reason()) await stop.done;
        const isDrained = await within(AFTER_EXIT_MS, drained.then(() => true));
        left = await killTree(tree);
        // From now on its number may be another process's.
        isOver = true;
        // A flood may outlive the process that began it; and what still ran could change what is protected again.
        unwatch();
        guard.end(tree, left);
        const settled = [...await process.settle?.(left === 0) ?? [], ...await makeAnew()];
        if (!isDrained) await within(AFTER_KILL_MS, drained);
        return { status, exitCode: status?.code ?? KILLED, reason: stop.reason(), left, settled };
      } finally {
        ignoreWishes();
        unwatch();
        if (left === undefined) {
          left = await killTree(tree);
          guard.end(tree, left);
          await process.settle?.(left === 0);
          await makeAnew();
        }
        isOver = true;
        tree.close();
        running.delete(supervised);
      }
    };
    const supervised: Supervised = {
      gently: (ending) => isOver ? undefined : stop.gently(ending),
      atOnce: (ending, limit) => isOver ? undefined : stop.atOnce(ending, limit),
      reason: stop.reason,
      done: stop.done,
      ended: end(),
    };
    running.add(supervised);
    return supervised;
  };

  return {
    prepare() {
      begin();
      watchdog.prepare();
    },
    begin() {
      if (isClosed) throw new ToolError("The session is ending: nothing is started any more.");
      becomeSubreaper();
      begin();
      expectTree();
      watchdog.expect();
    },
    follow,
    check: guard.check,
    notes: guard.notes,
    async close() {
      isClosed = true;
      for (const supervised of running) supervised.atOnce("aborted");
      await Promise.allSettled([...running].map(({ ended }) => ended));
      await watchdog.close();
      guard.close();
      remaker?.close();
    },
  };
}
