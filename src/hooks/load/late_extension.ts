import { messageOf } from "../../core/error.ts";
import type { ExtensionState } from "../../core/hook.ts";
import { unlessAborted } from "../../core/support/sleep.ts";
import type { Extension, Registration } from "../events/extension.ts";
import type { WatchedWorker } from "../worker/host.ts";

/** An extension with a cached registration, whose worker starts when it is first needed. */
export interface LateExtension extends Extension {
  /** Starts its worker, once. Settles when it is loaded or has failed for good; never rejects. */
  begin(): Promise<void>;
  /** Whether loading has ended, so that `begin` has nothing left to do or to wait for. */
  isSettled(): boolean;
}

/** What an extension that starts late is made from. */
export interface LateOptions {
  readonly state: ExtensionState;
  /** What it brought before: holds until it is loaded. */
  readonly brought: Registration;
  /** Starts its worker; `onStarted` is called before anything of the extension runs. */
  readonly load: (onStarted: (worker: WatchedWorker) => void) => Promise<Extension>;
}

/**
 * Stands in for an extension that is not loaded yet. Calls that arrive before it is loaded wait, and keep their order.
 */
export function lateExtension({ state, brought, load }: LateOptions): LateExtension {
  const listeners: (() => void)[] = [];
  let starting: Promise<Extension> | undefined;
  let worker: WatchedWorker | undefined;
  let loaded: Extension | undefined;
  let lost: string | undefined;
  let isClosed = false;
  let flags: Parameters<Extension["setFlags"]>[0] | undefined;
  /** Calls that wait for the extension to be loaded. */
  let waiting = 0;
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const start = async (): Promise<Extension> => {
    try {
      if (isClosed) throw new Error("it is closed");
      loaded = await load((started) => worker = started);
    } catch (error) {
      lost = `it did not load: ${messageOf(error)}`;
      if (!isClosed) tell();
      throw error;
    }
    if (flags) loaded.setFlags(flags);
    loaded.onChange(tell);
    tell(); // it may bring something else than it did
    return loaded;
  };
  const begin = (): Promise<Extension> => {
    starting ??= start();
    starting.catch(() => {}); // told above, and to whoever waits
    return starting;
  };
  const pass = async <T>(signal: AbortSignal, call: (extension: Extension) => Promise<T>): Promise<T> => {
    if (loaded && waiting === 0) return await call(loaded);
    waiting++;
    let extension: Extension;
    try {
      extension = await unlessAborted(begin(), signal);
    } finally {
      waiting--;
    }
    return await call(extension);
  };
  return {
    name: state.name,
    state: () => loaded?.state() ?? { ...state, ...(lost === undefined ? {} : { lost }) },
    registration: () => loaded?.registration() ?? brought,
    emit: (name, event, limitMs, signal) => pass(signal, (each) => each.emit(name, event, limitMs, signal)),
    runTool: (name, args, callId, signal, onUpdate) =>
      pass(signal, (each) => each.runTool(name, args, callId, signal, onUpdate)),
    runCommand: (name, args, signal) => pass(signal, (each) => each.runCommand(name, args, signal)),
    setFlags: (values) => {
      flags = values;
      loaded?.setFlags(values);
    },
    onChange: (listener) => void listeners.push(listener),
    close: () => {
      isClosed = true;
      if (loaded) loaded.close();
      else worker?.lose("it is closed");
    },
    begin: () => begin().then(() => {}, () => {}),
    isSettled: () => loaded !== undefined || lost !== undefined || isClosed,
  };
}

/** Time between the starts of two workers, milliseconds: starting one blocks this thread. */
const GAP_MS = 20;

/** Workers that have not been needed yet. */
export interface LateStarts {
  /** Starts them one after another within this many milliseconds, unless they start sooner for another reason. */
  within(ms: number): void;
  /** Whether one of them is not loaded yet but still can be. */
  isOpen(): boolean;
  /** Starts all of them now, and waits until they are loaded. Never rejects. */
  all(): Promise<void>;
  close(): void;
}

/** The starts of extensions that can wait. */
export function lateStarts(extensions: readonly LateExtension[]): LateStarts {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let due = Infinity;
  let isClosed = false;
  const open = (): readonly LateExtension[] => isClosed ? [] : extensions.filter((each) => !each.isSettled());
  const wait = (ms: number): void => {
    clearTimeout(timer);
    const started = setTimeout(next, ms);
    // A pending timer must not keep the process alive.
    Deno.unrefTimer(started);
    timer = started;
  };
  const next = async (): Promise<void> => {
    await open()[0]?.begin();
    if (open().length > 0) wait(GAP_MS);
  };
  return {
    within: (ms) => {
      if (performance.now() + ms >= due || open().length === 0) return;
      due = performance.now() + ms;
      wait(ms);
    },
    isOpen: () => open().length > 0,
    all: async () => void await Promise.all(open().map((each) => each.begin())),
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
