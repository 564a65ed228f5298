import { readSkillAt, TOOLS } from "../../tools/mod.ts";
import type { Queues } from "../agent/queues.ts";
import { type Config, withSettingsAnew } from "../config/config.ts";
import { readVariable } from "../config/host_environment.ts";
import { thinkingOf, windowOf } from "../config/run_settings.ts";
import type { AgentSet } from "../context/agents/agents.ts";
import type { Engine } from "../core/engine.ts";
import { messageOf } from "../core/error.ts";
import type { AgentEvent } from "../core/event.ts";
import type { HookProblem, Hooks } from "../core/hook.ts";
import type { HookName } from "../core/hook_events.ts";
import type { Budget, CallOptions } from "../core/runner.ts";
import { once } from "../core/support/once.ts";
import type { JsonObject } from "../core/json.ts";
import type { Tool, ToolResult } from "../core/tool.ts";
import { openAudit } from "../session/audit.ts";
import type { SubAgents } from "./sub_agents.ts";
import { compactionReview, type Compactor, createCompactor } from "./compaction.ts";
import { type SessionChanges, sessionChanges } from "./changes/session_changes.ts";
import { type Conversation, openConversation } from "./conversation.ts";
import type { AutoSwitches, EngineCore, EngineOptions } from "./parts.ts";
import { createEventBus, type EventBus, prewarmCalls } from "./events.ts";
import { createExtensionGrants, type ExtensionGrants } from "./extension_grants.ts";
import { announcedUi, contributedBy, extensionTools, openExtensions, requestSeams, tellStart } from "./extensions.ts";
import { engineApi } from "./engine_api.ts";
import { hostActions, mutedUi } from "./host_actions.ts";
import { keepServer, otherServer } from "./model_server.ts";
import { createModelState, type ModelState, modelView } from "./model_state.ts";
import { createPending, type Pending } from "./pending.ts";
import type { InputSources } from "./prompt/inputs.ts";
import { gatherBase, type PromptBase } from "./prompt/prompt_sources.ts";
import { createPromptState, keepReading, type PromptState, restoreReading } from "./prompt_state.ts";
import { createPrompting, type Prompting } from "./prompting.ts";
import type { Proof } from "./proof/proof.ts";
import { findAgents } from "./resources/agents.ts";
import { type McpServers, openMcpServers } from "./mcp_servers.ts";
import { chooseSession } from "./sessions/session_choice.ts";
import { refuseUnknown } from "./tools/active_tools.ts";
import { permissionEvents } from "./tools/approval.ts";
import { openTools, type ToolsHost } from "./tools/tools_host.ts";
import { builtinTool, createToolset, type KnownTool, type Toolset } from "./tools/toolset.ts";
import {
  isUserBashUnconfined,
  openUnconfinedBash,
  UNCONFINED_NOTICE,
  type UnconfinedBash,
} from "./tools/unconfined_bash.ts";
import { queuesOf } from "./turns.ts";
import { createUserBash } from "./user_bash.ts";
import { createWork, whenIdle } from "./work.ts";

/** How deep sub-agents start others: the agent itself is 0. */
const DEEPEST_AGENT = 2;

const TOOL_NAMES = TOOLS.map(({ name }) => name);

/**
 * Opens a session with everything that belongs to it. No process of the tools starts before the first request is out.
 *
 * Throws UserError for a session, file or option that cannot be used; nothing is left running then.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const session = new OpenSession(options);
  try {
    return await session.start();
  } catch (error) {
    await session.close();
    throw error;
  }
}

/**
 * A session and its parts. In the order of the fields: the events, what keeps them, the parts that need nothing else; then
 * what is gathered from disk and from extensions; last the prompt, which is made from all of that.
 */
class OpenSession implements EngineCore {
  readonly #options: EngineOptions;
  readonly #bus: EventBus;
  readonly emit: EventBus["emit"];
  readonly notify: EventBus["notify"];
  readonly conversation: Conversation;
  readonly tools: ToolsHost;
  readonly toolset: Toolset;
  readonly model: ModelState;
  readonly queues: Queues;
  readonly compactor: Compactor;
  readonly auto: AutoSwitches;
  readonly changes: SessionChanges;
  readonly work = createWork();
  readonly whole: Budget | undefined;

