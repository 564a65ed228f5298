import type { WatchedWorker } from "./worker_host.ts";

/** How often the process is looked at, how much it may grow before its workers are asked, and what one may hold. */
const INTERVAL_MS = 25;
const GROWTH_BYTES = 256 * 1024 * 1024;
const WORKER_BYTES = 256 * 1024 * 1024;

/** How much the process must grow while a worker does not answer. */
const STILL_BYTES = 64 * 1024 * 1024;

/** How long a worker may take to say how much it holds; one that fills memory does not answer. */
const ANSWER_MS = 150;

/**
 * Ends workers that fill the process's memory, which the runtime does not bound: whenever the process has grown, each
 * worker is asked, and one that holds too much or does not answer is ended.
 *
 * A watch and not a wall: a busy worker goes on for up to two seconds after its end. Gives the function that stops it.
 */
export function watchMemory(
  workers: () => readonly WatchedWorker[],
  residentBytes: () => number = () => Deno.memoryUsage().rss,
): () => void {
  let mark = residentBytes();
  let isAsking = false;
  const ask = async (): Promise<void> => {
    isAsking = true;
    const before = residentBytes();
    await Promise.all(
      workers().filter((worker) => !worker.hasEnded()).map(async (worker) => {
        const bytes = await worker.probe(ANSWER_MS).catch(() => undefined);
        // A worker that computes does not answer either; only one that fills memory goes on growing the process.
        const isGuilty = bytes === undefined ? residentBytes() > before + STILL_BYTES : bytes > WORKER_BYTES;
        if (isGuilty) worker.lose("it took too much memory");
      }),
    );
    mark = residentBytes();
    isAsking = false;
  };
  const timer = setInterval(() => {
    const bytes = residentBytes();
    mark = Math.min(mark, bytes);
    if (!isAsking && bytes > mark + GROWTH_BYTES) ask();
  }, INTERVAL_MS);
  // It must not keep a program going that is done.
  Deno.unrefTimer(timer);
  return () => clearInterval(timer);
}
