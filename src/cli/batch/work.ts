import { dirname, join } from "@std/path";
import { Claims, type Processes } from "../../batch/claims.ts";
import { type AttemptRecord, readRecord, resultFolder } from "../../batch/results.ts";
import type { Attempt } from "../../batch/task.ts";
import { messageOf, UserError } from "../../core/error.ts";
import { isFolder } from "../../core/support/on_disk.ts";
import { sleep } from "../../core/support/sleep.ts";
import { bootOf } from "../../engine/sessions/session_record.ts";
import { listenToEnds } from "../../core/support/signals.ts";
import { identityOf } from "../../sandbox/system/procfs.ts";
import { programPath } from "../../config/program_path.ts";
import { endOutputSoon, standardError } from "../output/write_all.ts";
import { Checkouts } from "./checkout.ts";
import { dollars, duration, type Progress } from "./progress.ts";
import { type AttemptOutcome, runAttempt, withoutRun } from "./run_attempt.ts";

/** How often an owner that may be dead is looked at. */
const LOOK_MS = 1_000;

/** Whether a result says nothing of its task: the model or the machine failed. */
export function isError({ outcome }: AttemptRecord): boolean {
  return outcome === "error" || outcome === "crashed";
}

/** Whether an attempt has its result. Throws UserError where that is of another question. */
export function isFinished(folder: string, attempt: Attempt, again: Bounds["again"] = () => false): boolean {
  const place = resultFolder(folder, attempt);
  const record = readRecord(place);
  if (record === undefined) return isFolder(place);
  if (record.digest === attempt.task.digest) return !again(record);
  throw otherTask(`The result in ${place} is of another task`, attempt);
}

function otherTask(what: string, { task }: Attempt): UserError {
  return new UserError({
    what,
    why: `${task.id} has another workspace, prompt or options there`,
    fix: "Give the task another id, name another folder with -o, or remove what is there",
  });
}

/** How much is done at once, and until when. */
export interface Bounds {
  readonly jobs: number;
  /** PATH of this process. */
  readonly path: string;
  /** Which results are to be made again. */
  readonly again: (record: AttemptRecord) => boolean;
  readonly limitCostUsd?: number;
  readonly timeoutMs?: number;
}

/** How it ended. */
export interface Ending {
  readonly durationMs: number;
  /** Where it ended before all was done. */
  readonly exitCode?: number;
  readonly why?: string;
}

/** Processes of this machine, as far as the system tells of them. */
function processes(): Processes {
  const startOf = (pid: number): number | undefined => identityOf(pid)?.start;
  return startOf(Deno.pid) === undefined ? { startOf } : { machine: `${Deno.hostname()} ${bootOf()}`, startOf };
}

/** One process's work on a batch. */
export class Work {
  readonly #folder: string;
  readonly #base: string;
  readonly #bounds: Bounds;
  readonly #progress: Progress;
  readonly #claims: Claims;
  readonly #stop = new AbortController();
  readonly #checkouts: Checkouts;
  #waiting: Attempt[];
  #unsure: Attempt[] = [];
  #running = 0;
  #money = { spentUsd: 0, reservedUsd: 0 };
  #early: Omit<Ending, "durationMs"> | undefined;

  constructor(folder: string, base: string, waiting: readonly Attempt[], progress: Progress, bounds: Bounds) {
    this.#folder = folder;
    this.#base = base;
    this.#waiting = [...waiting];
    this.#progress = progress;
    this.#bounds = bounds;
    this.#claims = new Claims(folder, processes());
    this.#checkouts = new Checkouts(folder, this.#stop.signal, programPath(bounds.path, [base, folder]));
  }

