import { BACKGROUND_TOOLS, readSkillAt, TOOLS } from "../../tools/mod.ts";
import type { Queues } from "../agent/queues.ts";
import { type Config, toolsRoot, withSettingsAnew } from "../config/config.ts";
import { readVariable } from "../config/host_environment.ts";
import { thinkingOf, windowOf } from "../config/run_settings.ts";
import type { AgentSet } from "../context/agents/agents.ts";
import type { Engine } from "../core/engine.ts";
import { messageOf, UserError } from "../core/error.ts";
import { shellWord } from "../core/grant_option.ts";
import type { ApplyOutcome, TakeRequest, TrialResult, TrialState } from "../core/changes.ts";
import type { AgentEvent } from "../core/event.ts";
import type { HookProblem, Hooks } from "../core/hook.ts";
import type { HookName } from "../core/hook_events.ts";
import type { JsonObject } from "../core/json.ts";
import type { Budget, CallOptions } from "../core/runner.ts";
import type { SessionStore } from "../core/session.ts";
import { once } from "../core/support/once.ts";
import { stripControls } from "../core/support/text.ts";
import type { Tool, ToolResult } from "../core/tool.ts";
import type { McpPrompt } from "../mcp/open.ts";
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
import { createPlanning, type Planning, refuseWithPlan } from "./plan.ts";
import { createPending, type Pending } from "./pending.ts";
import type { InputSources } from "./prompt/inputs.ts";
import { gatherBase, type PromptBase } from "./prompt/prompt_sources.ts";
import { createPromptState, keepReading, type PromptState, restoreReading } from "./prompt_state.ts";
import { createPrompting, type Prompting } from "./prompting.ts";
import type { Proof } from "./proof/proof.ts";
import { activatedIn, keepActivated, type McpServers, openMcpServers } from "./mcp_servers.ts";
import { chooseSession } from "./sessions/session_choice.ts";
import { refuseUnknown } from "./tools/active_tools.ts";
import { permissionEvents } from "./tools/approval.ts";
import { createTodoList, type TodoList } from "./todo_list.ts";
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
import type { SessionTrial } from "./trial/session_trial.ts";
import { createWork, whenIdle } from "./work.ts";
import type { Telemetry } from "../telemetry/open.ts";

/** How deep sub-agents start others: the agent itself is 0. */
const DEEPEST_AGENT = 2;

const TOOL_NAMES = TOOLS.map(({ name }) => name);

/**
 * Opens a session with everything that belongs to it. No process of the tools starts before the first request is out.
 *
 * Throws UserError for a session, file or option that cannot be used; nothing is left running then.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  // Most sessions have none, and load nothing for it.
  const trial = options.config.invocation.values["trial"] ? await beginTrial(options.config) : undefined;
  let session: OpenSession;
  try {
    session = new OpenSession(trial === undefined ? options : { ...options, config: trial.config }, trial);
  } catch (error) {
    trial?.drop();
    throw error;
  }
  try {
    return await session.start();
  } catch (error) {
    await session.close();
    throw error;
  }
}

async function beginTrial(config: Config): Promise<SessionTrial> {
  return await (await import("./trial/session_trial.ts")).beginTrial(config);
}

/** How long extensions may take to hear what was told before the end, milliseconds: one may have to be loaded first. */
const LAST_WORDS_MS = 2000;

