import { openAudit } from "../../session/audit.ts";
import type { Engine } from "../../core/engine.ts";
import { messageOf } from "../../core/error.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { HookProblem, Hooks } from "../../core/hook.ts";
import type { HookName } from "../../core/hook_events.ts";
import { once } from "../../core/once.ts";
import type { Tool } from "../../core/tool.ts";
import { readSkillAt, TOOLS } from "../../../tools/mod.ts";
import { refuseUnknown } from "../active_tools.ts";
import { gatherBase, type PromptBase } from "../base.ts";
import { withSettingsAnew } from "../config.ts";
import { permissionEvents } from "../permission_events.ts";
import { chooseSession } from "../session_choice.ts";
import { openTools } from "../tools_host.ts";
import { isUserBashUnconfined, openUnconfinedBash, UNCONFINED_NOTICE } from "../unconfined_bash.ts";
import { readVariable } from "../world.ts";
import { createCompactor } from "./compaction.ts";
import { type Conversation, openConversation } from "./conversation.ts";
import { type AutoSwitches, type EngineCore, tell } from "./core.ts";
import { createExtensionGrants } from "./extension_grants.ts";
import { contributedBy, extensionTools, openExtensions, tellStart } from "./extensions.ts";
import { hostActions, mutedUi } from "./host_actions.ts";
import type { EngineOptions } from "./engine_options.ts";
import { faceOf } from "./face.ts";
import { foreseeCalls } from "./foresee_calls.ts";
import { createModelState, modelView } from "./model_state.ts";
import { createPending } from "./pending.ts";
import { createPromptState, type PromptState } from "./prompt_state.ts";
import { createPrompting } from "./prompting.ts";
import { requestSeams } from "./request_seams.ts";
import { compactionReview } from "./review.ts";
import { keepServer, otherServer } from "./asked_server.ts";
import { keepReading, restoreReading } from "./runtime_reading.ts";
import { thinkingOf, windowOf } from "./settings_of.ts";
import { openServers } from "./servers.ts";
import { createSubscribers } from "./subscribers.ts";
import { toldUi } from "./told_ui.ts";
import { builtinTool, createToolset } from "./toolset.ts";
import { queuesOf } from "./turns.ts";
import { createUserBash } from "./user_bash.ts";
import { createWork, whenIdle } from "./work.ts";

const TOOL_NAMES = TOOLS.map(({ name }) => name);

