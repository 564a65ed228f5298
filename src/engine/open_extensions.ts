// Extensions of a session, opened: their hooks, tools and paths. Loaded where there is one.
import { join } from "@std/path";
import { attempt } from "../core/support/attempt.ts";
import type { Config } from "../config/config.ts";
import { repositoryFiles } from "../config/named_files.ts";
import type { HookProblem, Hooks } from "../core/hook.ts";
import type { ExtensionFacts, HostActions } from "../core/host_actions.ts";
import { covers, isInside, type Policy } from "../core/policy.ts";
import { VERSION } from "../core/version.ts";
import { type FoundExtension, notLoaded } from "../hooks/load/discover.ts";
import { type HooksOptions, openHooks } from "../hooks/open.ts";
import type { ExtensionGrants } from "./extension_grants.ts";
import type { Contributed } from "./prompt/prompt_sources.ts";
import { cacheRoot } from "./sessions/session_folders.ts";
import { extensionFiles } from "./tools/extension_files.ts";
import { foreignTool } from "./tools/foreign_tool.ts";
import type { KnownTool } from "./tools/toolset.ts";

/** What extensions are opened with. */
export interface ExtensionsOptions {
  readonly config: Config;
  readonly found: readonly FoundExtension[];
  /** What the tools may do at the moment; a cache that they could write is none. */
  readonly policy: () => Policy;
  readonly host: HostActions;
  readonly facts: ExtensionFacts;
  readonly builtinTools: readonly string[];
  /** Of a program that embeds the engine. */
  readonly inProcess: NonNullable<HooksOptions["inProcess"]>;
  readonly grants: ExtensionGrants;
  readonly report: (problem: HookProblem) => void;
  /** At the start, an extension of the command line that does not load ends it; at a reload it is reported. */
  readonly isStart: boolean;
}

/** Opens extensions that were found. Throws UserError at the start for one that `-e` names and that does not load. */
export async function openExtensions(
  { config, found, policy, host, facts, builtinTools, inProcess, grants, report, isStart }: ExtensionsOptions,
): Promise<Hooks> {
  const { values } = config.invocation;
  const cache = cacheFolder(config, policy());
  // Only the user's own file: a project cannot let its extensions stand in for anything.
  const { shadow = [] } = config.user.extensions ?? {};
  const hooks = await openHooks({
    extensions: found,
    inProcess,
    grants: grants.kept(),
    ...(grants.verdict ? { askGrant: grants.verdict } : {}),
    host,
    facts,
    files: (granted) => {
      const roots = (): readonly string[] => {
        const { root, write } = policy();
        return [facts.cwd, root, ...(write.all ? ["/"] : write.list)];
      };
      return extensionFiles(granted, { policy, roots, cwd: facts.cwd, home: config.world.home });
    },
    sources: repositoryFiles(config),
    ...(cache ? { cacheFolder: cache } : {}),
    version: VERSION,
    builtinTools: new Set(builtinTools),
    mayShadow: new Set(shadow),
    report,
  });
  const named = new Set(
    found.flatMap(({ origin, path }) => origin === "explicit" || origin === "packed" ? [path] : []),
  );
  const failed = hooks.extensions().find(({ path, lost }) => lost !== undefined && named.has(path ?? ""));
  if (isStart && failed?.path !== undefined) {
    hooks.close();
    throw notLoaded(failed.path, failed.lost ?? "", "Mend it, or leave -e out");
  }
  hooks.setFlags(flagsOf(values["flag"]));
  return hooks;
}

/** Where extensions are kept; undefined where there is no such place, or where the tools could write what the next start runs. */
function cacheFolder(config: Config, { write, denyWrite }: Policy): string | undefined {
  const root = cacheRoot(config.world.env);
  if (root === undefined) return undefined;
  // As the policy names it; one that is not there yet keeps the name that it was given.
  const folder = join(attempt(() => Deno.realPathSync(root)) ?? root, "extensions");
  const isDenied = denyWrite.some((denied) => isInside(folder, denied));
  return covers(write, folder) && !isDenied ? undefined : folder;
}

/** The tools that extensions brought, as those of the session. */
export function extensionTools(hooks: Hooks): readonly KnownTool[] {
  return hooks.tools().map((brought) =>
    foreignTool(
      brought,
      "extension",
      (args, callId, { signal, onUpdate }) => hooks.runTool(brought.name, args, callId, signal, onUpdate),
    )
  );
}

/** Paths that extensions bring, for skills and templates; themes are taken and not used (R224). */
export async function contributedBy(
  hooks: Hooks,
  reason: "startup" | "reload",
): Promise<Contributed | undefined> {
  if (!hooks.has("resources_discover")) return undefined;
  const { skillPaths, promptPaths } = await hooks.resourcesDiscover(reason, new AbortController().signal);
  const paths = (list: readonly { readonly path: string }[]): string[] => list.map(({ path }) => path);
  return { skills: paths(skillPaths), templates: paths(promptPaths) };
}

/** `--flag name` and `--flag name=value`. */
function flagsOf(given: unknown): Readonly<Record<string, boolean | string>> {
  const words = Array.isArray(given) ? given.map(String) : [];
  return Object.fromEntries(words.map((word) => {
    const at = word.indexOf("=");
    return at < 0 ? [word, true] : [word.slice(0, at), word.slice(at + 1)];
  }));
}
