// What the host spends on what one command left: everything in a layer is a command's, also how long it takes to look at it.

/** Past one of these nothing of a layer is taken. */
export const IMPORT_LIMITS = {
  /** From the first object to the last look at what references need. */
  ms: 60_000,
  /** Loose objects, unpacked: what they say themselves, beyond which git unpacks nothing. */
  unpackedBytes: 2 * 1024 ** 3,
  /** References that a command may change at once. */
  refs: 20_000,
} as const;

/** A limit that was reached before anything was taken; the message says which. */
export class LimitReached extends Error {}

const AT_ONCE_MS = 20;

/** For long loops: await it, and from time to time it lets other work of the program run. */
export function openPause(signal?: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < AT_ONCE_MS) return;
    await new Promise((resolve) => setTimeout(resolve, 0));
    signal?.throwIfAborted();
    since = performance.now();
  };
}

/** Aborted with the limit of time as its reason. */
export function timeLimit(ms: number = IMPORT_LIMITS.ms): AbortSignal & Disposable {
  const control = new AbortController();
  const reason = new LimitReached(`looking at it took longer than ${ms / 1_000} s`);
  const timer = setTimeout(() => control.abort(reason), ms);
  return Object.assign(control.signal, { [Symbol.dispose]: () => clearTimeout(timer) });
}