  #config: Config;
  #hooks: Hooks | undefined;
  #base: PromptBase | undefined;
  #prompt: PromptState | undefined;
  #proof: Proof | undefined;
  /** The policy that prompt and tools are of. */
  #followed: Pick<ToolsHost, "policy" | "granted">;
  readonly #isOtherModel: boolean;
  readonly #servers: McpServers | undefined;
  readonly #grants: ExtensionGrants;
  readonly #pending: Pending;
  readonly #prompting: Prompting;
  readonly #unconfined: (() => UnconfinedBash) | undefined;
  readonly #engine: Engine;
  /** Loaded and opened with the first call. */
  #agents: Promise<SubAgents> | undefined;

  constructor(options: EngineOptions) {
    const { config, ask } = options;
    const isUnconfined = isUserBashUnconfined(config);
    this.#options = options;
    this.#config = config;
    this.#bus = createEventBus([...config.warnings, ...(isUnconfined ? [UNCONFINED_NOTICE] : [])]);
    this.emit = this.#bus.emit;
    this.notify = this.#bus.notify;
    const { within } = options;
    this.whole = within?.whole;
    const store = within?.store ?? chooseSession(config, this.notify);
    this.conversation = openConversation(store);
    this.changes = sessionChanges({
      config: () => this.#config,
      policy: () => this.tools.policy,
      store: this.conversation.store,
      isReadOnly: (name) =>
        this.toolset.active().some(({ tool, origin }) => tool.name === name && origin === "builtin" && tool.readOnly),
      tell: this.emit,
      notify: this.notify,
      isPassing: within !== undefined,
    });
    this.#record();
    this.tools = within?.tools ?? openTools(
      config,
      true,
      ask ? permissionEvents(ask, this.emit) : undefined,
      options.hardens,
      (line) => this.notify(`A command in the background: ${line}`),
    );
    this.tools.notices.forEach((notice) => this.notify(notice));
    this.#followed = { policy: this.tools.policy, granted: this.tools.granted };
    this.toolset = createToolset(this.#builtin(), this.#onAtStart());
    const kept = this.conversation.context();
    this.model = createModelState({
      config,
      first: options.choice,
      thinking: thinkingOf(config, kept.thinkingLevel),
      seams: requestSeams(this.guards),
      variable: options.variable ?? readVariable,
      tell: this.notify,
    });
    this.#isOtherModel = this.model.restore(kept.model);
    const isNamed = config.invocation.values["base-url"] !== undefined;
    const moved = isNamed ? undefined : otherServer(store, this.model.choice());
    if (moved !== undefined) this.notify(moved);
    this.queues = queuesOf(config);
    this.auto = { compaction: config.settings.compaction?.enabled ?? true };
    this.compactor = createCompactor({
      conversation: this.conversation,
      model: this.model.current,
      settings: (contextWindow) => windowOf(this.#config, this.auto.compaction, contextWindow),
      fixed: () => [this.prompt.peek().full, JSON.stringify(this.toolset.active().map(({ definition }) => definition))],
      review: () => compactionReview(this.#hooks),
    });
    this.#servers = within ? undefined : openMcpServers({
      config,
      choice: this.model.choice(),
      policy: () => this.tools.policy,
      onNotice: this.notify,
    });
    this.#pending = createPending(this);
    this.#prompting = createPrompting(this, this.#pending, options.promptBuilder);
    const unconfined = this.#unconfined = isUnconfined
      ? once(() => openUnconfinedBash(this.#config, this.model.choice(), this.tools.policy))
      : undefined;
    this.#grants = createExtensionGrants(config, options.grants, this.#report);
    this.#engine = engineApi(this, {
      notices: this.#bus.kept,
      prompting: this.#prompting,
      typed: createUserBash(this, this.#pending, unconfined && ((...command) => unconfined().run(...command))),
      retool: this.#retool,
      reload: this.#reload,
      subscribe: this.#bus.subscribe,
      close: () => this.close(),
    });
  }

  /** Gathers what is on disk and what extensions bring, and makes the prompt of it. */
  async start(): Promise<Engine> {
    const base = this.#base = await this.#gather("startup");
    const { foreign } = this.tools;
    const others = this.toolset.views().flatMap(({ name, origin }) => origin === "builtin" ? [] : [name]);
    refuseUnknown(foreign, [...TOOL_NAMES, ...others], this.#servers !== undefined);
    base.notices.forEach((notice) => this.notify(notice));
    this.#proof = await this.#demanded();
    this.#prompt = createPromptState(base, this.toolset.active(), this.tools.policy);
    restoreReading(this.conversation, this.#prompt);
    tellStart(
      this.#hooks,
      this.conversation.state.messages.length > 0,
      this.#isOtherModel ? modelView(this.model) : undefined,
      { level: this.model.thinking(), previousLevel: thinkingOf(this.#config, undefined) },
    );
    this.#servers?.listen((names) => void this.#hooks?.observe({ type: "mcp_servers_change", servers: names }));
    this.#bus.open();
    void this.#settleGrants();
    return this.#engine;
  }

  async close(): Promise<void> {
    this.#bus.leave(this.#options.onLeft);
    this.#grants.close();
    const hooks = this.#hooks;
    if (hooks?.has("session_shutdown")) await hooks.observe({ type: "session_shutdown", reason: "quit" });
    hooks?.close();
    await (await this.#agents)?.close();
    await this.#servers?.close();
    await this.#unconfined?.().close();
    await this.changes?.close();
    await this.tools.close();
    this.conversation.close();
  }

  /** Only `start` comes before there is one: nobody has the engine until then, but for extensions that are being loaded. */
  get prompt(): PromptState {
    if (this.#prompt) return this.#prompt;
    throw new Error("the session is still starting");
  }

  readonly config = (): Config => this.#config;
  readonly hooks = (): Hooks | undefined => this.#hooks;
  readonly guards = (): Hooks | undefined => this.#options.within ? this.#options.within.hooks() : this.#hooks;
  readonly proof = (): Proof | undefined => this.#proof;
  readonly inputs = (): InputSources =>
    this.#base?.sources ?? { skills: [], choice: {}, templates: [], root: this.#config.root };

  readonly agents = (): Promise<AgentSet> => findAgents(this.#config);

  readonly followPolicy = (): void => {
    const { policy, granted } = this.tools;
    if (policy === this.#followed.policy && granted === this.#followed.granted) return;
    this.#followed = { policy, granted };
    this.toolset.replace("builtin", this.#builtin(), this.#onAtStart());
    this.prompt.takePolicy(policy, granted, this.toolset.active());
  };

  readonly followMcpServers = async (signal: AbortSignal): Promise<void> => {
    const known = await this.#servers?.take(signal);
    if (!known) return;
    this.toolset.replace("mcp", known);
    this.prompt.takeTools(this.toolset.active(), "tools");
  };

  readonly renewExtensions = async (): Promise<void> => {
    if (!this.#grants.beginSession()) return;
    this.#hooks?.close();
    try {
      await this.#loadAgain();
    } catch (error) {
      this.notify(`Extensions could not be loaded again for the new session: ${messageOf(error)}`);
    }
    void this.#settleGrants();
  };

  /** What a run has to show; most sessions demand nothing, and load nothing for it. */
  async #demanded(): Promise<Proof | undefined> {
    const { invocation: { values }, user, project, given } = this.#config;
    const answer = this.#options.answerSchema ?? this.#config.agent?.answer;
    const isDemanding = values["require"] ?? values["output-schema"] ?? answer ?? user.checks ??
      project.checks ?? given?.checks;
    if (isDemanding === undefined) return undefined;
    const { openProof } = await import("./proof/proof.ts");
    return await openProof(this.#config, this.tools, () => this.changes.sinceLast(), answer);
  }

  /** Who keeps what happens, and acts on it, before anybody is told. */
  #record(): void {
    const { record } = this.#bus;
    record(this.conversation.record);
    record(auditOf(this.conversation, this.#config.auditFolder, this.notify));
    record(({ type }) => {
      if (type !== "prompt_compiled") return;
      keepReading(this.conversation, this.prompt);
      keepServer(this.conversation, this.model.choice());
    });
    record(this.changes.record);
    record((event) => prewarmCalls(event, this.tools.prewarm));
    // Every event of a run can be observed.
    record((event) => this.#hooks?.has(event.type as HookName) ? void this.#hooks.observe(event) : undefined);
  }

  #builtin(): readonly KnownTool[] {
    const places = () => new Map((this.#base?.sources.skills ?? []).map(({ slug, path }) => [slug, path]));
    return this.tools.known.flatMap((tool) => {
      if (tool.name !== "task") return [builtinTool(forSession(tool, places), this.tools.run)];
      return this.#depth() < DEEPEST_AGENT ? [builtinTool(tool, this.#runTask)] : [];
    });
  }

  #depth(): number {
    return this.#options.within?.depth ?? 0;
  }

  readonly #runTask = async (
    _tool: Tool,
    args: JsonObject,
    callId: string,
    options: CallOptions,
  ): Promise<ToolResult> => {
    this.#agents ??= import("./sub_agents.ts").then(({ openSubAgents }) => {
      const prefix = this.#options.within ? `${this.#options.within.agentId}.` : "a";
      return openSubAgents({ core: this, open: openEngine, prefix, depth: this.#depth() });
    });
    return await (await this.#agents).run(args, callId, options);
  };

  #onAtStart(): readonly string[] {
    return this.tools.active.map(({ name }) => name);
  }

  readonly #report = ({ extension, message }: HookProblem): void => this.notify(`extension ${extension}: ${message}`);

  /** Extensions, and then everything that is on disk for the prompt. */
  async #gather(reason: "startup" | "reload"): Promise<PromptBase> {
    const { ui, channel, extensions = [], additions } = this.#options;
    const config = this.#config;
    const opening = openExtensions({
      config,
      policy: this.tools.policy,
      host: hostActions(
        this,
        this.#pending,
        this.#prompting,
        () => this.#engine,
        ui ? announcedUi(ui, (event) => void this.#hooks?.observe(event)) : mutedUi(this.notify),
      ),
      facts: { cwd: config.root, mode: channel === "stdin" ? "text" : channel, hasUI: ui !== undefined },
      builtinTools: TOOL_NAMES,
      inProcess: extensions,
      grants: this.#grants,
      report: this.#report,
      isStart: reason === "startup",
    });
    const gathered = gatherBase(config, this.tools, channel, undefined, additions);
    const [hooks] = await Promise.all([opening, gathered.catch(() => {})]);
    this.#hooks = hooks;
    if (!hooks) return await gathered;
    hooks.onToolsChanged(() => {
      this.#takeExtensionTools(hooks);
      void this.#retool();
    });
    this.#takeExtensionTools(hooks);
    const contributed = await contributedBy(hooks, reason);
    return contributed ? await gatherBase(config, this.tools, channel, contributed, additions) : await gathered;
  }

  #takeExtensionTools(hooks: Hooks): void {
    // No tools means none: theirs are not known either, so that nobody switches them on.
    if (!this.#config.invocation.values["no-tools"]) this.toolset.replace("extension", extensionTools(hooks));
  }

  /** Never in the middle of a run: its requests keep their prefix (R447). */
  readonly #retool = async (): Promise<void> => {
    if (this.work.kind() === "run") await this.work.idle();
    this.#prompt?.takeTools(this.toolset.active(), "tools");
  };

  async #loadAgain(): Promise<void> {
    this.toolset.replace("extension", []);
    const base = this.#base = await this.#gather("reload");
    this.prompt.takeTools(this.toolset.active(), "reload");
    this.prompt.takeBase(base, "reload");
  }

  readonly #reload = async (): Promise<void> => {
    // What cannot be read leaves everything as it is.
    this.#config = withSettingsAnew(this.#config);
    this.#config.warnings.forEach((warning) => this.notify(warning));
    this.#grants.take(this.#config.user);
    this.#proof = await this.#demanded();
    const before = this.#hooks;
    if (before?.has("session_shutdown")) await before.observe({ type: "session_shutdown", reason: "reload" });
    before?.close();
    await this.#loadAgain();
    void this.#hooks?.observe({ type: "session_start", reason: "reload" });
  };

  #settleGrants(): Promise<void> {
    return this.#grants.settle(() => whenIdle(this.work, this.#engine.reload));
  }
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
