import { openAudit } from "../../session/audit.ts";
import type { AskPermission, Engine } from "../../core/engine.ts";
import { messageOf } from "../../core/error.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { Hooks } from "../../core/hook.ts";
import type { HookName } from "../../core/hook_events.ts";
import type { HostUi } from "../../core/host_actions.ts";
import type { Tool } from "../../core/tool.ts";
import type { HooksOptions } from "../../hooks/open.ts";
import { readSkillAt, TOOLS } from "../../../tools/mod.ts";
import { gatherBase, type PromptBase } from "../base.ts";
import type { Config } from "../config.ts";
import type { ModelChoice } from "../model.ts";
import { permissionEvents } from "../permission_events.ts";
import { chooseSession } from "../session_choice.ts";
import { openTools } from "../tools_host.ts";
import { createCompactor } from "./compaction.ts";
import { openConversation } from "./conversation.ts";
import { type EngineCore, tell } from "./core.ts";
import { contributedBy, openExtensions } from "./extensions.ts";
import { foreignTool } from "./foreign_tool.ts";
import { hostActions, mutedUi } from "./host_actions.ts";
import { faceOf } from "./face.ts";
import { createModelState } from "./model_state.ts";
import { createPending } from "./pending.ts";
import { createPromptState, type PromptState } from "./prompt_state.ts";
import { createPrompting } from "./prompting.ts";
import { requestSeams } from "./request_seams.ts";
import { compactionReview } from "./review.ts";
import { keepReading, restoreReading } from "./runtime_reading.ts";
import { thinkingOf, windowOf } from "./settings_of.ts";
import { createSubscribers } from "./subscribers.ts";
import { builtinTool, createToolset } from "./toolset.ts";
import { queuesOf } from "./turns.ts";
import { createWork } from "./work.ts";

const TOOL_NAMES = TOOLS.map(({ name }) => name);

/** What an engine is opened with. */
export interface EngineOptions {
  readonly config: Config;
  readonly choice: ModelChoice;
  /** Answers denials; without it they are final. */
  readonly ask?: AskPermission;
  /** Who reads along: the prompt says whether anybody can answer (R409). */
  readonly channel: "interactive" | "text" | "stdin" | "json" | "rpc";
  /** How extensions speak with the person; without it nobody can be asked. */
  readonly ui?: HostUi;
  /** Extensions of a program that embeds the engine, in its own process. */
  readonly extensions?: NonNullable<HooksOptions["inProcess"]>;
}

