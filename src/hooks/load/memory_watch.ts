import type { WatchedWorker } from "../worker/host.ts";

/**
 * How often the process's memory is read, by how much it may grow before its workers are asked, and how much one may
 * hold.
 */
const INTERVAL_MS = 25;
const GROWTH_BYTES = 160 * 1024 * 1024;
const WORKER_BYTES = 256 * 1024 * 1024;

/** By how much the process must grow while a worker does not answer, for that worker to be ended. */
const STILL_BYTES = 128 * 1024 * 1024;

/** How long workers may take to say how much they hold, and the growth that cuts this short. */
const ANSWER_MS = 600;
const URGENT_BYTES = 512 * 1024 * 1024;

/** How long workers still have to answer once memory grows fast: on a busy machine they may just be late. */
const LATE_MS = 150;

/** After this a worker that has not said how much it holds counts as the one that holds it, grown or not. */
const SILENT_MS = 5000;

/** How long growth after the end of a worker is attributed to that worker, milliseconds: its memory is freed late. */
const LINGER_MS = 3000;

/** Until when growth is put down to workers that were ended and have not stopped yet. */
interface Lingering {
  until: number;
}

/** The memory is the process's, whoever watched what has ended: those of another session, or those before a reload. */
const LINGERING: Lingering = { until: 0 };

/**
 * Ends workers that fill the process's memory: whenever the process has grown, each worker is asked, and one that holds
 * too much is ended; where none says so, those that do not answer while the process goes on growing, or not for long. A
 * worker whose heap has come to its own bound (worker/link.ts) says so here.
 *
 * For buffers this is a watch and not a wall: a busy worker goes on for up to two seconds after its end. Gives the
 * function that stops it.
 */
export function watchMemory(
  workers: () => readonly WatchedWorker[],
  residentBytes: () => number = () => Deno.memoryUsage().rss,
  lingering: Lingering = LINGERING,
): () => void {
  let mark = residentBytes();
  /** Ends the wait for answers when it gets urgent. */
  let hurry: ((bytes: number) => void) | undefined;
  /** When each worker that has not answered was asked. */
  let silentSince = new Map<WatchedWorker, number>();
  const ask = async (before: number): Promise<void> => {
    const enough = Promise.withResolvers<void>();
    hurry = (bytes) => {
      if (bytes > before + URGENT_BYTES) enough.resolve();
    };
    const start = performance.now();
    const silent = new Set(workers().filter((worker) => !worker.hasEnded()));
    if (silent.size === 0) enough.resolve();
    const greedy: WatchedWorker[] = [];
    for (const worker of [...silent]) {
      worker.probe(ANSWER_MS).then((bytes) => {
        silent.delete(worker);
        if (bytes > WORKER_BYTES) greedy.push(worker);
        if (greedy.length > 0 || silent.size === 0) enough.resolve();
      }, () => enough.resolve());
    }
    await enough.promise;
    const until = performance.now() + LATE_MS;
    while (greedy.length === 0 && silent.size > 1 && performance.now() < until) {
      await new Promise((soon) => setTimeout(soon, 10));
    }
    silentSince = new Map([...silent].map((worker) => [worker, silentSince.get(worker) ?? start]));
    // A worker that only computes does not answer either; it is left alone for a while.
    const isGrowing = residentBytes() > before + STILL_BYTES;
    const isMute = (worker: WatchedWorker): boolean =>
      performance.now() - (silentSince.get(worker) ?? start) > SILENT_MS;
    const suspects = performance.now() < lingering.until ? [] : [...silent];
    const guilty = greedy.length > 0 ? greedy : suspects.filter((worker) => isGrowing || isMute(worker));
    for (const worker of guilty) {
      worker.lose("it took too much memory");
      silentSince.delete(worker);
      lingering.until = performance.now() + LINGER_MS;
    }
    // While somebody owes an answer the question stays open.
    if (silentSince.size === 0) mark = residentBytes();
    hurry = undefined;
  };
  const timer = setInterval(() => {
    const bytes = residentBytes();
    mark = Math.min(mark, bytes);
    if (hurry) hurry(bytes);
    else if (bytes > mark + GROWTH_BYTES) ask(bytes);
    else silentSince.clear();
  }, INTERVAL_MS);
  // It must not keep a program going that is done.
  Deno.unrefTimer(timer);
  return () => clearInterval(timer);
}
