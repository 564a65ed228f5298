/** Runs `work` under a key: readers together, a writer alone, in order of arrival. */
export type FileLock = <T>(key: string, mode: "read" | "write", work: () => Promise<T>) => Promise<T>;

interface Waiting {
  readonly mode: "read" | "write";
  readonly start: () => void;
}

/** Who holds a key. A queue exists only while somebody holds it. */
interface Holders {
  readers: number;
  writer: boolean;
  readonly queue: Waiting[];
}

/** A lock table. Nobody overtakes: a reader that comes after a waiting writer waits too, so no writer starves. */
export function createFileLock(): FileLock {
  const table = new Map<string, Holders>();

  const admit = (key: string, holders: Holders): void => {
    for (let next = holders.queue[0]; next !== undefined; next = holders.queue[0]) {
      const free = next.mode === "read" ? !holders.writer : !holders.writer && holders.readers === 0;
      if (!free) return;
      holders.queue.shift();
      if (next.mode === "read") holders.readers++;
      else holders.writer = true;
      next.start();
    }
    if (!holders.writer && holders.readers === 0) table.delete(key);
  };

  return async (key, mode, work) => {
    const holders = table.get(key) ?? { readers: 0, writer: false, queue: [] };
    table.set(key, holders);
    await new Promise<void>((start) => {
      holders.queue.push({ mode, start });
      admit(key, holders);
    });
    try {
      return await work();
    } finally {
      if (mode === "read") holders.readers--;
      else holders.writer = false;
      admit(key, holders);
    }
  };
}
