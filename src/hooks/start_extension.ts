import type { ExtensionPermissions, GrantRequest, HookProblem } from "../core/hook.ts";
import type { ExtensionFacts, HostActions } from "../core/host_actions.ts";
import type { CompiledCache } from "./compiled_cache.ts";
import type { FoundExtension } from "./discover.ts";
import type { Extension } from "./extension.ts";
import { missingText } from "./grant_text.ts";
import { readManifest } from "./manifest.ts";
import { readSource } from "./source_files.ts";
import { loadInWorker, type WatchedWorker, type WorkerLimits } from "./worker_host.ts";
import type { StartLink } from "./worker_link.ts";
import { grantedOf, missingOf, workerPermissions } from "./worker_permissions.ts";

/** An answer about all that an extension asks for; `open`: it will be asked later, and there is nothing to report yet. */
export type GrantVerdict = "granted" | "refused" | "open";

/** What starting any extension needs. */
export interface StartOptions {
  readonly grants: ReadonlyMap<string, ExtensionPermissions>;
  /** See `HooksOptions`. */
  readonly askGrant?: ((request: GrantRequest) => Promise<GrantVerdict>) | undefined;
  readonly host: HostActions;
  readonly facts: ExtensionFacts;
  readonly home: string;
  readonly cache: CompiledCache;
  readonly limits: WorkerLimits;
  readonly startLink: StartLink;
  readonly report: (problem: HookProblem) => void;
  readonly onStarted: (worker: WatchedWorker) => void;
}

/** Reads an extension and starts its worker with what was granted to exactly these files. Rejects when it does not load. */
export async function startExtension(found: FoundExtension, options: StartOptions): Promise<Extension> {
  const { name } = found;
  const report = (level: HookProblem["level"], message: string): void =>
    options.report({ extension: name, level, message });
  const source = readSource(found.path);
  const wants = readManifest(source);
  const kept = options.grants.get(source.hash);
  const before = grantedOf(wants, kept);
  const missing = missingOf(wants, before);
  // Whoever wrote down a part of it has decided, and is not asked about the rest.
  const verdict = missing.length > 0 && kept === undefined && options.askGrant
    ? await options.askGrant({ name, path: source.entry, hash: source.hash, wants })
    : "refused";
  const granted = verdict === "granted" ? wants : before;
  if (missing.length > 0 && verdict === "refused") report("warning", missingText(source.hash, wants, missing));
  const compiled = options.cache.get(source);
  return await loadInWorker({
    ...{ name, path: source.entry, hash: source.hash, wants, granted },
    permissions: workerPermissions(granted, { cwd: options.facts.cwd, home: options.home }),
    order: {
      modules: compiled ?? source.files.map(({ path, text, imports }) => ({ path, code: text, imports })),
      isSource: compiled === undefined,
      env: granted.env ?? [],
      facts: options.facts,
    },
    host: options.host,
    facts: options.facts,
    limits: options.limits,
    startLink: options.startLink,
    onLog: report,
    onStarted: options.onStarted,
    onCompiled: (modules) => options.cache.put(source, modules),
    now: () => performance.now(),
  });
}
