import type { CommandView, Engine, SessionTotals } from "../core/engine.ts";
import { ToolError, UserError } from "../core/error.ts";
import type { EngineCore } from "./parts.ts";
import { inputCommands } from "./prompt/inputs.ts";
import { modelView } from "./model_state.ts";
import { sessionName } from "../session/tree.ts";
import { contextTokens, entryIn, sessionChanged } from "./conversation.ts";
import { drain } from "./events.ts";
import type { Prompting } from "./prompting.ts";
import { retryOf } from "../config/run_settings.ts";
import { lateNavigation } from "./features.ts";
import type { Trials } from "./trials.ts";
import type { UserBash } from "./user_bash.ts";

/** What the engine that others see is made from, besides the parts of its session. */
export interface EngineApiParts {
  readonly notices: readonly string[];
  readonly prompting: Prompting;
  /** Commands that the person types. */
  readonly typed: UserBash;
  /** The prompt takes the active tools, but not in the middle of a run. */
  readonly retool: () => Promise<void>;
  readonly reload: () => Promise<void>;
  readonly trials: Trials;
  /** Of the last run, where the user's telemetry is on. */
  readonly traceId: () => string | undefined;
  readonly subscribe: Engine["subscribe"];
  readonly close: () => Promise<void>;
}

/** What modes, RPC, SDK and screens see of a session. */
export function engineApi(core: EngineCore, parts: EngineApiParts): Engine {
  const { conversation, model, queues, toolset, compactor, auto, work, emit } = core;
  const { notices, prompting, typed, retool, trials } = parts;
  const abort = async (): Promise<void> => void await Promise.all([work.abort(), typed.abort()]);

  let isClosed = false;
  let closing: Promise<void> | undefined;
  return {
    notices,
    ...lateNavigation(core, abort),
    trial: trials.state,
    beginTrial: trials.begin,
    trialChanges: trials.changes,
    endTrial: trials.end,
    trialResult: trials.result,
    state() {
      const opened = conversation.store();
      const name = sessionName(opened.entries());
      const texts = queues.texts();
      const plan = core.plan.state();
      const agent = core.config().agent?.name;
      const traceId = parts.traceId();
      return {
        cwd: core.config().root,
        sessionId: opened.header.id,
        ...(opened.path ? { sessionFile: opened.path } : {}),
        ...(name ? { sessionName: name } : {}),
        ...(agent === undefined ? {} : { agent }),
        model: { provider: model.provider(), id: model.id(), contextWindow: model.contextWindow() },
        thinking: model.thinking(),
        isStreaming: work.kind() === "run",
        isCompacting: work.kind() === "compaction",
        autoCompaction: auto.compaction,
        autoRetry: retryOf(core.config(), auto.retry).maxRetries > 0,
        steeringMode: queues.modes().steering,
        followUpMode: queues.modes().followUp,
        ...texts,
        messageCount: conversation.state.messages.length,
        context: { tokens: contextTokens(conversation), contextWindow: model.contextWindow() },
        totals: conversation.totals() satisfies SessionTotals,
        policy: core.tools.policy,
        ...(plan ? { plan } : {}),
        ...(traceId === undefined ? {} : { traceId }),
        todo: core.todo.items(),
        background: core.tools.background.list(),
        denials: core.tools.approval?.denials() ?? [],
      };
    },
    ready: async () => await core.servers?.ready(),
    messages: () => conversation.state.messages.slice(),
    bill: async () => {
      const { sessionBill } = await import("../session/export/audit_view.ts");
      return sessionBill(conversation.store().entries());
    },
    store: conversation.store,
    tools: toolset.views,
    commands() {
      const shown = (kind: CommandView["kind"], list: readonly Omit<CommandView, "kind">[] = []) =>
        list.map(({ name, description }) => ({ name, description, kind }));
      return [
        ...shown("extension", core.hooks()?.commands()),
        ...inputCommands(core.inputs()),
        ...shown("template", core.servers?.prompts()),
      ];
    },
    compiled: () => core.prompt.peek(),
    subscribe: parts.subscribe,

    // A message may have been on its way when the session closed.
    prompt: async (input) => {
      if (isClosed) throw closedError();
      return await prompting.prompt(input);
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
    abort,
    waitForIdle: work.idle,

    bash: typed.run,
    abortBash: typed.abort,
    compact: (focus) => work.run("compaction", (signal) => drain(compactor.now("manual", focus, signal), emit)),
    setAutoCompaction: (on) => void (auto.compaction = on),
    setAutoRetry: (on) => void (auto.retry = on),

    async stopBackground(id) {
      try {
        await core.tools.background.stop(id);
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        throw new UserError({ what: `Cannot stop "${id}"`, why: error.message, fix: "Name one that is running" });
      }
    },
    async allow(denial, duration) {
      if (!core.tools.approval) throw cannotAsk(denial.kind);
      await core.tools.approval.allow(denial, duration);
    },
    startPlan: core.plan.start,
    async answerPlan(answer) {
      const text = await core.plan.answer(answer);
      return text === undefined ? undefined : await prompting.prompt({ text, source: "interactive" });
    },

    async setModel(id, source = "set") {
      const previous = modelView(model);
      await model.choose(id);
      const now = modelView(model);
      conversation.append({ type: "model_change", provider: now.provider, modelId: now.id });
      void core.hooks()?.observe({ type: "model_select", model: now, previousModel: previous, source });
    },
    setThinking(level, source = "set") {
      const previousLevel = model.thinking();
      const { pack } = core.config().world;
      const settled = pack?.settings.thinking;
      if (settled !== undefined && settled !== level) {
        return core.notify(`The thinking level is settled in ${pack?.pack.name}: ${settled}`);
      }
      model.setThinking(level);
      conversation.append({ type: "thinking_level_change", thinkingLevel: level });
      void core.hooks()?.observe({ type: "thinking_level_select", level, previousLevel, source });
    },
    setName(given) {
      const name = given.trim();
      conversation.append({ type: "session_info", name });
      void core.hooks()?.observe({ type: "session_info_changed", name });
      emit(sessionChanged(conversation.store(), "name"));
    },
    setLabel(entryId, label) {
      entryIn(conversation.store(), entryId);
      const text = label?.trim();
      conversation.append({ type: "label", targetId: entryId, ...(text ? { label: text } : {}) });
    },
    setActiveTools(names) {
      const active = toolset.choose(names);
      void retool();
      return active;
    },
    undoPoints: core.changes.points,
    undo: (request = {}) =>
      work.run("session", async () => {
        // A trial works on a copy, and the patch was applied to the workspace.
        if (trials.state() !== undefined) return await core.changes.undo(request);
        const { undoApply } = await import("./trial/apply_patch.ts");
        return undoApply(core.config(), request) ?? await core.changes.undo(request);
      }),
    reload: () => work.run("session", parts.reload),
    close: () =>
      closing ??= (async () => {
        isClosed = true;
        try {
          await abort();
        } finally {
          await parts.close();
        }
      })(),
  };
}

function cannotAsk(kind: string): UserError {
  return new UserError({
    what: "Cannot allow it in this session",
    why: "this mode has no permission prompts",
    fix: `Start again with --allow-${kind}`,
  });
}

function closedError(): UserError {
  return new UserError({
    what: "The message was not sent",
    why: "the session is closed",
    fix: "Open it again to go on",
  });
}
