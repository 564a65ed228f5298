import type { NamedFiles } from "../../core/named_files.ts";
import type { ExtensionFiles } from "../../core/extension_files.ts";
import type { ExtensionPermissions, GrantRequest, HookProblem } from "../../core/hook.ts";
import type { HookName } from "../../core/hook_events.ts";
import type { ExtensionFacts, HostActions } from "../../core/host_actions.ts";
import type { CompiledCache } from "../code/compiled_cache.ts";
import { readSource } from "../code/source_files.ts";
import type { Extension } from "../events/extension.ts";
import { loadInWorker, type WatchedWorker, type WorkerLimits } from "../worker/host.ts";
import type { StartLink } from "../worker/link.ts";
import { grantedOf, missingOf, workerPermissions } from "../worker/permissions.ts";
import type { FoundExtension } from "./discover.ts";
import { missingText } from "./grant_text.ts";
import type { RegistrationCache } from "./registration_cache.ts";
import { type LateExtension, lateExtension } from "./late_extension.ts";
import { readManifest } from "./manifest.ts";

/** An answer about all that an extension asks for; `open`: it will be asked later, and there is nothing to report yet. */
export type GrantVerdict = "granted" | "refused" | "open";

/** What starting any extension needs. */
export interface StartOptions {
  readonly grants: ReadonlyMap<string, ExtensionPermissions>;
  /** See `HooksOptions`. */
  readonly askGrant?: ((request: GrantRequest) => Promise<GrantVerdict>) | undefined;
  readonly host: HostActions;
  readonly facts: ExtensionFacts;
  /** See `HooksOptions`. */
  readonly files: (granted: ExtensionPermissions) => ExtensionFiles;
  /** See `HooksOptions`. */
  readonly sources?: NamedFiles | undefined;
  /** See `HooksOptions`. */
  readonly version: string;
  readonly cache: CompiledCache;
  readonly registrations: RegistrationCache;
  readonly limits: WorkerLimits;
  readonly startLink: StartLink;
  readonly report: (problem: HookProblem) => void;
  readonly onStarted: (worker: WatchedWorker) => void;
  /** Told of an extension that is not waited for, and whose worker starts at the first need unless somebody begins it. */
  readonly onLate: (extension: LateExtension) => void;
}

/**
 * Reads an extension and starts its worker with what was granted to exactly these files. Rejects when it does not load.
 *
 * One that cannot learn anything of the outside while it loads, because it was granted nothing, brings the same each time,
 * and from the second time on nobody waits for it: until it is loaded, what it brought before holds.
 */
export async function startExtension(found: FoundExtension, options: StartOptions): Promise<Extension> {
  const { name } = found;
  const report = (level: HookProblem["level"], message: string): void =>
    options.report({ extension: name, level, message });
  const isOwn = found.origin === "user" || found.origin === "packed";
  const source = readSource(found.path, isOwn ? undefined : options.sources);
  const wants = readManifest(source);
  const written = options.grants.get(source.hash);
  const before = grantedOf(wants, written);
  const missing = missingOf(wants, before);
  // Whoever wrote down a part of it has decided, and is not asked about the rest.
  const verdict = missing.length > 0 && written === undefined && options.askGrant
    ? await options.askGrant({ name, path: source.entry, hash: source.hash, wants })
    : "refused";
  const granted = verdict === "granted" ? wants : before;
  if (missing.length > 0 && verdict === "refused") report("warning", missingText(source.hash, wants, missing));
  const { cwd, mode, hasUI } = options.facts;
  const isAlone = Object.keys(granted).length === 0;
  const kept = isAlone
    ? options.registrations(source.hash, [options.version, source.entry, cwd, mode, String(hasUI)])
    : undefined;
  const state = { name, path: source.entry, hash: source.hash, wants, granted };
  const load = async (onStarted: (worker: WatchedWorker) => void): Promise<Extension> => {
    const compiled = options.cache.get(source);
    const extension = await loadInWorker({
      state,
      permissions: workerPermissions(granted),
      files: options.files(granted),
      order: {
        modules: compiled ?? source.files.map(({ path, text, imports }) => ({ path, code: text, imports })),
        isSource: compiled === undefined,
        env: granted.env ?? [],
        hasFiles: (granted.read ?? granted.write) !== undefined,
        facts: options.facts,
      },
      host: options.host,
      limits: options.limits,
      startLink: options.startLink,
      onLog: report,
      onUnasked: () => kept?.varies(),
      onStarted: (worker) => {
        options.onStarted(worker);
        onStarted(worker);
      },
      onCompiled: (modules) => options.cache.put(source, modules),
      now: () => performance.now(),
    });
    kept?.loaded(extension.registration());
    return extension;
  };
  if (!kept?.brought) return await load(() => {});
  const loadLate: typeof load = (onStarted) =>
    load(onStarted).catch((error) => {
      // The next start waits for it, and leaves it out if it fails again.
      kept.varies();
      throw error;
    });
  const late = lateExtension({ state, brought: kept.brought, load: loadLate });
  options.onLate(late);
  // While it starts, everything else goes on: only what it has to say something about waits for it.
  if (isNeededEarly(kept.brought.events)) void late.begin();
  return late;
}

/** Events that come before the first request of a session is out, or may: who listens to one is needed at once. */
const EARLY: ReadonlySet<HookName> = new Set<HookName>([
  ...["input", "before_agent_start", "context", "before_provider_request", "before_provider_headers"] as const,
  ...["resources_discover", "session_start", "model_select", "mcp_servers_change", "notice"] as const,
  ...["agent_start", "turn_start", "prompt_compiled", "message_start", "message_end"] as const,
]);

/** Whether a list of events has one that comes before the first request. */
export function isNeededEarly(events: readonly HookName[]): boolean {
  return events.some((name) => EARLY.has(name));
}
