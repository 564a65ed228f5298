import * as z from "zod/mini";
import { textOf, toolCallsOf } from "../../core/message.ts";
import { UserError } from "../../core/error.ts";
import type { Engine, EngineState, PromptOutcome } from "../../core/engine.ts";
import type { PermissionAnswer } from "../../core/event.ts";

/** What commands need besides the session. */
export interface RpcContext {
  readonly engine: Engine;
  /** Models that `cycle_model` goes through and `get_available_models` lists. */
  readonly models: readonly string[];
  /** Answers a permission_request; false when none of that id waits. */
  readonly answerPermission: (id: string, answer: PermissionAnswer) => boolean;
  /** Called when a prompt that was accepted has ended. */
  readonly ended: (outcome: PromptOutcome) => void;
}

/** One command: what it takes, and what its response carries. */
interface Command<A> {
  readonly args: z.ZodMiniType<A>;
  readonly run: (args: A, context: RpcContext) => unknown;
}

const command = <A>(args: z.ZodMiniType<A>, run: Command<A>["run"]): Command<A> => ({ args, run });
const nothing = z.object({});
const text = z.string();
const image = z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() });
const said = z.object({ message: text, images: z.optional(z.array(image)) });
const level = z.enum(["off", "minimal", "low", "medium", "high", "xhigh"]);
const queueMode = z.enum(["one-at-a-time", "all"]);
const LEVELS = level.options;

/** Every RPC command, by the name in `type`; names and shapes are pi's. docs/rpc.md has them with examples. */
export const COMMANDS = {
  prompt: command(
    z.object({
      ...said.shape,
      streamingBehavior: z.optional(z.enum(["steer", "followUp"])),
    }),
    ({ message, images, streamingBehavior }, { engine, ended }) => {
      const isBusy = engine.state().isStreaming;
      if (isBusy && !streamingBehavior && !message.startsWith("/")) throw busy();
      const running = engine.prompt({
        text: message,
        source: "rpc",
        ...(images ? { images } : {}),
        ...(streamingBehavior ? { whileBusy: streamingBehavior } : {}),
      });
      void running.then(ended);
      return { disposition: isBusy ? "queued" : "started" };
    },
  ),
  steer: command(said, ({ message, images }, { engine }) => engine.steer(message, images)),
  follow_up: command(said, ({ message, images }, { engine }) => engine.followUp(message, images)),
  clear_queue: command(nothing, (_args, { engine }) => ({
    messages: engine.clearQueues().map((message) => textOf(message.content)),
  })),
  abort: command(nothing, (_args, { engine }) => engine.abort()),
  new_session: command(nothing, async (_args, { engine }) => ({ cancelled: !await engine.newSession() })),
  switch_session: command(
    z.object({ sessionPath: text }),
    async ({ sessionPath }, { engine }) => ({ cancelled: !await engine.switchSession(sessionPath) }),
  ),
  fork: command(z.object({ entryId: text }), async ({ entryId }, { engine }) => {
    const forked = await engine.fork(entryId);
    return forked ? { text: forked.text, cancelled: false } : { text: "", cancelled: true };
  }),
  clone: command(nothing, async (_args, { engine }) => {
    const leaf = engine.store().leaf();
    return { cancelled: leaf === null || !await engine.fork(leaf, "at") };
  }),
  navigate_tree: command(
    z.object({ targetId: text, summarize: z.optional(z.boolean()), customInstructions: z.optional(text) }),
    async ({ targetId, summarize = false, customInstructions }, { engine }) => {
      const options = { summarize, ...(customInstructions ? { focus: customInstructions } : {}) };
      const moved = await engine.navigate(targetId, options);
      return moved ? { editorText: moved.text, cancelled: false } : { cancelled: true };
    },
  ),
  set_session_name: command(z.object({ name: text }), ({ name }, { engine }) => engine.setName(name)),
  set_label: command(
    z.object({ entryId: text, label: z.optional(text) }),
    ({ entryId, label }, { engine }) => engine.setLabel(entryId, label),
  ),

  get_state: command(nothing, (_args, { engine }) => stateOf(engine.state())),
  get_messages: command(nothing, (_args, { engine }) => ({ messages: engine.messages() })),
  get_entries: command(
    nothing,
    (_args, { engine }) => ({ entries: engine.store().entries(), leafId: engine.store().leaf() }),
  ),
  get_fork_messages: command(nothing, (_args, { engine }) => ({
    messages: engine.store().pathTo().flatMap((entry) =>
      entry.type === "message" && entry.message.role === "user"
        ? [{ entryId: entry.id, text: textOf(entry.message.content) }]
        : []
    ),
  })),
  get_last_assistant_text: command(nothing, (_args, { engine }) => {
    const last = engine.messages().findLast((message) =>
      message.role === "assistant" && toolCallsOf(message).length === 0
    );
    return { text: last?.role === "assistant" ? textOf(last.content) : null };
  }),
  get_session_stats: command(nothing, (_args, { engine }) => statsOf(engine.state())),
  get_commands: command(nothing, (_args, { engine }) => ({ commands: engine.commands() })),
  get_tools: command(nothing, (_args, { engine }) => ({ tools: engine.tools() })),
  set_tools: command(
    z.object({ tools: z.array(text) }),
    ({ tools }, { engine }) => ({ active: engine.setActiveTools(tools) }),
  ),
  get_prompt: command(nothing, (_args, { engine }) => engine.compiled()),

  set_model: command(z.object({ provider: z.optional(text), modelId: text }), async ({ modelId }, { engine }) => {
    await engine.setModel(modelId);
    return engine.state().model;
  }),
  cycle_model: command(nothing, async (_args, { engine, models }) => {
    const next = models[(models.indexOf(engine.state().model.id) + 1) % Math.max(models.length, 1)];
    if (next === undefined || models.length < 2) return null;
    await engine.setModel(next);
    return { model: engine.state().model, thinkingLevel: engine.state().thinking };
  }),
  get_available_models: command(nothing, (_args, { models }) => ({ models: models.map((id) => ({ id })) })),
  set_thinking_level: command(z.object({ level }), ({ level }, { engine }) => engine.setThinking(level)),
  cycle_thinking_level: command(nothing, (_args, { engine }) => {
    const next = LEVELS[(LEVELS.indexOf(engine.state().thinking) + 1) % LEVELS.length] ?? "off";
    engine.setThinking(next);
    return { level: next };
  }),
  get_available_thinking_levels: command(nothing, () => ({ levels: LEVELS })),
  set_steering_mode: command(
    z.object({ mode: queueMode }),
    ({ mode }, { engine }) => engine.setQueueModes({ steering: mode }),
  ),
  set_follow_up_mode: command(
    z.object({ mode: queueMode }),
    ({ mode }, { engine }) => engine.setQueueModes({ followUp: mode }),
  ),

  compact: command(z.object({ customInstructions: z.optional(text) }), async ({ customInstructions }, { engine }) => ({
    compacted: await engine.compact(customInstructions),
  })),
  set_auto_compaction: command(
    z.object({ enabled: z.boolean() }),
    ({ enabled }, { engine }) => engine.setAutoCompaction(enabled),
  ),
  bash: command(
    z.object({ command: text, excludeFromContext: z.optional(z.boolean()) }),
    ({ command, excludeFromContext }, { engine }) => engine.bash(command, excludeFromContext ?? false),
  ),
  abort_bash: command(nothing, (_args, { engine }) => engine.abort()),
  permission_response: command(
    z.object({ requestId: text, answer: z.enum(["once", "session", "project", "no"]) }),
    ({ requestId, answer }, { answerPermission }) => {
      if (!answerPermission(requestId, answer)) throw unknownRequest(requestId);
    },
  ),
  reload: command(nothing, (_args, { engine }) => engine.reload()),
} as const;

