import { join } from "@std/path";
import { type Config, toolsRoot } from "../config/config.ts";
import { namedFilesOf, namedPaths } from "../config/named_files.ts";
import { linkProblem } from "../core/named_files.ts";
import type { Engine } from "../core/engine.ts";
import type { HookProblem, Hooks } from "../core/hook.ts";
import type { ThinkingLevel } from "../core/provider.ts";
import { discoverExtensions, type DiscoverOptions, type FoundExtension, notLoaded } from "../hooks/load/discover.ts";
import type { ExtensionGrants } from "./extension_grants.ts";
import type { RequestSeams } from "./model/open_model.ts";
import type { EngineCore, EngineOptions } from "./parts.ts";
import type { Pending } from "./work.ts";
import type { Contributed } from "./prompt/prompt_sources.ts";
import type { Prompting } from "./prompting.ts";

/**
 * How long extensions may take at the end of a session to handle events from before it, milliseconds: one may have to
 * be loaded first.
 */
const LAST_WORDS_MS = 2000;

/** The extensions of a session. Where there are none, nothing is loaded that would open them. */
export interface SessionExtensions extends Pick<ExtensionGrants, "settle" | "beginSession"> {
  readonly hooks: () => Hooks | undefined;
  /**
   * Loads the extensions anew, in place of those that are loaded, and gives the paths that they contribute. Throws as
   * `findExtensions`.
   */
  readonly load: (reason: "startup" | "reload") => Promise<Contributed | undefined>;
  /** The user's settings were read anew. */
  readonly takeSettings: (user: Config["user"]) => void;
  /** Closes the loaded extensions, before they are loaded again. */
  readonly leave: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What extensions can reach of a session, besides its parts. */
export interface ExtensionSeams {
  readonly pending: Pending;
  readonly prompting: Prompting;
  /** A function, because the engine is made after the extensions. */
  readonly engine: () => Engine;
  /** The prompt takes the active tools, but not in the middle of a run. */
  readonly retool: () => Promise<void>;
  readonly builtinTools: readonly string[];
}

/** The extensions that a session finds, and those of a program that embeds it. */
export function sessionExtensions(
  core: EngineCore,
  { ui, channel, grants: asking, extensions: inProcess = [] }: EngineOptions,
  { pending, prompting, engine, retool, builtinTools }: ExtensionSeams,
): SessionExtensions {
  let hooks: Hooks | undefined;
  let grants: ExtensionGrants | undefined;
  const report = ({ extension, message }: HookProblem): void => core.notify(`extension ${extension}: ${message}`);

  const load = async (reason: "startup" | "reload"): Promise<Contributed | undefined> => {
    const config = core.config();
    const found = findExtensions(config, reason === "startup", report);
    if (found.length === 0 && inProcess.length === 0) return void (hooks = undefined);
    const [{ contributedBy, extensionTools, openExtensions }, { createExtensionGrants }, actions] = await Promise.all([
      import("./open_extensions.ts"),
      import("./extension_grants.ts"),
      import("./host_actions.ts"),
    ]);
    grants ??= createExtensionGrants(config, asking, report);
    const shown = ui ? actions.announcedUi(ui, (event) => void hooks?.observe(event)) : actions.mutedUi(core.notify);
    const opened = await openExtensions({
      config,
      found,
      policy: () => core.tools.policy,
      host: actions.hostActions(core, pending, prompting, engine, shown),
      facts: { cwd: toolsRoot(config), mode: channel === "stdin" ? "text" : channel, hasUI: ui !== undefined },
      builtinTools,
      inProcess,
      grants,
      report,
      isStart: reason === "startup",
    });
    hooks = opened;
    const takeTools = (): void => {
      // With `--no-tools` the tools of extensions are unknown as well, so that nobody can switch them on.
      if (!config.invocation.values["no-tools"]) core.toolset.replace("extension", extensionTools(opened));
    };
    opened.onToolsChanged(() => {
      takeTools();
      void retool();
    });
    takeTools();
    return await contributedBy(opened, reason);
  };

  return {
    hooks: () => hooks,
    load,
    takeSettings: (user) => grants?.take(user),
    settle: async (reload) => await grants?.settle(reload),
    beginSession: () => grants?.beginSession() ?? false,
    async leave() {
      if (hooks?.has("session_shutdown")) await hooks.observe({ type: "session_shutdown", reason: "reload" });
      hooks?.close();
    },
    async close() {
      try {
        grants?.close();
        if (hooks?.has("session_shutdown")) await hooks.observe({ type: "session_shutdown", reason: "quit" });
        await hooks?.heard(LAST_WORDS_MS);
      } finally {
        hooks?.close();
      }
    },
  };
}

/**
 * The extensions on disk; what was left out is reported. Throws UserError at the start if `-e` names one that does not
 * exist: a guard that was asked for must not be missing silently.
 */
export function findExtensions(
  config: Config,
  isStart: boolean,
  report: (problem: HookProblem) => void,
): readonly FoundExtension[] {
  const { values } = config.invocation;
  const explicit = values["extension"];
  const { found, missing, diagnostics } = discoverExtensions({
    ...(config.projectFolder ? { projectFolder: config.projectFolder } : {}),
    ...(config.userFolder ? { userFolder: config.userFolder } : {}),
    explicit: namedPaths(config, explicit, config.world.cwd),
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
  return found.filter(({ path, origin }) => {
    const why = origin === "project" || origin === "explicit" ? linkProblem(namedFilesOf(config), path) : undefined;
    if (why === undefined) return true;
    if (isStart && origin === "explicit") throw notLoaded(path, why, "Name the file itself if you trust it");
    report({ extension: "extensions", level: "warning", message: `Extension ${path} is left out: ${why}` });
    return false;
  });
}

/** The extensions that were packed into the program. */
function packedExtensions({ world }: Config): DiscoverOptions["packed"] {
  if (world.pack === undefined) return undefined;
  const { isOpen, extensions, folder } = world.pack.pack;
  return { isOpen, paths: extensions.length === 0 ? [] : extensions.map((path) => join(folder(), path)) };
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