/**
 * A session and its parts. In the order of the fields: the events, what keeps them, the parts that need nothing else; then
 * what is gathered from disk and from extensions; last the prompt, which is made from all of that. One file above the usual
 * length: the only place where the parts meet; what any of them does is in its own file.
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
  readonly plan: Planning;
  readonly todo: TodoList;
  readonly work = createWork();
  readonly whole: Budget | undefined;

  #config: Config;
  #hooks: Hooks | undefined;
  #base: PromptBase | undefined;
  #prompt: PromptState | undefined;
  #proof: Proof | undefined;
  /** The policy that prompt and tools are of. */
  #followed: Pick<ToolsHost, "policy" | "granted">;
  /** The tools for commands in the background are to be switched on; from the first such command on, once. */
  #isOnBackground = false;
  #hadBackground = false;
  readonly #isOtherModel: boolean;
  readonly #servers: McpServers | undefined;
  /** The session whose found tools are active. */
  #activatedOf: SessionStore | undefined;
  /** What servers bring at the start is there. */
  #hasServerTools = false;
  /** Tools were found since the last request. */
  #hasActivated = false;
  readonly #grants: ExtensionGrants;
  readonly #pending: Pending;
  readonly #prompting: Prompting;
  readonly #unconfined: (() => UnconfinedBash) | undefined;
  readonly #engine: Engine;
  /** Loaded and opened with the first call. */
  #agents: Promise<SubAgents> | undefined;

  /** The user's own; undefined where it is off, and nothing of it is loaded then. */
  #telemetry: Telemetry | undefined;
  #trial: SessionTrial | undefined;
  #trialResult: TrialResult | undefined;

  constructor(options: EngineOptions, trial: SessionTrial | undefined) {
    const { config, ask } = options;
    refuseWithPlan(config);
    const isUnconfined = isUserBashUnconfined(config);
    this.#options = options;
    this.#config = config;
    this.#trial = trial;
    this.#bus = createEventBus([
      ...config.warnings,
      ...(trial?.notices ?? []),
      ...(isUnconfined ? [UNCONFINED_NOTICE] : []),
    ]);
    this.emit = this.#bus.emit;
    this.notify = this.#bus.notify;
    const { within } = options;
    this.whole = within?.whole;
    const store = within?.store ?? chooseSession(config, this.notify);
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
    });
    this.#record();
    this.tools = within?.tools ?? openTools(
      config,
      true,
      ask ? permissionEvents(ask, this.emit) : undefined,
      options.hardens,
      (line) => this.notify(`A command in the background: ${line}`),
      this.#onBackground,
    );
    this.tools.notices.forEach((notice) => this.notify(notice));
    this.#followed = { policy: this.tools.policy, granted: this.tools.granted };
    this.plan = createPlanning(this);
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
      policy: () => this.tools.held?.policy ?? this.tools.policy, // it lasts longer than a plan, in which no tool of a server runs
      onNotice: this.notify,
      activate: this.#activate,
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
      trial: {
        state: () => this.#trial?.state(),
        result: () => this.#trialResult,
        begin: this.#beginTrial,
        changes: () => this.work.run("session", async () => await this.#openTrial().changes()),
        end: this.#endTrial,
      },
      traceId: () => this.#telemetry?.traceId(),
      subscribe: this.#bus.subscribe,
      close: () => this.close(),
    });
  }

  /** Gathers what is on disk and what extensions bring, and makes the prompt of it. */
  async start(): Promise<Engine> {
    await this.#openTelemetry();
    const base = this.#base = await this.#gather("startup");
    const { foreign } = this.tools;
    const others = this.toolset.views().flatMap(({ name, origin }) => origin === "builtin" ? [] : [name]);
    refuseUnknown(foreign, [...TOOL_NAMES, ...others], this.#servers !== undefined);
    base.notices.forEach((notice) => this.notify(notice));
    this.#proof = await this.#demanded();
    this.#prompt = createPromptState(base, this.toolset.active(), this.tools.policy);
    restoreReading(this.conversation, this.#prompt);
    await this.plan.restore();
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
    await hooks?.heard(LAST_WORDS_MS);
    hooks?.close();
    await (await this.#agents)?.close();
    await this.#servers?.close();
    await this.#unconfined?.().close();
    await this.changes?.close();
    const running = this.tools?.background.list().filter(({ exitCode }) => exitCode === undefined) ?? [];
    await this.tools.close();
    for (const { id, command } of running) this.notify(endedWithSession(id, command));
    await this.#keepTrial();
    await this.#telemetry?.close();
    this.conversation.close();
  }

  /** Sub-agents are in that of the session that started them. */
  async #openTelemetry(): Promise<void> {
    const { within, variable = readVariable } = this.#options;
    if (within || !variable("SANDPIPER_TELEMETRY")) return;
    const { openTelemetry } = await import("../telemetry/open.ts");
    this.#telemetry = openTelemetry({
      variable,
      facts: () => ({
        sessionId: this.conversation.store().header.id,
        sandbox: this.tools.policy.sandbox,
        model: { provider: this.model.provider(), id: this.model.id() },
      }),
      notify: this.notify,
    });
    if (this.#telemetry) this.#bus.record(this.#telemetry.take);
  }

  readonly #beginTrial = (): Promise<TrialState> =>
    this.work.run("session", async () => {
      if (this.#trial) throw noTrial("one goes on already", "End it first");
      const trial = await beginTrial(this.#config);
      try {
        await this.#move(trial.config);
      } catch (error) {
        trial.drop();
        throw error;
      }
      this.#trial = trial;
      for (const notice of trial.notices.slice(1)) this.notify(notice);
      return trial.state();
    });

  readonly #endTrial = (request: TakeRequest = {}): Promise<ApplyOutcome> =>
    this.work.run("session", async () => {
      const trial = this.#openTrial();
      // Nobody may write while what there is to take is looked at.
      if (!request.dryRun) await this.tools.move(trial.config);
      const { paths } = request;
      const isNone = paths?.length === 0;
      const outcome = isNone ? { files: [], misfits: [], isDone: true } : await trial.take(request);
      if (!outcome.isDone) return outcome;
      const { trial: _, ...config } = this.#config;
      await this.#move(config);
      await this.#keepTrial(new Set(outcome.files.map(({ path }) => path)));
      return outcome;
    });

  #openTrial(): SessionTrial {
    if (this.#trial) return this.#trial;
    throw noTrial("none goes on", "Begin one: /trial, begin_trial, or sandpiper --trial");
  }

  /** Tools go on in another place; what looks at files begins anew there. */
  async #move(config: Config): Promise<void> {
    await this.changes.close();
    await this.tools.move(config);
    this.#config = config;
    this.#proof = await this.#demanded();
    this.followPolicy();
  }

  /** Keeps what was not taken, and says where. */
  async #keepTrial(taken?: ReadonlySet<string>): Promise<void> {
    const trial = this.#trial;
    if (trial === undefined) return;
    this.#trial = undefined;
    const result = this.#trialResult = await trial.end(this.conversation.store(), taken);
    const { id } = this.conversation.store().header;
    for (const line of resultLines(result, taken !== undefined, id)) this.notify(line);
  }

  /** Only `start` comes before there is one: nobody has the engine until then, but for extensions that are being loaded. */
  get prompt(): PromptState {
    if (this.#prompt) return this.#prompt;
    throw new Error("the session is still starting");
  }

  readonly config = (): Config => this.#config;
  readonly hooks = (): Hooks | undefined => this.#hooks;
  readonly guards = (): Hooks | undefined => this.#options.within ? this.#options.within.hooks() : this.#hooks;
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
    const known = await this.#servers?.take(signal);
    await this.#listAgents();
    this.#restoreActivated();
    if (!known) return;
    this.toolset.replace("mcp", known);
    // The first belong to the start: a resumed session keeps the clock that it was started with.
    this.prompt.takeTools(this.toolset.active(), "tools", !this.#hasServerTools);
    this.#hasServerTools = true;
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

  readonly mcpPrompts = (): readonly McpPrompt[] => this.#servers?.prompts() ?? [];

  readonly followMcpTools = (): void => {
    const known = this.#servers?.takeNow();
    if (known) this.toolset.replace("mcp", known);
    if (!known && !this.#hasActivated) return;
    this.#hasActivated = false;
    this.prompt.takeTools(this.toolset.active(), "tools", true);
  };

  /** What a search found is callable from the next request on, and in this session when it is opened again. */
  readonly #activate = (names: readonly string[]): void => {
    this.toolset.activate(names);
    this.#hasActivated = true;
    keepActivated(this.conversation, names);
  };

  /** Tools that were found belong to the session in which they were. */
  #restoreActivated(): void {
    const store = this.conversation.store();
    if (this.#activatedOf === store || !this.#servers) return;
    this.#activatedOf = store;
    this.toolset.activate(activatedIn(store), true);
    this.prompt.takeTools(this.toolset.active(), "tools", true);
  }

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
    record((event) => this.plan.read(event));
    record(this.todo.read);
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
      facts: { cwd: toolsRoot(config), mode: channel === "stdin" ? "text" : channel, hasUI: ui !== undefined },
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

function noTrial(why: string, fix: string): UserError {
  return new UserError({ what: "There is no trial to do this with", why, fix });
}

/** What became of a trial, for people. */
function resultLines({ files, patch, why, leftOut }: TrialResult, isRest: boolean, session: string): string[] {
  const many = files.length === 1 ? "1 file" : `${files.length} files`;
  const lines = leftOut.map(({ why, count, paths = [] }) =>
    `Of the trial, ${why}${paths.length > 0 ? `: ${paths.slice(0, 3).join(", ")}` : ""}${
      (count ?? 0) > 3 ? ` and ${(count ?? 0) - 3} more` : ""
    }`
  );
  if (why !== undefined) lines.push(`The patch of the trial: ${why}`);
  if (files.length === 0) return [...lines, ...(why === undefined && !isRest ? ["The trial changed nothing"] : [])];
  const what = isRest ? `What was not taken of the trial (${many})` : `The trial changed ${many}`;
  if (patch === undefined) return [...lines, `${what}, and there is no patch of it`];
  // One beside the session is found by it.
  const which = patch.endsWith(".patch") && patch.includes(`_${session}.`) ? session : shellWord(patch);
  return [...lines, `${what}: ${patch}. To apply it: sandpiper apply ${which}`];
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

/** What is said of a command that ran until the session ended; the command is a model's, so that nothing in it may steer. */
function endedWithSession(id: string, command: string): string {
  const line = stripControls(command).replace(/\s+/g, " ");
  return `${id} ran in the background and was ended with the session: ${
    line.length > 80 ? `${line.slice(0, 79)}…` : line
  }`;
}

/** `read_skill` finds skills where this session has them. */
function forSession(tool: Tool, places: () => ReadonlyMap<string, string>): Tool {
  return tool.name === "read_skill" ? readSkillAt(places) as Tool : tool; // as all tools of the table
}
