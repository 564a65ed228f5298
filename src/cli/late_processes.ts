import type { Processes } from "./processes.ts";

/** How long after a request was built the shell starts to warm up: the request should be out, and no model answers sooner. */
const WARM_AFTER_MS = 250;

/** Processes for commands, loaded with the first need: most of their code is not wanted before the first request. */
export interface LateProcesses {
  readonly get: () => Promise<Processes>;
  /** Starts the first spare a little later, once. */
  readonly warmSoon: () => void;
  /** No further command comes: ends everything, but for commands in the background, which go on until `close`. */
  readonly retire: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens processes as `openProcesses` does, when they are first needed. */
export function lateProcesses(...args: Parameters<typeof import("./processes.ts").openProcesses>): LateProcesses {
  let loading: Promise<Processes> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const get = (): Promise<Processes> =>
    loading ??= import("./processes.ts").then(({ openProcesses }) => openProcesses(...args));
  let closing: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    clearTimeout(timer);
    await (await loading)?.close();
  };
  const close = (): Promise<void> => closing ??= end();
  return {
    get,
    warmSoon: () => timer ??= setTimeout(() => void get().then((processes) => processes.warm()), WARM_AFTER_MS),
    retire: async () => {
      clearTimeout(timer);
      const processes = await loading;
      await (processes?.isBusy() ? processes.rest() : close());
    },
    close,
  };
}