  /** Runs all that is waiting. What fails on the way of one attempt is that attempt's; what is wrong with the folder ends it. */
  async toEnd(): Promise<Ending> {
    const started = performance.now();
    const stopWatching = listenToEnds((exitCode) => {
      if (this.#stop.signal.aborted) {
        this.#progress.close();
        // At most a second: see endOutputSoon().
        return void standardError.flush().finally(() => Deno.exit(exitCode));
      }
      endOutputSoon();
      this.#progress.say("stopping: what runs is ended; Ctrl+C again ends at once");
      this.#end({ exitCode, why: "interrupted: the same command goes on with the rest" });
    });
    const { timeoutMs } = this.#bounds;
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => {
      this.#end({
        exitCode: 4,
        why: `the limit --timeout ${duration(timeoutMs)} was reached: the same command goes on`,
      });
    }, timeoutMs);
    try {
      const jobs = Math.min(this.#bounds.jobs, Math.max(1, this.#waiting.length));
      const ends = await Promise.allSettled(Array.from({ length: jobs }, () => this.#job()));
      const failed = ends.find((end) => end.status === "rejected");
      if (failed) throw this.#why(failed.reason);
    } finally {
      clearTimeout(timer);
      this.#stop.abort();
      this.#claims.close();
      stopWatching();
    }
    return { durationMs: performance.now() - started, ...this.#early };
  }

  /** What the folder's disk says is no fault of the program. */
  #why(error: unknown): unknown {
    const isOfDisk = error instanceof Error && !(error instanceof UserError) && "code" in error;
    if (!isOfDisk) return error;
    return new UserError({
      what: `The batch cannot go on in ${this.#folder}`,
      why: messageOf(error),
      fix: "Look at its disk, its room and its rights; started again it goes on where it was",
      exitCode: 1,
    }, { cause: error });
  }

  #end(early: Omit<Ending, "durationMs">): void {
    this.#early ??= early;
    this.#stop.abort();
  }

  async #job(): Promise<void> {
    try {
      for (;;) {
        const next = await this.#next();
        if (next === undefined) return;
        await this.#run(next.attempt, next.generation, next.maxCostUsd);
      }
    } catch (error) {
      this.#stop.abort();
      throw error;
    }
  }

  /** The next attempt, taken. Those whose owner may be dead come last, when that is known. */
  async #next(): Promise<{ attempt: Attempt; generation: number; maxCostUsd?: number } | undefined> {
    while (!this.#stop.signal.aborted) {
      const attempt = this.#waiting.shift();
      if (attempt === undefined) {
        if (this.#unsure.length === 0) return undefined;
        await sleep(LOOK_MS, this.#stop.signal).catch(() => {});
        [this.#waiting, this.#unsure] = [this.#unsure, []];
        continue;
      }
      if (isFinished(this.#folder, attempt, this.#bounds.again)) {
        this.#progress.counts.elsewhere++;
        continue;
      }
      const money = this.#reserved(attempt);
      if (money === undefined) {
        // What runs may cost less than it could, and leave room again.
        this.#waiting.unshift(attempt);
        if (this.#running === 0) {
          const limit = dollars(this.#bounds.limitCostUsd ?? 0);
          this.#end({ exitCode: 4, why: `the limit --limit-cost ${limit} was reached` });
          return undefined;
        }
        await sleep(LOOK_MS, this.#stop.signal).catch(() => {});
        continue;
      }
      const taken = this.#claims.take(attempt.key, attempt.task.digest);
      if (taken.kind === "other") throw otherTask(`Another process runs ${attempt.key} in ${this.#folder}`, attempt);
      if (taken.kind === "taken" && !isFinished(this.#folder, attempt, this.#bounds.again)) {
        this.#account(0, money.reservedUsd);
        return { attempt, generation: taken.generation, ...money.limit };
      }
      if (taken.kind === "unsure") this.#unsure.push(attempt);
      else this.#progress.counts.elsewhere++;
    }
    return undefined;
  }

  /** What an attempt may cost: its own limit, or its share of what is left; undefined where nothing is. */
  #reserved({ task }: Attempt): { reservedUsd: number; limit: { maxCostUsd?: number } } | undefined {
    const { limitCostUsd, jobs } = this.#bounds;
    if (limitCostUsd === undefined) return { reservedUsd: 0, limit: {} };
    const left = limitCostUsd - this.#claims.committedUsd();
    if (left <= limitCostUsd * 1e-6) return undefined;
    const reservedUsd = Math.min(task.maxCostUsd ?? Infinity, left / Math.max(1, jobs - this.#running));
    return { reservedUsd, limit: { maxCostUsd: reservedUsd } };
  }

  #account(spentUsd: number, reservedUsd: number): void {
    this.#money = {
      spentUsd: this.#money.spentUsd + spentUsd,
      reservedUsd: Math.max(0, this.#money.reservedUsd + reservedUsd),
    };
    this.#claims.account(this.#money);
  }

  async #run(attempt: Attempt, generation: number, maxCostUsd: number | undefined): Promise<void> {
    const folder = join(this.#folder, "running", `${attempt.key}.${generation}`);
    const kept = resultFolder(this.#folder, attempt);
    for (let one = 1; one <= generation; one++) this.#setAside(`${attempt.key}.${one}`);
    Deno.mkdirSync(dirname(folder), { recursive: true });
    // Made here and now: a link that somebody put there would lead all that is written elsewhere.
    Deno.mkdirSync(folder, { mode: 0o700 });
    this.#running++;
    this.#progress.begun();
    let outcome: AttemptOutcome | undefined;
    try {
      const workspace = await this.#checkouts.folderOf(attempt.task.workspace);
      const limit = maxCostUsd === undefined ? {} : { maxCostUsd };
      const place = { folder, kept, workspace, base: this.#base, signal: this.#stop.signal, ...limit };
      outcome = await runAttempt(attempt, place);
    } catch (error) {
      // Another task may have another repository, and that one can be had.
      if (error instanceof UserError && !this.#stop.signal.aborted) outcome = withoutRun(attempt, folder, error);
      else if (!this.#stop.signal.aborted) {
        this.#end({ exitCode: 1, why: messageOf(error) });
        throw error;
      }
    } finally {
      this.#running--;
      this.#account(outcome?.record.costUsd ?? 0, -(maxCostUsd ?? 0));
    }
    if (outcome === undefined || outcome.isInterrupted) {
      this.#setAside(`${attempt.key}.${generation}`);
      if (outcome) this.#progress.ended(outcome.record, "interrupted");
      return;
    }
    const old = readRecord(kept);
    if (old && this.#bounds.again(old)) {
      moveAway(kept, join(this.#folder, "interrupted", `${attempt.key}.before.${generation}`));
    }
    const isKept = publish(folder, kept);
    if (!isKept) this.#setAside(`${attempt.key}.${generation}`);
    this.#progress.ended(outcome.record, isKept ? "kept" : "known elsewhere");
  }

  /** What an attempt left that is no result is kept apart: it may have cost something. */
  #setAside(name: string): void {
    moveAway(join(this.#folder, "running", name), join(this.#folder, "interrupted", name));
  }
}

function moveAway(from: string, to: string): void {
  Deno.mkdirSync(dirname(to), { recursive: true });
  try {
    Deno.renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Makes a folder the result; false where another process has done so. A folder that has files never takes another's place. */
function publish(folder: string, kept: string): boolean {
  Deno.mkdirSync(dirname(kept), { recursive: true });
  try {
    Deno.renameSync(folder, kept);
    return true;
  } catch (error) {
    if (isFolder(kept) || error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
