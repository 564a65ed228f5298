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
