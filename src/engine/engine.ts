import { BACKGROUND_TOOLS, readSkillAt, TOOLS } from "../../tools/mod.ts";
import type { Queues } from "../agent/queues.ts";
import { type Config, withSettingsAnew } from "../config/config.ts";
import { readVariable } from "../config/host_environment.ts";
import { thinkingOf, windowOf } from "../config/run_settings.ts";
import type { AgentSet } from "../context/agents/agents.ts";
import type { CompiledPrompt } from "../core/compiled_prompt.ts";
import type { Engine } from "../core/engine.ts";
import { messageOf } from "../core/error.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Hooks } from "../core/hook.ts";
import type { HookName } from "../core/hook_events.ts";
import type { SessionStore } from "../core/session.ts";
import { disposeAll } from "../core/support/close_all.ts";
import { onceFor } from "../core/support/once.ts";
import type { Budget } from "../core/runner.ts";
import { type SessionChanges, sessionChanges } from "./changes/session_changes.ts";
import { type Compactor, createCompactor } from "./compaction.ts";
import { auditOf, type Conversation, openConversation } from "./conversation.ts";
import { engineApi } from "./engine_api.ts";
import { createEventBus, type EventBus, prewarmCalls } from "./events.ts";
import { requestSeams, type SessionExtensions, sessionExtensions, tellStart } from "./extensions.ts";
import {
  type AskedFeatures,
  askedFeatures,
  askedTelemetry,
  demandedProof,
  latePlanning,
  type LateSubAgents,
  lateSubAgents,
  lateTrials,
  lateUserBash,
  UNCONFINED_NOTICE,
} from "./features.ts";
import type { McpServers } from "./mcp_servers.ts";
import { keepServer, otherServer } from "./session_server.ts";
import { modelName } from "../core/provider.ts";
import { createModelState, type ModelState, modelView } from "./model_state.ts";
import type { AutoSwitches, EngineCore, EngineOptions } from "./parts.ts";
import { createPending, createWork, whenIdle } from "./work.ts";
import type { Planning } from "./plan.ts";
import type { InputSources } from "./prompt/inputs.ts";
import { gatherBase, type PromptBase } from "./prompt/prompt_sources.ts";
import { createPromptState, keepReading, type PromptState, restoreReading } from "./prompt_state.ts";
import { createPrompting } from "./prompting.ts";
import type { Proof } from "./proof/proof.ts";
import { newSession } from "./sessions/session_choice.ts";
import { createTodoList, type TodoList } from "./todo_list.ts";
import { refuseUnknown } from "./tools/active_tools.ts";
import { createRejectedTools, type RejectedTools } from "./tools/rejected_tools.ts";
import { openTools, type ToolsHost } from "./tools/tools_host.ts";
import { builtinTool, createToolset, type KnownTool, type Toolset } from "./tools/toolset.ts";
import type { Trials } from "./trials.ts";
import { queuesOf } from "./turns.ts";
import type { UserBash } from "./user_bash.ts";
import type { Telemetry } from "../telemetry/open.ts";

const TOOL_NAMES = TOOLS.map(({ name }) => name);

/**
 * Opens a session with everything that belongs to it. No process of the tools starts before the first request is out.
 *
 * Throws UserError for a session, file or option that cannot be used; nothing is left running then.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const opened = new AsyncDisposableStack();
  try {
    const asked = await askedFeatures(options);
    const { trial } = asked;
    if (trial) opened.defer(() => trial.drop());
    const own = trial === undefined ? options : { ...options, config: trial.config };
    return await new OpenSession(own, asked, opened).start();
  } catch (error) {
    // The user needs the first error. A part that cannot be closed after it adds nothing.
    await disposeAll(opened).catch(() => {});
    throw error;
  }
}

/**
 * A session and its parts. In the order of the fields: the events, what keeps them, the parts that need nothing else; then
 * what is gathered from disk and from extensions; last the prompt, which is made from all of that. One file above the usual
 * length: the only place where the parts meet; what any of them does is in its own file, and what most sessions never have
 * stands in features.ts until it is asked for.
 */
class OpenSession implements EngineCore {
  readonly #options: EngineOptions;
  readonly #opened: AsyncDisposableStack;
  readonly #bus: EventBus;
  readonly emit: EventBus["emit"];
  readonly notify: EventBus["notify"];
  readonly conversation: Conversation;
  readonly tools: ToolsHost;
  readonly toolset: Toolset;
  readonly rejectedTools: RejectedTools;
  readonly model: ModelState;
  readonly queues: Queues;
  readonly compactor: Compactor;
  readonly auto: AutoSwitches;
  readonly changes: SessionChanges;
  readonly plan: Planning;
  readonly todo: TodoList;
  readonly work = createWork();
  readonly ui: EngineCore["ui"];
  readonly whole: Budget | undefined;
  readonly servers: McpServers | undefined;

