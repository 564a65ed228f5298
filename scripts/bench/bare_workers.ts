/** What comes is sent back. */
const ECHO = "self.onmessage = ({ data }) => self.postMessage(data);";
/** As long as a prompt's event is. */
const MESSAGE = "x".repeat(100);

/** Workers that do nothing, to be asked one after another: what the runtime itself takes for a message there and back. */
export interface BareWorkers {
  /** Milliseconds that one of them took, of all in turn. */
  readonly callMs: () => Promise<number>;
  readonly close: () => void;
}

/** Milliseconds from nothing until a worker that does nothing has answered; its start holds up whoever starts it. */
export async function bareStartMs(): Promise<number> {
  const before = performance.now();
  const { callMs, close } = bareWorkers(1);
  await callMs();
  const ms = performance.now() - before;
  close();
  return ms;
}

/** Starts as many of them. */
export function bareWorkers(count: number): BareWorkers {
  const url = URL.createObjectURL(new Blob([ECHO], { type: "text/javascript" }));
  const workers = Array.from({ length: count }, () => new Worker(url, { type: "module" }));
  const ask = (worker: Worker): Promise<void> =>
    new Promise((resolve) => {
      worker.onmessage = () => resolve();
      worker.postMessage(MESSAGE);
    });
  return {
    async callMs() {
      const before = performance.now();
      for (const worker of workers) await ask(worker);
      return (performance.now() - before) / count;
    },
    close() {
      for (const worker of workers) worker.terminate();
      URL.revokeObjectURL(url);
    },
  };
}