/**
 * Opens a session with everything that belongs to it. No process of the tools starts before the first request is out.
 *
 * Throws UserError for a session, file or option that cannot be used; nothing is left running then.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { ask, channel } = options;
  let { config } = options;
  const notices: string[] = [...config.warnings, ...(isUserBashUnconfined(config) ? [UNCONFINED_NOTICE] : [])];
  const subscribers = createSubscribers();
  // Until somebody listens, what there is to say is kept for the start.
  let say = (message: string): void => void notices.push(message);
  const store = chooseSession(config, (message) => say(message));
  const conversation = openConversation(store);
  const audit = auditOf(conversation, config.auditFolder, (notice) => say(notice));
  let hooks: Hooks | undefined;
  const made: { prompt?: PromptState } = {};
  const emit = (event: AgentEvent): void => {
    conversation.record(event);
    audit(event);
    if (event.type === "prompt_compiled") {
      keepReading(conversation, core.prompt);
      keepServer(conversation, model.choice());
    }
    foreseeCalls(event, tools.foresee);
    if (hooks?.has(event.type as HookName)) void hooks.observe(event); // every event of a run can be observed
    subscribers.tell(event);
  };
  const tools = openTools(
    config,
    true,
    ask ? permissionEvents(ask, emit) : undefined,
    options.hardens,
    (line) => say(`A command in the background: ${line}`),
  );
  notices.push(...tools.notices);
  let base: PromptBase | undefined;
  const skillPlaces = () => new Map((base?.sources.skills ?? []).map(({ slug, path }) => [slug, path]));
  const builtin = () => tools.known.map((tool) => builtinTool(forSession(tool, skillPlaces), tools.run));
  const onAtStart = () => tools.active.map(({ name }) => name);
  const toolset = createToolset(builtin(), onAtStart());
  const kept = conversation.context();
  const model = createModelState({
    config,
    first: options.choice,
    thinking: thinkingOf(config, kept.thinkingLevel),
    seams: requestSeams(() => hooks),
    variable: options.variable ?? readVariable,
    tell: (notice) => say(notice),
  });
  const isOtherModel = model.restore(kept.model);
  const moved = config.invocation.values["base-url"] === undefined ? otherServer(store, model.choice()) : undefined;
  if (moved !== undefined) notices.push(moved);
  let followed: Pick<typeof tools, "policy" | "granted"> = { policy: tools.policy, granted: tools.granted };
  const work = createWork();
  const queues = queuesOf(config);
  const auto: AutoSwitches = { on: config.settings.compaction?.enabled ?? true };
  const compactor = createCompactor({
    conversation,
    model: model.current,
    settings: () => windowOf(config, auto.on),
    fixed: () => [core.prompt.peek().full, JSON.stringify(toolset.active().map(({ definition }) => definition))],
    review: () => compactionReview(hooks),
  });
  const servers = openServers({
    config,
    choice: model.choice(),
    policy: () => tools.policy,
    onNotice: (sentence) => say(sentence),
  });
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
    auto,
    inputs: () => base?.sources ?? { skills: [], choice: {}, templates: [], root: config.root },
    hooks: () => hooks,
    work,
    followPolicy() {
      const { policy, granted } = tools;
      if (policy === followed.policy && granted === followed.granted) return;
      followed = { policy, granted };
      toolset.replace("builtin", builtin(), onAtStart());
      core.prompt.takePolicy(policy, granted, toolset.active());
    },
    async renewExtensions() {
      if (!grants.beginSession()) return;
      hooks?.close();
      try {
        await loadAgain();
      } catch (error) {
        say(`Extensions could not be loaded again for the new session: ${messageOf(error)}`);
      }
      void grants.settle(() => whenIdle(work, engine.reload));
    },
    async followServers(signal) {
      const known = await servers?.take(signal);
      if (!known) return;
      toolset.replace("mcp", known);
      core.prompt.takeTools(toolset.active(), "tools");
    },
    emit,
  };
  const pending = createPending(core);
  const prompting = createPrompting(core, pending, options.promptBuilder);
  const unconfined = isUserBashUnconfined(config)
    ? once(() => openUnconfinedBash(config, model.choice(), tools.policy))
    : undefined;
  const typed = createUserBash(core, pending, unconfined && ((...command) => unconfined().run(...command)));
  const report = ({ extension, message }: HookProblem): void => say(`extension ${extension}: ${message}`);
  const grants = createExtensionGrants(config, options.grants, report);
  const closeAll = async (): Promise<void> => {
    say = options.onLeft ?? say;
    grants.close();
    if (hooks?.has("session_shutdown")) await hooks.observe({ type: "session_shutdown", reason: "quit" });
    hooks?.close();
    await servers?.close();
    await unconfined?.().close();
    await tools.close();
    conversation.close();
  };
  /** Extensions, and then everything that is on disk for the prompt. */
  const gather = async (reason: "startup" | "reload"): Promise<PromptBase> => {
    const ui = options.ui
      ? toldUi(options.ui, (event) => void hooks?.observe(event))
      : mutedUi((message, level) => emit({ type: "notice", level, message }));
    const opening = openExtensions({
      config,
      policy: tools.policy,
      host: hostActions(core, pending, prompting, () => engine, ui),
      facts: { cwd: config.root, mode: channel === "stdin" ? "text" : channel, hasUI: options.ui !== undefined },
      builtinTools: TOOL_NAMES,
      inProcess: options.extensions ?? [],
      grants,
      report,
      isStart: reason === "startup",
    });
    const gathered = gatherBase(config, tools, channel, undefined, options.additions);
    const [opened] = await Promise.all([opening, gathered.catch(() => {})]);
    hooks = opened;
    if (!hooks) return await gathered;
    hooks.onToolsChanged(() => {
      takeExtensionTools();
      void retool();
    });
    takeExtensionTools();
    const contributed = await contributedBy(hooks, reason);
    return contributed ? await gatherBase(config, tools, channel, contributed, options.additions) : await gathered;
  };
  const takeExtensionTools = (): void => {
    // No tools means none: theirs are not known either, so that nobody switches them on.
    if (hooks && !config.invocation.values["no-tools"]) toolset.replace("extension", extensionTools(hooks));
  };
  /** Never in the middle of a run: its requests keep their prefix (R447). */
  const retool = async (): Promise<void> => {
    if (work.kind() === "run") await work.idle();
    made.prompt?.takeTools(toolset.active(), "tools");
  };
  const loadAgain = async (): Promise<void> => {
    toolset.replace("extension", []);
    base = await gather("reload");
    core.prompt.takeTools(toolset.active(), "reload");
    core.prompt.takeBase(base, "reload");
  };
  const reload = async (): Promise<void> => {
    // What cannot be read leaves everything as it is.
    config = withSettingsAnew(config);
    config.warnings.forEach((warning) => say(warning));
    grants.take(config.user);
    const before = hooks;
    if (before?.has("session_shutdown")) await before.observe({ type: "session_shutdown", reason: "reload" });
    before?.close();
    await loadAgain();
    void hooks?.observe({ type: "session_start", reason: "reload" });
  };
  const engine = faceOf(core, {
    notices,
    prompting,
    typed,
    retool,
    reload,
    subscribe: subscribers.add,
    close: closeAll,
  });
  try {
    base = await gather("startup");
    const names = [...TOOL_NAMES, ...toolset.views().flatMap(({ name, origin }) => origin === "builtin" ? [] : [name])];
    refuseUnknown(tools.foreign, names, servers !== undefined);
  } catch (error) {
    await closeAll();
    throw error;
  }
  notices.push(...base.notices);
  made.prompt = createPromptState(base, toolset.active(), tools.policy);
  restoreReading(conversation, made.prompt);
  tellStart(
    hooks,
    conversation.state.messages.length > 0,
    isOtherModel ? modelView(model) : undefined,
    { level: model.thinking(), previousLevel: thinkingOf(config, undefined) },
  );
  servers?.listen((names) => void hooks?.observe({ type: "mcp_servers_change", servers: names }));
  say = (message) => tell(core, message);
  void grants.settle(() => whenIdle(work, engine.reload));
  return engine;
}

/** Keeps the calls of each session in its own audit, also after another one was begun. */
function auditOf(
  conversation: Conversation,
  folder: string | undefined,
  say: (notice: string) => void,
): (event: AgentEvent) => void {
  if (folder === undefined) return () => {};
  const open = (session: string) => ({
    session,
    audit: openAudit(folder, session, Date.now, (error) => say(`the audit cannot be written: ${messageOf(error)}`)),
  });
  let current = open(conversation.store().header.id);
  return (event) => {
    const { id } = conversation.store().header;
    if (id !== current.session) current = open(id);
    current.audit.read(event);
  };
}

/** `read_skill` finds skills where this session has them. */
function forSession(tool: Tool, places: () => ReadonlyMap<string, string>): Tool {
  return tool.name === "read_skill" ? readSkillAt(places) as Tool : tool; // as all tools of the table
}