  #config: Config;
  #base: PromptBase | undefined;
  #prompt: PromptState | undefined;
  #proof: Proof | undefined;
  /** The policy that prompt and tools are of. */
  #followed: Pick<ToolsHost, "policy" | "granted">;
  /** The tools for commands in the background are to be switched on; from the first such command on, once. */
  #isOnBackground = false;
  #hadBackground = false;
  readonly #isOtherModel: boolean;
  /** What the copy of a trial came to: said, and no warning. */
  readonly #copied: string | undefined;
  readonly #extensions: SessionExtensions;
  readonly #agents: LateSubAgents;
  readonly #trials: Trials;
  readonly #typed: UserBash;
  #audit: (event: AgentEvent) => void = () => {};
  readonly #engine: Engine;
  #telemetry: Telemetry | undefined;

  /** `opened` gets everything that has to be closed, also if the constructor throws. */
  constructor(
    options: EngineOptions,
    { approval, resumed, servers, trial }: AskedFeatures,
    opened: AsyncDisposableStack,
  ) {
    const { config, ask } = options;
    this.#options = options;
    this.ui = options.ui;
    this.#opened = opened;
    this.#config = config;
    this.#bus = createEventBus([
      ...config.warnings,
      ...(trial?.notices.slice(1) ?? []),
      ...(config.user.userBash === "unconfined" ? [UNCONFINED_NOTICE] : []),
    ]);
    this.emit = this.#bus.emit;
    this.notify = this.#bus.notify;
    this.#copied = trial?.notices[0];
    const { within } = options;
    this.whole = within?.whole;
    const store = within?.store ??
      (resumed ? resumed.chooseKept(config, this.notify) : newSession(config, this.notify));
    this.#closeInOrder(store);
    this.conversation = openConversation(store);
    this.todo = createTodoList(() => this.conversation.store().pathTo());
    this.changes = sessionChanges({
      config: () => this.#config,
      policy: () => this.tools.policy,
      store: this.conversation.store,
      isReadOnly: (name) =>
        this.toolset.active().some(({ tool, origin }) => tool.name === name && origin === "builtin" && tool.readOnly),
      tell: this.emit,
      notify: this.notify,
      isPassing: within !== undefined,
      isBusy: () => this.tools.background.isBusy(),
    });
    this.#record();
    this.tools = within?.tools ?? openTools(
      config,
      true,
      ask && approval?.approving(approval.permissionEvents(ask, this.emit)),
      options.hardens,
      (line) => this.notify(line),
      this.#onBackground,
    );
    this.tools.notices.forEach((notice) => this.notify(notice));
    this.#followed = { policy: this.tools.policy, granted: this.tools.granted };
    this.plan = latePlanning(this);
    this.#agents = lateSubAgents(this, within, openEngine);
    this.toolset = createToolset(this.#builtin(), this.#onAtStart());
    const kept = this.conversation.context();
    this.model = createModelState({
      config,
      first: options.choice,
      thinking: thinkingOf(config, kept.thinkingLevel),
      seams: requestSeams(this.guards),
      variable: options.variable ?? readVariable,
      tell: this.notify,
      agentId: within?.agentId,
    });
    this.rejectedTools = createRejectedTools({
      toolset: this.toolset,
      retake: () => this.prompt.takeTools(this.toolset.active(), "tools", true),
      model: () => modelName(modelView(this.model)),
    });
    this.#isOtherModel = this.model.restore(kept.model);
    const isNamed = config.invocation.values["base-url"] !== undefined;
    const moved = isNamed ? undefined : otherServer(store, this.model.choice());
    if (moved !== undefined) this.notify(moved);
    this.queues = queuesOf(config);
    this.auto = { compaction: config.settings.compaction?.enabled ?? true };
    const fixedOf = onceFor((prompt: CompiledPrompt): readonly string[] => [
      prompt.full,
      JSON.stringify(this.toolset.active().map(({ definition }) => definition)),
    ]);
    this.compactor = createCompactor({
      conversation: this.conversation,
      model: this.model.current,
      settings: (contextWindow) => windowOf(this.#config, this.auto.compaction, contextWindow),
      fixed: () => fixedOf(this.prompt.peek()),
      hooks: this.hooks,
      notify: this.notify,
    });
    this.servers = servers?.openMcpServers(this);
    const pending = createPending(this);
    const prompting = createPrompting(this, pending, options.promptBuilder);
    this.#typed = lateUserBash(this, pending, (event) => this.#audit(event));
    this.#trials = lateTrials(this, this.#move, trial);
    const retool = this.#retool;
    this.#extensions = sessionExtensions(this, options, {
      pending,
      prompting,
      engine: () => this.#engine,
      retool,
      builtinTools: TOOL_NAMES,
    });
    this.#engine = engineApi(this, {
      notices: this.#bus.kept,
      prompting,
      typed: this.#typed,
      retool,
      reload: this.#reload,
      trials: this.#trials,
      traceId: () => this.#telemetry?.traceId(),
      subscribe: this.#bus.subscribe,
      close: () => this.close(),
    });
  }

  /** Gathers what is on disk and what extensions bring, and makes the prompt of it. */
  async start(): Promise<Engine> {
    this.#telemetry = await askedTelemetry(this, this.#options);
    if (this.#telemetry) this.#bus.record(this.#telemetry.take);
    const base = this.#base = await this.#gather("startup");
    const { foreign } = this.tools;
    const others = this.toolset.views().flatMap(({ name, origin }) => origin === "builtin" ? [] : [name]);
    refuseUnknown(foreign, [...TOOL_NAMES, ...others], this.servers !== undefined);
    base.notices.forEach((notice) => this.notify(notice));
    this.#proof = await demandedProof(this, this.#options.answerSchema);
    this.#prompt = createPromptState(base, this.toolset.active(), this.tools.policy);
    restoreReading(this.conversation, this.#prompt);
    await this.plan.restore();
    tellStart(
      this.hooks(),
      this.conversation.state.messages.length > 0,
      this.#isOtherModel ? modelView(this.model) : undefined,
      { level: this.model.thinking(), previousLevel: thinkingOf(this.#config, undefined) },
    );
    this.servers?.listen((names) => void this.hooks()?.observe({ type: "mcp_servers_change", servers: names }));
    this.#bus.open();
    if (this.#copied !== undefined) this.notify(this.#copied, "info");
    void this.#settleGrants();
    return this.#engine;
  }

  /** Closes every part, even if another one cannot be closed; rejects then with the first failure. */
  close(): Promise<void> {
    return disposeAll(this.#opened);
  }

  /** Registers what `close` closes: the last line here is closed first. A part that was not opened yet is undefined. */
  #closeInOrder(store: SessionStore): void {
    const opened = this.#opened;
    opened.defer(() => (this.conversation ?? store).close());
    opened.defer(() => this.#telemetry?.close());
    opened.defer(() => this.#trials?.close());
    // After the tools: what they change until their end belongs into the journal.
    opened.defer(() => this.changes?.close());
    opened.defer(() => this.#closeTools());
    opened.defer(() => this.#typed?.close());
    opened.defer(() => this.servers?.close());
    opened.defer(() => this.#agents?.close());
    opened.defer(() => this.#extensions?.close());
    opened.defer(() => this.changes?.endsSoon(this.servers?.running() ?? []));
    opened.defer(() => this.#bus.leave(this.#options.onLeft));
  }

  async #closeTools(): Promise<void> {
    const left = this.tools?.background.list() ?? [];
    await this.tools?.close();
    if (left.length === 0) return;
    this.tools?.background.tellLast();
    const { endedWithSession } = await import("./tools/background_commands.ts");
    endedWithSession(left).forEach((line) => this.notify(line));
  }

  /** Tools go on in another place; what looks at files begins anew there. */
  readonly #move = async (config: Config): Promise<void> => {
    // What they change until their end belongs into the journal of this place.
    const running = this.tools.background.list().filter(({ exitCode }) => exitCode === undefined);
    await Promise.all(running.map(({ id }) => this.tools.background.stop(id)));
    await this.changes.pause();
    await this.tools.move(config);
    this.#config = config;
    this.#proof = await demandedProof(this, this.#options.answerSchema);
    this.followPolicy();
  };

  /** Only `start` comes before there is one: nobody has the engine until then, but for extensions that are being loaded. */
  get prompt(): PromptState {
    if (this.#prompt) return this.#prompt;
    throw new Error("the session is still starting");
  }

  readonly config = (): Config => this.#config;
  readonly hooks = (): Hooks | undefined => this.#extensions.hooks();
  readonly guards = (): Hooks | undefined => this.#options.within ? this.#options.within.hooks() : this.hooks();
  readonly proof = (): Proof | undefined => this.tools.held ? undefined : this.#proof;
  readonly inputs = (): InputSources =>
    this.#base?.sources ?? { skills: [], choice: {}, templates: [], root: this.#config.root };

  readonly agents = (): Promise<AgentSet> =>
    import("./resources/agents.ts").then(({ findAgents }) => findAgents(this.#config));

  readonly followPolicy = (): void => {
    const { policy, granted, held } = this.tools;
    const isSame = policy === this.#followed.policy && granted === this.#followed.granted;
    if (isSame && !this.#isOnBackground) return;
    if (this.#isOnBackground) this.toolset.switchOn(BACKGROUND_TOOLS);
    this.#isOnBackground = false;
    this.#followed = { policy, granted };
    this.toolset.replace("builtin", this.#builtin(), this.#onAtStart());
    const now = { policy, granted };
    this.prompt.takePolicy(held ?? now, this.toolset.active(), held && now);
  };

  readonly #onBackground = (event: AgentEvent): void => {
    this.#isOnBackground ||= !this.#hadBackground;
    this.#hadBackground = true;
    this.emit(event);
  };

  readonly followMcpServers = async (signal: AbortSignal): Promise<void> => {
    await this.servers?.follow(signal);
    await this.#listAgents();
  };

  /** The prompt has the agents since the start where `task` was active then; where it was switched on later, from here on. */
  async #listAgents(): Promise<void> {
    const base = this.#base;
    if (!base || base.inputs.agents || !this.toolset.active().some(({ tool }) => tool.name === "task")) return;
    const { agents } = await this.agents();
    const listed = agents.map(({ name, description }) => ({ name, description }));
    this.#base = { ...base, inputs: { ...base.inputs, agents: listed } };
    this.prompt.takeBase(this.#base, "tools");
  }

  readonly renewExtensions = async (): Promise<void> => {
    if (!this.#extensions.beginSession()) return;
    this.hooks()?.close();
    try {
      await this.#loadAgain();
    } catch (error) {
      this.notify(`Extensions could not be loaded again for the new session: ${messageOf(error)}`);
    }
    void this.#settleGrants();
  };

  /** Who keeps what happens, and acts on it, before anybody is told. */
  #record(): void {
    const { record } = this.#bus;
    record(this.conversation.record);
    record(this.#audit = auditOf(this.conversation, this.#config.auditFolder, this.notify));
    record(({ type }) => {
      if (type !== "prompt_compiled") return;
      keepReading(this.conversation, this.prompt);
      keepServer(this.conversation, this.model.choice());
    });
    record(this.changes.record);
    record((event) => this.plan.read(event));
    record(this.todo.read);
    record((event) => prewarmCalls(event, this.tools.prewarm));
    // Every event of a run can be observed.
    record((event) => {
      const hooks = this.hooks();
      if (hooks?.has(event.type as HookName)) void hooks.observe(event);
    });
  }

  #builtin(): readonly KnownTool[] {
    const places = () => new Map((this.#base?.sources.skills ?? []).map(({ slug, path }) => [slug, path]));
    return this.tools.known.flatMap((tool) => {
      // `read_skill` finds skills where this session has them.
      if (tool.name === "read_skill") return [builtinTool(readSkillAt(places), this.tools.run)];
      if (tool.name !== "task") return [builtinTool(tool, this.tools.run)];
      return this.#agents.areAllowed ? [builtinTool(tool, this.#agents.run)] : [];
    });
  }

  #onAtStart(): readonly string[] {
    return this.tools.active.map(({ name }) => name);
  }

  /** Extensions, and then everything that is on disk for the prompt. */
  async #gather(reason: "startup" | "reload"): Promise<PromptBase> {
    const { channel, additions } = this.#options;
    const config = this.#config;
    const opening = this.#extensions.load(reason);
    const gathered = gatherBase(config, this.tools, channel, undefined, additions);
    const [contributed] = await Promise.all([opening, gathered.catch(() => {})]);
    return contributed ? await gatherBase(config, this.tools, channel, contributed, additions) : await gathered;
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
    this.tools.takeConfig(this.#config);
    this.followPolicy();
    this.#extensions.takeSettings(this.#config.user);
    this.#proof = await demandedProof(this, this.#options.answerSchema);
    await this.#extensions.leave();
    await this.#loadAgain();
    void this.hooks()?.observe({ type: "session_start", reason: "reload" });
  };

  #settleGrants(): Promise<void> {
    return this.#extensions.settle(() => whenIdle(this.work, this.#engine.reload));
  }
}