/** pi's names for what it also has; ours beside them. */
function stateOf(state: EngineState): Readonly<Record<string, unknown>> {
  const { thinking, steering, followUp, policy, context, totals: _totals, ...rest } = state;
  return {
    ...rest,
    thinkingLevel: thinking,
    autoCompactionEnabled: state.autoCompaction,
    pendingMessageCount: steering.length + followUp.length,
    queue: { steering, followUp },
    contextUsage: context,
    sandbox: policy.sandbox,
  };
}

function statsOf(
  { sessionId, sessionFile, totals, messageCount, context }: EngineState,
): Readonly<Record<string, unknown>> {
  const { input, output, cacheRead, cacheWrite, cost, ...counts } = totals;
  const total = input + output + cacheRead + cacheWrite;
  return {
    sessionId,
    ...(sessionFile ? { sessionFile } : {}),
    ...counts,
    totalMessages: messageCount,
    tokens: { input, output, cacheRead, cacheWrite, total },
    cost,
    contextUsage: context,
  };
}

function busy(): UserError {
  return new UserError({
    what: "The prompt was not taken",
    why: "a run is going on",
    fix: 'Give "streamingBehavior": "steer" or "followUp", or wait for agent_settled',
  });
}

function unknownRequest(id: string): UserError {
  return new UserError({
    what: `There is no question "${id}"`,
    why: "it was answered already, or its call has ended",
    fix: "Answer the id of a permission_request that is still open",
  });
}
