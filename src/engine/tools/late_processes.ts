import { dirname } from "@std/path";
import type { Processes } from "./processes.ts";
import { tidyUp } from "../sessions/session_record.ts";

/** What earlier sessions left is of no hurry. */
const TIDY_AFTER_MS = 750;

/** Processes for commands, loaded with the first need: most of their code is not wanted before the first request. */
export interface LateProcesses {
  readonly get: () => Promise<Processes>;
  /** A command is on its way: starts a process for it. */
  readonly expect: () => void;
  /** Ends what killed sessions left, later and once. */
  readonly tidySoon: () => void;
  /** No further command comes: ends everything, but for commands in the background, which go on until `close`. */
  readonly retire: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens processes as `openProcesses` does, when they are first needed. */
export function lateProcesses(...args: Parameters<typeof import("./processes.ts").openProcesses>): LateProcesses {
  const [, policy, , cache] = args;
  let loading: Promise<Processes> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const get = (): Promise<Processes> =>
    loading ??= import("./processes.ts").then(({ openProcesses }) => openProcesses(...args));
  /** Nothing where they could not be opened, which the calls told. */
  const opened = async (): Promise<Processes | undefined> => await loading?.catch(() => undefined);
  let closing: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    clearTimeout(timer);
    await (await opened())?.close();
  };
  const close = (): Promise<void> => closing ??= end();
  return {
    get,
    expect: () => {
      // What goes wrong is told by the call that needs a process.
      if (!closing) get().then((processes) => processes.expect()).catch(() => {});
    },
    tidySoon: () => void (timer ??= setTimeout(() => tidyUp(cache, dirname(policy.tmp)), TIDY_AFTER_MS)),
    retire: async () => {
      clearTimeout(timer);
      const processes = await opened();
      await (processes?.isBusy() ? processes.rest() : close());
    },
    close,
  };
}
