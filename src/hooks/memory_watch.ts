import type { WatchedWorker } from "./worker_host.ts";

/** How often the process is looked at, how much it may grow before its workers are asked, and what one may hold. */
const INTERVAL_MS = 25;
const GROWTH_BYTES = 256 * 1024 * 1024;
const WORKER_BYTES = 256 * 1024 * 1024;

/** How much the process must grow while a worker does not answer. */
const STILL_BYTES = 64 * 1024 * 1024;

/** How long workers may take to say how much they hold, and the growth that cuts this short. */
const ANSWER_MS = 600;
const URGENT_BYTES = 512 * 1024 * 1024;

/**
 * Ends workers that fill the process's memory, which the runtime does not bound: whenever the process has grown, each
 * worker is asked, and one that holds too much is ended; where none says so, those that do not answer while the process
 * goes on growing.
 *
 * A watch and not a wall: a busy worker goes on for up to two seconds after its end. Gives the function that stops it.
 */
export function watchMemory(
  workers: () => readonly WatchedWorker[],
  residentBytes: () => number = () => Deno.memoryUsage().rss,
): () => void {
  let mark = residentBytes();
  /** Ends the wait for answers when it gets urgent. */
  let hurry: ((bytes: number) => void) | undefined;
  const ask = async (before: number): Promise<void> => {
    const enough = Promise.withResolvers<void>();
    hurry = (bytes) => {
      if (bytes > before + URGENT_BYTES) enough.resolve();
    };
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
    // A worker that only computes does not answer either; it is left alone unless the process goes on growing.
    const isGrowing = residentBytes() > before + STILL_BYTES;
    const guilty = greedy.length > 0 ? greedy : isGrowing ? silent : [];
    for (const worker of guilty) worker.lose("it took too much memory");
    mark = residentBytes();
    hurry = undefined;
  };
  const timer = setInterval(() => {
    const bytes = residentBytes();
    mark = Math.min(mark, bytes);
    if (hurry) hurry(bytes);
    else if (bytes > mark + GROWTH_BYTES) ask(bytes);
  }, INTERVAL_MS);
  // It must not keep a program going that is done.
  Deno.unrefTimer(timer);
  return () => clearInterval(timer);
}
