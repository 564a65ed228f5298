import { join } from "@std/path";
import type { Config } from "../config/config.ts";
import { UserError } from "../core/error.ts";
import type { HookProblem, Hooks } from "../core/hook.ts";
import type { ExtensionFacts, HostActions, HostUi } from "../core/host_actions.ts";
import { covers, isInside, type Policy } from "../core/policy.ts";
import type { ThinkingLevel } from "../core/provider.ts";
import { VERSION } from "../core/version.ts";
import { discoverExtensions, type DiscoverOptions } from "../hooks/load/discover.ts";
import type { HooksOptions } from "../hooks/open.ts";
import type { ExtensionGrants } from "./extension_grants.ts";
import type { RequestSeams } from "./model/open_model.ts";
import type { Contributed } from "./prompt/prompt_sources.ts";
import { cacheRoot } from "./sessions/session_folders.ts";
import { foreignTool } from "./tools/foreign_tool.ts";
import type { KnownTool } from "./tools/toolset.ts";

/** What extensions are opened with. */
export interface ExtensionsOptions {
  readonly config: Config;
  /** What the tools may do; a cache that they could write is none. */
  readonly policy: Policy;
  readonly host: HostActions;
  readonly facts: ExtensionFacts;
  readonly builtinTools: readonly string[];
  /** Of a program that embeds the engine. */
  readonly inProcess: NonNullable<HooksOptions["inProcess"]>;
  readonly grants: ExtensionGrants;
  readonly report: (problem: HookProblem) => void;
  /** At the start, an extension of the command line that is missing or does not load ends it; at a reload it is reported. */
  readonly isStart: boolean;
}

/**
 * Opens the extensions of a session; undefined, and nothing loaded, when there are none.
 *
 * Throws UserError at the start for an extension that `-e` names and that cannot be had: whoever names a guard must not
 * get a run without it.
 */
export async function openExtensions(
  { config, policy, host, facts, builtinTools, inProcess, grants, report, isStart }: ExtensionsOptions,
): Promise<Hooks | undefined> {
  const { values } = config.invocation;
  const explicit = values["extension"];
  const { found, missing, diagnostics } = discoverExtensions({
    ...(config.projectFolder ? { projectFolder: config.projectFolder } : {}),
    ...(config.userFolder ? { userFolder: config.userFolder } : {}),
    explicit: Array.isArray(explicit) ? explicit : [],
    packed: packedExtensions(config),
    cwd: config.world.cwd,
    trusted: config.trusted,
    enabled: !values["no-extensions"],
  });
  const [absent] = missing;
  if (isStart && absent !== undefined) {
    throw notLoaded(absent, "there is no such file, and no folder with index.ts", "Correct the path, or leave -e out");
  }
  for (const message of diagnostics) report({ extension: "extensions", level: "warning", message });
  if (found.length === 0 && inProcess.length === 0) return undefined;
  const { openHooks } = await import("../hooks/open.ts");
  const cache = cacheFolder(config, policy);
  // Only the user's own file: a project cannot let its extensions stand in for anything.
  const { shadow = [] } = config.user.extensions ?? {};
  const hooks = await openHooks({
    extensions: found,
    inProcess,
    grants: grants.kept(),
    ...(grants.verdict ? { askGrant: grants.verdict } : {}),
    host,
    facts,
    home: config.world.home,
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

/** The extensions that were packed into the program. */
function packedExtensions({ world }: Config): DiscoverOptions["packed"] {
  if (world.pack === undefined) return undefined;
  const { isOpen, extensions, folder } = world.pack.pack;
  return { isOpen, paths: extensions.length === 0 ? [] : extensions.map((path) => join(folder(), path)) };
}

function notLoaded(path: string, why: string, fix: string): UserError {
  return new UserError({ what: `Cannot load the extension "${path}"`, why, fix });
}

/** Where extensions are kept; undefined where there is no such place, or where the tools could write what the next start runs. */
function cacheFolder(config: Config, { write, denyWrite }: Policy): string | undefined {
  const root = cacheRoot(config.world.env);
  if (root === undefined) return undefined;
  const folder = join(realFolder(root), "extensions");
  const isDenied = denyWrite.some((denied) => isInside(folder, denied));
  return covers(write, folder) && !isDenied ? undefined : folder;
}

/** A folder as the policy names it; one that is not there yet keeps the name that it was given. */
function realFolder(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    return path;
  }
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

/** Tells that the session has begun, and which model and thinking level are those of a resumed session. */
export function tellStart(
  hooks: Hooks | undefined,
  isResumed: boolean,
  restored: { readonly provider: string; readonly id: string } | undefined,
  thinking: { readonly level: ThinkingLevel; readonly previousLevel: ThinkingLevel },
): void {
  void hooks?.observe({ type: "session_start", reason: isResumed ? "resume" : "startup" });
  if (restored) void hooks?.observe({ type: "model_select", model: restored, source: "restore" });
  if (thinking.level !== thinking.previousLevel) {
    void hooks?.observe({ type: "thinking_level_select", ...thinking, source: "restore" });
  }
}

/** Paths that extensions bring, for skills and templates; themes are taken and not used (R224). */
export async function contributedBy(
  hooks: Hooks | undefined,
  reason: "startup" | "reload",
): Promise<Contributed | undefined> {
  if (!hooks?.has("resources_discover")) return undefined;
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

/** What is told of a question: that it is asked, and that it is over. */
export type TellQuestion = (
  event: { readonly type: "ui_prompt_start" | "ui_prompt_end"; readonly kind: string; readonly title: string },
) => void;

/** Questions of extensions to the person, told to whoever listens. */
export function announcedUi(ui: HostUi, tell: TellQuestion): HostUi {
  const told = async <T>(kind: string, title: string, ask: () => Promise<T>): Promise<T> => {
    tell({ type: "ui_prompt_start", kind, title });
    try {
      return await ask();
    } finally {
      tell({ type: "ui_prompt_end", kind, title });
    }
  };
  return {
    ...ui,
    select: (title, ...rest) => told("select", title, () => ui.select(title, ...rest)),
    confirm: (title, ...rest) => told("confirm", title, () => ui.confirm(title, ...rest)),
    input: (title, ...rest) => told("input", title, () => ui.input(title, ...rest)),
  };
}

/** Requests as hooks leave them, right before they are sent (R213–R217). */
export function requestSeams(hooks: () => Hooks | undefined): RequestSeams {
  const listening = (
    event: "before_provider_request" | "before_provider_headers" | "after_provider_response",
  ): Hooks | undefined => {
    const opened = hooks();
    return opened?.has(event) ? opened : undefined;
  };
  return {
    beforeRequest: (payload) =>
      listening("before_provider_request")?.beforeProviderRequest(payload, new AbortController().signal),
    beforeHeaders: async () =>
      await listening("before_provider_headers")?.beforeProviderHeaders({}, new AbortController().signal) ?? {},
    onResponse: (status, headers) => {
      const opened = listening("after_provider_response");
      if (opened) void opened.observe({ type: "after_provider_response", status, headers: headers() });
    },
  };
}
