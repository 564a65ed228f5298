// A worker that asks for a folder again and again, until the flag is up or it has waited for that long enough.
import { openBulkLink } from "../../src/runner/files/bulk_link.ts";

/** What the worker is told. */
export interface Asking {
  readonly memory: SharedArrayBuffer;
  readonly flag: SharedArrayBuffer;
  readonly folder: string;
}

const GIVE_UP_MS = 20_000;

// The program is checked against the types of a window.
const scope = globalThis as unknown as {
  postMessage(message: string): void;
  onmessage: ((event: MessageEvent<Asking>) => void) | null;
};

scope.onmessage = ({ data: { memory, flag, folder } }) => {
  const bulk = openBulkLink(memory, () => scope.postMessage("asks"));
  const end = performance.now() + GIVE_UP_MS;
  let answered = 0;
  while (Atomics.load(new Int32Array(flag), 0) === 0 && performance.now() < end) {
    const entries = bulk.list(folder);
    if (entries?.every(({ name }) => name !== "a.txt")) return scope.postMessage("wrong");
    if (entries) answered++;
  }
  scope.postMessage(answered > 0 && performance.now() < end ? "heard" : "gave up");
};
