import { join } from "@std/path";
import { messageOf, UserError } from "../core/error.ts";
import type { NamedFiles } from "../core/named_files.ts";
import type { ExtensionFiles } from "../core/extension_files.ts";
import type { ExtensionPermissions, ExtensionState, GrantRequest, HookProblem, Hooks } from "../core/hook.ts";
import type { ExtensionFacts, HostActions } from "../core/host_actions.ts";
import type { ExtensionFactory } from "./api/api.ts";
import { openContributions } from "./load/contributions.ts";
import { openBus } from "./bus.ts";
import { openCompiledCache } from "./code/compiled_cache.ts";
import type { FoundExtension } from "./load/discover.ts";
import type { Extension } from "./events/extension.ts";
import { loadInProcess } from "./api/in_process.ts";
import { registrationCache } from "./load/registration_cache.ts";
import { type LateExtension, lateStarts } from "./load/late_extension.ts";
import { type GrantVerdict, startExtension } from "./load/start_extension.ts";
import { watchMemory } from "./load/memory_watch.ts";
import type { WatchedWorker, WorkerLimits } from "./worker/host.ts";
import { type StartLink, startWorker } from "./worker/link.ts";

/** An extension of a program that embeds the engine: its factory, or what loads it from wherever it runs. */
export type InProcessExtension =
  | { readonly name: string; readonly factory: ExtensionFactory }
  | { readonly name: string; readonly load: (host: HostActions, facts: ExtensionFacts) => Promise<Extension> };

/** What the engine gives so that extensions can run. */
export interface HooksOptions {
  /** What `discoverExtensions` found, in load order. */
  readonly extensions: readonly FoundExtension[];
  /** Extensions of a program that embeds the engine: trusted, in its own process, before all others. */
  readonly inProcess?: readonly InProcessExtension[];
  /** What the user granted, by the hash of an extension's files. */
  readonly grants: ReadonlyMap<string, ExtensionPermissions>;
  /**
   * Asks about an extension that wants something and of which `grants` say nothing, before its worker starts. Without it
   * nobody can be asked. Must not reject.
   */
  readonly askGrant?: (request: GrantRequest) => Promise<GrantVerdict>;
  readonly host: HostActions;
  readonly facts: ExtensionFacts;
  /** Opens the files that an extension was granted. */
  readonly files: (granted: ExtensionPermissions) => ExtensionFiles;
  /** Opens the sources of extensions that are not the user's own, in which tools can replace directories and links. */
  readonly sources?: NamedFiles;
  /** Where compiled extensions, and what they bring, are kept; outside the tools' scope. */
  readonly cacheFolder?: string;
  /** Of the program: what another one kept is not used. */
  readonly version?: string;
  readonly builtinTools: ReadonlySet<string>;
  /** Built-in tools that the user lets extensions stand in for. */
  readonly mayShadow?: ReadonlySet<string>;
  /** Told of everything that a person should know, also while loading. */
  readonly report: (problem: HookProblem) => void;
  readonly limits?: Partial<WorkerLimits>;
  /** How workers start; those of this process unless told otherwise. */
  readonly startLink?: StartLink;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/**
 * How long a worker that nothing needs waits at most, milliseconds: after the start, and after a request was built, when
 * that should be out, the tools' processes should have started, and a model takes longer to answer.
 */
const IDLE_MS = 1000;
const REQUEST_MS = 100;

const LIMITS: WorkerLimits = { loadMs: 5000, toolMs: 300_000, commandMs: 60_000, eventMs: 60_000 };

/**
 * Loads extensions, side by side, and opens the hooks of a session. Never rejects: an extension that does not load is
 * reported and left out. Without extensions nothing is started, and one of which it is known what it brings is not waited
 * for.
 */
export async function openHooks(options: HooksOptions): Promise<Hooks> {
  const cache = openCompiledCache(options.cacheFolder);
  const { cacheFolder, version = "" } = options;
  const registrations = registrationCache(cacheFolder === undefined ? undefined : join(cacheFolder, "brought"));
  const late: LateExtension[] = [];
  const limits = { ...LIMITS, ...options.limits };
  const failed: ExtensionState[] = [];
  const watched: WatchedWorker[] = [];
  const stopWatch = options.extensions.length > 0 ? watchMemory(() => watched) : () => {};
  const leaveOut = (state: ExtensionState, error: unknown): undefined => {
    const why = error instanceof UserError ? `${error.message}. ${error.fix}` : messageOf(error);
    failed.push({ ...state, lost: why });
    options.report({ extension: state.name, level: "error", message: `is not loaded: ${why}` });
  };
  const { host, facts } = options;
  const inProcess = (options.inProcess ?? []).map((own) => {
    const loading = "load" in own ? own.load(host, facts) : loadInProcess(own.name, own.factory, host, facts);
    return loading.catch((error) => leaveOut({ name: own.name, wants: {}, granted: {} }, error));
  });
  const inWorkers = options.extensions.map((found) =>
    startExtension(found, {
      ...options,
      ...{ cache, registrations, version, limits, startLink: options.startLink ?? startWorker },
      onStarted: (worker) => void watched.push(worker),
      onLate: (extension) => void late.push(extension),
    }).catch((error) => leaveOut({ name: found.name, path: found.path, wants: {}, granted: {} }, error))
  );
  const isThere = <E>(extension: E | undefined): extension is E => extension !== undefined;
  const extensions: readonly Extension[] = (await Promise.all([...inProcess, ...inWorkers])).filter(isThere);
  for (const extension of extensions) {
    const tellEnd = (): void => {
      const { lost } = extension.state();
      if (lost !== undefined) {
        options.report({ extension: extension.name, level: "error", message: `was ended: ${lost}` });
      }
    };
    extension.onChange(tellEnd);
    tellEnd(); // one that is started early may have failed already
  }
  const starts = lateStarts(late);
  starts.within(IDLE_MS);
  return {
    ...openBus(extensions, {
      facts: options.facts,
      late: starts,
      report: options.report,
      now: options.now ?? Date.now,
    }),
    ...openContributions(extensions, {
      builtinTools: options.builtinTools,
      mayShadow: options.mayShadow ?? new Set(),
      report: options.report,
    }),
    startLate: () => starts.within(REQUEST_MS),
    extensions: () => [...extensions.map((extension) => extension.state()), ...failed],
    close: () => {
      stopWatch();
      starts.close();
      for (const extension of extensions) extension.close();
    },
  };
}
