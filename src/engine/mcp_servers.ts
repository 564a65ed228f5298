// The servers of the Model Context Protocol that a session has. Loaded where the user's settings or the project name one.
import { isObject } from "../core/json.ts";
import type { HostCall, HostUi } from "../core/host_actions.ts";
import type { SessionStore } from "../core/session.ts";
import { within } from "../core/support/sleep.ts";
import type { McpPrompt } from "../mcp/open.ts";
import type { AskUser } from "../mcp/user_input.ts";
import { MCP_SAMPLING } from "./conversation.ts";
import type { SessionMcp } from "./mcp/mcp.ts";
import type { EngineCore } from "./parts.ts";
import type { KnownTool } from "./tools/toolset.ts";

/** A start that takes longer is mentioned, milliseconds. */
const TELL_AFTER_MS = 1000;

/** The servers of a session, as far as the engine has to do with them. */
export interface McpServers {
  /** Called before each prompt: waits for those that are still starting, and takes the tools that they have now. */
  readonly follow: (signal: AbortSignal) => Promise<void>;
  /** Called before each request: takes tools that servers have changed, or that were found, since the last one. */
  readonly followNow: () => void;
  /** The prompts of those that are ready. */
  readonly prompts: () => readonly McpPrompt[];
  /** Settles when each server is ready or has failed; never rejects. */
  readonly ready: () => Promise<void>;
  /** From now on `listener` hears which servers have tools whenever those change, and at once when they have already. */
  readonly listen: (listener: (servers: readonly string[]) => void) => void;
  /** Names of the servers that are programs of this session and run. */
  readonly running: () => readonly string[];
  /** Ends these programs, so that the next scan finds all that they changed; a later call starts one again. */
  readonly rest: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Starts the servers that are named, and keeps the session's tools to what they have. Their code is loaded beside the start
 * of the session, which does not wait for it.
 */
export function openMcpServers(
  core: Pick<EngineCore, "config" | "conversation" | "model" | "notify" | "prompt" | "tools" | "toolset" | "ui">,
): McpServers {
  const { conversation, notify, toolset } = core;
  const [config, choice] = [core.config(), core.model.choice()];
  /** The session whose found tools are active. */
  let activatedOf: SessionStore | undefined;
  /** What servers bring at the start is there. */
  let isComplete = false;
  /** Tools were found since the last request. */
  let hasActivated = false;
  let listener: ((servers: readonly string[]) => void) | undefined;
  let hasChanged = false;
  let isStale = true;
  let here: SessionMcp | undefined;
  let ready: SessionMcp | undefined;
  let last = "";
  const named = (opened: SessionMcp): readonly string[] =>
    opened.states().filter(({ tools }) => tools > 0).map(({ name }) => name);
  const open = async (): Promise<SessionMcp> => {
    const { openSessionMcp } = await import("./mcp/mcp.ts");
    const { ownerOf, serversOf, serverWords } = await import("../config/project_servers.ts");
    const { servers, warnings } = serversOf(config);
    warnings.forEach((warning) => notify(warning));
    const brought = Object.entries(servers).filter(([name]) => ownerOf(config, name) !== "");
    if (brought.length > 0) {
      const words = brought.map(([name, server]) => `${name} (${serverWords(server)})`);
      notify(`MCP servers of this project: ${words.join(", ")}`);
    }
    const opened = here = openSessionMcp({
      config,
      servers,
      choice,
      policy: () => core.tools.held?.policy ?? core.tools.policy, // it lasts longer than a plan, in which no tool of a server runs
      onNotice: notify,
      ...(core.ui ? { user: askUser(core.ui) } : {}),
      async sample(request, signal) {
        const { sampled } = await import("./mcp/sampling.ts");
        const { provider, id } = await core.model.current();
        const text = await sampled(provider, request, signal, (usage) => {
          conversation.append({ type: "custom", customType: MCP_SAMPLING, data: { usage: { ...usage } } });
        });
        return { text, model: id };
      },
      /** What a search found is callable from the next request on, and in this session when it is opened again. */
      activate(names) {
        toolset.activate(names);
        hasActivated = true;
        conversation.append({ type: "custom", customType: ACTIVATED, data: { names: [...names] } });
      },
    });
    opened.onChanged(() => {
      hasChanged = isStale = true;
      listener?.(named(opened));
    });
    return opened;
  };
  const opening = open();
  /** The tools where these are others than at the last call. */
  const take = (): readonly KnownTool[] | undefined => {
    if (!ready || !isStale) return undefined;
    isStale = false;
    const known = ready.known();
    const now = JSON.stringify(known.map(({ definition }) => definition));
    if (now === last) return undefined;
    last = now;
    return known;
  };
  /** Tools that were found belong to the session in which they were. */
  const restoreActivated = (): void => {
    const store = conversation.store();
    if (activatedOf === store) return;
    activatedOf = store;
    toolset.activate(activatedIn(store), true);
    core.prompt.takeTools(toolset.active(), "tools", true);
  };
  /** Waits for the servers, and says so if they take a while. */
  const toldOf = async (opened: SessionMcp, signal: AbortSignal): Promise<void> => {
    const ready = opened.ready(signal);
    const isReady = await within(TELL_AFTER_MS, ready.then(() => true));
    const starting = opened.states().filter(({ state }) => state === "starting").map(({ name }) => name);
    if (isReady || starting.length === 0) return await ready;
    const which = starting.length === 1 ? `the MCP server ${starting[0]}` : `the MCP servers ${starting.join(", ")}`;
    notify(`Waiting for ${which} to start before the message is sent`, "info");
    await ready;
  };
  return {
    async follow(signal) {
      const opened = await opening;
      await toldOf(opened, signal);
      ready = opened;
      const known = take();
      restoreActivated();
      if (!known) return;
      toolset.replace("mcp", known);
      // The first belong to the start: a resumed session keeps the clock that it was started with.
      core.prompt.takeTools(toolset.active(), "tools", !isComplete);
      isComplete = true;
    },
    followNow() {
      const known = take();
      if (known) toolset.replace("mcp", known);
      if (!known && !hasActivated) return;
      hasActivated = false;
      core.prompt.takeTools(toolset.active(), "tools", true);
    },
    prompts: () => here?.prompts() ?? [],
    ready: async () => void await opening.then((opened) => opened.ready(), () => {}),
    listen(next) {
      listener = next;
      if (hasChanged) void opening.then((opened) => next(named(opened)));
    },
    running: () => here?.running() ?? [],
    rest: async () => await here?.rest(),
    close: async () => void await (await opening.catch(() => undefined))?.close(),
  };
}

/** Questions of servers in the dialogs of extensions. */
function askUser(ui: HostUi): AskUser {
  const call = (signal: AbortSignal): HostCall => ({ extension: "MCP", signal });
  return {
    select: (title, options, signal) => ui.select(title, options, {}, call(signal)),
    input: (title, placeholder, signal) => ui.input(title, placeholder, {}, call(signal)),
  };
}

/** The custom type of entries that name the tools which a search has made active. */
const ACTIVATED = "activated_tools";

/** The names of the tools that searches of a session have made active, in that order. */
function activatedIn(store: Pick<SessionStore, "entries">): readonly string[] {
  const names = store.entries().flatMap((entry) => {
    if (entry.type !== "custom" || entry.customType !== ACTIVATED) return [];
    const found = isObject(entry.data) ? entry.data["names"] : undefined;
    return Array.isArray(found) ? found.filter((name) => typeof name === "string") : [];
  });
  return [...new Set(names)];
}
