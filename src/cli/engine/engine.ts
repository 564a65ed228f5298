import { openAudit } from "../../session/audit.ts";
import type { AskPermission, Engine, SessionTotals } from "../../core/engine.ts";
import { messageOf } from "../../core/error.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { Hooks } from "../../core/hook.ts";
import type { HookName } from "../../core/hook_event.ts";
import { gatherBase, type PromptBase } from "../base.ts";
import type { Config } from "../config.ts";
import type { ModelChoice } from "../model.ts";
import { permissionEvents } from "../permission_events.ts";
import { chooseSession } from "../session_choice.ts";
import { openTools } from "../tools_host.ts";
import { createCompactor } from "./compaction.ts";
import { openConversation } from "./conversation.ts";
import { type EngineCore, tell } from "./core.ts";
import { inputCommands } from "./inputs.ts";
import { createModelState } from "./model_state.ts";
import { createMoves, sessionName } from "./moves.ts";
import { createPending } from "./pending.ts";
import { createPromptState } from "./prompt_state.ts";
import { createPrompting, drain } from "./prompting.ts";
import { compactionReview } from "./review.ts";
import { keepReading, restoreReading } from "./runtime_reading.ts";
import { thinkingOf, windowOf } from "./settings_of.ts";
import { createSubscribers } from "./subscribers.ts";
import { builtinTool, createToolset } from "./toolset.ts";
import { queuesOf } from "./turns.ts";
import { userBash } from "./user_bash.ts";
import { createWork } from "./work.ts";

/** What an engine is opened with. */
export interface EngineOptions {
  readonly config: Config;
  readonly choice: ModelChoice;
  /** Answers denials; without it they are final. */
  readonly ask?: AskPermission;
  /** Who reads along: the prompt says whether anybody can answer (R409). */
  readonly channel: "interactive" | "text" | "stdin" | "json" | "rpc";
}

/**
 * Opens a session with everything that belongs to it. The runner's process starts first, so that it warms up while
 * context is gathered and the prompt is compiled.
 *
 * Throws UserError for a session, file or option that cannot be used; nothing is left running then.
 */
export async function openEngine({ config, choice, ask, channel }: EngineOptions): Promise<Engine> {
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
  const emit = (event: AgentEvent): void => {
    conversation.record(event);
    audit?.read(event);
    if (event.type === "prompt_compiled") keepReading(conversation, prompt);
    if (hooks?.has(event.type as HookName)) void hooks.observe(event); // every event of a run can be observed
    subscribers.tell(event);
  };
  const tools = openTools(config, true, ask ? permissionEvents(ask, emit) : undefined);
  notices.push(...tools.notices);
  const closeAll = async (): Promise<void> => {
    hooks?.close();
    await tools.close();
    conversation.close();
  };
  const builtin = () => tools.active.map((tool) => builtinTool(tool, tools.run));
  const toolset = createToolset(builtin(), tools.active.map(({ name }) => name), false);
  let base: PromptBase;
  try {
    base = await gatherBase(config, tools, channel);
  } catch (error) {
    await closeAll();
    throw error;
  }
  const prompt = createPromptState(base, toolset.active(), tools.policy);
  restoreReading(conversation, prompt);
  const model = createModelState(config, choice, thinkingOf(config), {}, (notice) => say(notice));
  const work = createWork();
  const queues = queuesOf(config);
  let auto = config.settings.compaction?.enabled ?? true;
  const compactor = createCompactor({
    conversation,
    model: model.current,
    settings: () => windowOf(config, auto),
    fixed: () => [prompt.peek().full, JSON.stringify(toolset.active().map(({ definition }) => definition))],
    review: () => compactionReview(hooks),
  });
  const core: EngineCore = {
    config: () => config,
    tools,
    toolset,
    conversation,
    queues,
    prompt,
    model,
    compactor,
    inputs: () => base.sources,
    hooks: () => hooks,
    work,
    emit,
    gather: () => gatherBase(config, tools, channel),
  };
  say = (message) => tell(core, message);
  const pending = createPending(core);
  const prompting = createPrompting(core, pending);
  const moves = createMoves(core);
  let tokens = 0; // as last estimated
  let isClosed = false;

  return {
    notices,
    ...moves,
    state() {
      const opened = conversation.store();
      const name = sessionName(opened);
      const texts = queues.texts();
      return {
        cwd: config.root,
        sessionId: opened.header.id,
        ...(opened.path ? { sessionFile: opened.path } : {}),
        ...(name ? { sessionName: name } : {}),
        model: { provider: model.provider(), id: model.id(), contextWindow: model.contextWindow() },
        thinking: model.thinking(),
        isStreaming: work.kind() === "run",
        isCompacting: work.kind() === "compaction",
        autoCompaction: auto,
        steeringMode: queues.modes().steering,
        followUpMode: queues.modes().followUp,
        ...texts,
        messageCount: conversation.state.messages.length,
        context: { tokens, contextWindow: model.contextWindow() },
        totals: conversation.totals() satisfies SessionTotals,
        policy: tools.policy,
      };
    },
    messages: () => conversation.state.messages.slice(),
    store: conversation.store,
    tools: toolset.views,
    commands: () => [
      ...(hooks?.commands() ?? []).map(({ name, description }) => ({ name, description, kind: "extension" as const })),
      ...inputCommands(base.sources),
    ],
    compiled: prompt.peek,
    subscribe: subscribers.add,

    async prompt(input) {
      const outcome = await prompting.prompt(input);
      if (outcome.kind === "run") tokens = (await compactor.usage()).tokens;
      return outcome;
    },
    resume: () => prompting.go([]),
    steer: (text, images = []) => prompting.enqueue(text, images, "steer"),
    followUp: (text, images = []) => prompting.enqueue(text, images, "followUp"),
    clearQueues() {
      const waiting = queues.clear();
      emit({ type: "queue_update", ...queues.texts() });
      return waiting.flatMap((message) => message.role === "user" ? [message] : []);
    },
    setQueueModes: (modes) => queues.setModes(modes),
    abort: work.abort,
    waitForIdle: work.idle,

    bash: (command, hidden) =>
      work.kind() === "run"
        ? userBash(core, pending, command, hidden, new AbortController().signal)
        : work.run("bash", (signal) => userBash(core, pending, command, hidden, signal)),
    compact: (focus) => work.run("compaction", (signal) => drain(compactor.now("manual", focus, signal), emit)),
    setAutoCompaction: (on) => void (auto = on),

    async setModel(id) {
      const previous = { provider: model.provider(), id: model.id() };
      await model.choose(id);
      const now = { provider: model.provider(), id: model.id() };
      conversation.append({ type: "model_change", provider: now.provider, modelId: now.id });
      void hooks?.observe({ type: "model_select", model: now, previousModel: previous, source: "set" });
    },
    setThinking(level) {
      const previousLevel = model.thinking();
      model.setThinking(level);
      conversation.append({ type: "thinking_level_change", thinkingLevel: level });
      void hooks?.observe({ type: "thinking_level_select", level, previousLevel, source: "set" });
    },
    setActiveTools(names) {
      const active = toolset.choose(names);
      void whenIdle(() => prompt.takeTools(toolset.active(), "tools"));
      return active;
    },
    reload: () =>
      work.run("session", async () => {
        base = await gatherBase(config, tools, channel);
        prompt.takeBase(base, "reload");
      }),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await work.abort();
      await closeAll();
    },
  };

  /** Never in the middle of a run: its requests keep their prefix (R447). */
  async function whenIdle(change: () => void): Promise<void> {
    if (work.kind() === "run") await work.idle();
    change();
  }
}