/**
 * Opens a session with everything that belongs to it. The runner's process starts first, so that it warms up while
 * context is gathered and the prompt is compiled.
 *
 * Throws UserError for a session, file or option that cannot be used; nothing is left running then.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { config, choice, ask, channel } = options;
  const notices: string[] = [...config.warnings];
  const subscribers = createSubscribers();
  // Until somebody listens, what there is to say is kept for the start.
  let say = (message: string): void => void notices.push(message);
  const store = chooseSession(config, (message) => say(message));
  const conversation = openConversation(store);
  const audit = config.auditFolder === undefined
    ? undefined
    : openAudit(config.auditFolder, store.header.id, Date.now, (error) =>
      say(`the audit cannot be written: ${messageOf(error)}`));
  let hooks: Hooks | undefined;
  const made: { prompt?: PromptState } = {};
  const emit = (event: AgentEvent): void => {
    conversation.record(event);
    audit?.read(event);
    if (event.type === "prompt_compiled") keepReading(conversation, core.prompt);
    if (hooks?.has(event.type as HookName)) void hooks.observe(event); // every event of a run can be observed
    subscribers.tell(event);
  };
  const tools = openTools(config, true, ask ? permissionEvents(ask, emit) : undefined);
  notices.push(...tools.notices);
  let base: PromptBase | undefined;
  const skillPlaces = () => new Map((base?.sources.skills ?? []).map(({ slug, path }) => [slug, path]));
  const builtin = () => tools.active.map((tool) => builtinTool(forSession(tool, skillPlaces), tools.run));
  const toolset = createToolset(builtin(), tools.active.map(({ name }) => name), false);
  const model = createModelState(
    config,
    choice,
    thinkingOf(config, conversation.context().thinkingLevel),
    requestSeams(() => hooks),
    (notice) => say(notice),
  );
  let followed = tools.policy;
  const work = createWork();
  const queues = queuesOf(config);
  const auto = { on: config.settings.compaction?.enabled ?? true };
  const compactor = createCompactor({
    conversation,
    model: model.current,
    settings: () => windowOf(config, auto.on),
    fixed: () => [core.prompt.peek().full, JSON.stringify(toolset.active().map(({ definition }) => definition))],
    review: () => compactionReview(hooks),
  });
  // Their code is loaded with the first server that somebody names.
  const servers = config.user.mcpServers ?? {};
  const mcp = Object.keys(servers).length === 0 || config.invocation.values["no-tools"]
    ? undefined
    : import("../mcp.ts").then(({ openSessionMcp }) =>
      openSessionMcp({ config, servers, choice, policy: () => tools.policy, onNotice: (sentence) => say(sentence) })
    );
  let serverTools = "";
  const core: EngineCore = {
    config: () => config,
    tools,
    toolset,
    conversation,
    queues,
    get prompt() {
      if (made.prompt) return made.prompt;
      throw new Error("the session is still starting");
    },
    model,
    compactor,
    inputs: () => base?.sources ?? { skills: [], choice: {}, templates: [], root: config.root },
    hooks: () => hooks,
    work,
    followPolicy() {
      if (tools.policy === followed) return;
      followed = tools.policy;
      toolset.replace("builtin", builtin());
      core.prompt.takePolicy(followed, tools.granted, toolset.active());
    },
    async followServers(signal) {
      const opened = await mcp;
      if (!opened) return;
      await opened.ready(signal);
      const known = opened.known();
      const now = JSON.stringify(known.map(({ definition }) => definition));
      if (now === serverTools) return;
      serverTools = now;
      toolset.replace("mcp", known);
      core.prompt.takeTools(toolset.active(), "tools");
    },
    emit,
  };
  const pending = createPending(core);
  const prompting = createPrompting(core, pending);
  const closeAll = async (): Promise<void> => {
    if (hooks?.has("session_shutdown")) await hooks.observe({ type: "session_shutdown", reason: "quit" });
    hooks?.close();
    await (await mcp?.catch(() => undefined))?.close();
    await tools.close();
    conversation.close();
  };
  /** Extensions, and then everything that is on disk for the prompt. */
  const gather = async (reason: "startup" | "reload"): Promise<PromptBase> => {
    const ui = options.ui ?? mutedUi((message, level) => emit({ type: "notice", level, message }));
    const opening = openExtensions({
      config,
      host: hostActions(core, pending, prompting, () => engine, ui),
      facts: { cwd: config.root, mode: channel === "stdin" ? "text" : channel, hasUI: options.ui !== undefined },
      builtinTools: TOOL_NAMES,
      inProcess: options.extensions ?? [],
      report: ({ extension, message }) => say(`extension ${extension}: ${message}`),
    });
    const gathered = gatherBase(config, tools, channel);
    const [opened] = await Promise.all([opening, gathered.catch(() => {})]);
    hooks = opened;
    if (!hooks) return await gathered;
    hooks.onToolsChanged(() => {
      takeExtensionTools();
      void retool();
    });
    takeExtensionTools();
    const contributed = await contributedBy(hooks, reason);
    return contributed ? await gatherBase(config, tools, channel, contributed) : await gathered;
  };
  const takeExtensionTools = (): void => {
    const opened = hooks;
    if (!opened) return;
    toolset.replace(
      "extension",
      opened.tools().map((brought) =>
        foreignTool(
          brought,
          "extension",
          (args, callId, { signal, onUpdate }) => opened.runTool(brought.name, args, callId, signal, onUpdate),
        )
      ),
    );
  };
  /** Never in the middle of a run: its requests keep their prefix (R447). */
  const retool = async (): Promise<void> => {
    if (work.kind() === "run") await work.idle();
    made.prompt?.takeTools(toolset.active(), "tools");
  };
  const reload = async (): Promise<void> => {
    const before = hooks;
    if (before?.has("session_shutdown")) await before.observe({ type: "session_shutdown", reason: "reload" });
    before?.close();
    toolset.replace("extension", []);
    base = await gather("reload");
    core.prompt.takeTools(toolset.active(), "reload");
    core.prompt.takeBase(base, "reload");
    void hooks?.observe({ type: "session_start", reason: "reload" });
  };
  const engine = faceOf(core, {
    notices,
    pending,
    prompting,
    auto,
    retool,
    reload,
    subscribe: subscribers.add,
    close: closeAll,
  });
  try {
    base = await gather("startup");
  } catch (error) {
    await closeAll();
    throw error;
  }
  notices.push(...base.notices);
  made.prompt = createPromptState(base, toolset.active(), tools.policy);
  restoreReading(conversation, made.prompt);
  const isResumed = conversation.state.messages.length > 0;
  void hooks?.observe({ type: "session_start", reason: isResumed ? "resume" : "startup" });
  say = (message) => tell(core, message);
  return engine;
}

/** `read_skill` finds skills where this session has them. */
function forSession(tool: Tool, places: () => ReadonlyMap<string, string>): Tool {
  return tool.name === "read_skill" ? readSkillAt(places) as Tool : tool; // as all tools of the table
}
