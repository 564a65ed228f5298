import * as z from "zod/mini";
import type { Engine, PlanAnswer, UserPrompt } from "../../core/engine.ts";
import { UserError } from "../../core/error.ts";
import type { JsonObject } from "../../core/json.ts";
import type { AgentEvent } from "../../core/event.ts";
import { QUESTION_FORMS } from "./questions.ts";
import { command, plain, type RpcContext, said } from "./command.ts";

/** Commands that start, steer and stop work. */
export const RUN_COMMANDS = {
  prompt: command(
    z.object({
      ...said,
      streamingBehavior: z.optional(z.enum(["steer", "followUp"])),
      metadata: z.optional(z.record(z.string(), z.json())),
    }),
    ({ message: text, images, streamingBehavior: whileBusy, metadata }, context, reply) =>
      prompt(
        {
          ...{ text, source: "rpc" },
          ...(images ? { images } : {}),
          ...(whileBusy ? { whileBusy } : {}),
          ...(metadata ? { metadata: metadata as JsonObject } : {}),
        },
        context,
        reply,
      ),
  ),
  steer: command(z.object(said), async ({ message, images }, { engine }) => {
    refuseEmpty(message, images);
    return { disposition: await engine.steer(message, images) };
  }),
  follow_up: command(z.object(said), async ({ message, images }, { engine }) => {
    refuseEmpty(message, images);
    return { disposition: await engine.followUp(message, images) };
  }),
  clear_queue: plain(({ engine }) => emptied(engine)),
  abort: plain(async ({ engine }) => {
    // First, so that nothing of it is delivered any more; what waited goes back to the person.
    const queued = emptied(engine);
    await engine.abort();
    return queued;
  }),
  abort_retry: plain(async ({ engine, isRetrying }) => {
    if (isRetrying()) await engine.abort();
  }),
  compact: command(
    z.object({ customInstructions: z.optional(z.string()) }),
    ({ customInstructions }, { engine }) => compact(engine, customInstructions),
  ),
  set_auto_compaction: command(
    z.object({ enabled: z.boolean() }),
    ({ enabled }, { engine }) => engine.setAutoCompaction(enabled),
  ),
  set_auto_retry: command(
    z.object({ enabled: z.boolean() }),
    ({ enabled }, { engine }) => engine.setAutoRetry(enabled),
  ),
  bash: command(
    z.object({ command: z.string(), excludeFromContext: z.optional(z.boolean()) }),
    ({ command, excludeFromContext = false }, { engine }) => engine.bash(command, excludeFromContext),
  ),
  abort_bash: plain(({ engine }) => engine.abortBash()),
  start_plan: plain(({ engine }) => engine.startPlan()),
  answer_plan: command(
    z.object({ answer: z.enum(["accept", "refuse", "leave"]), text: z.optional(z.string()) }),
    ({ answer, text }, context, reply) => answerPlan(answer, text, context, reply),
  ),
  stop_background: command(z.object({ id: z.string() }), ({ id }, { engine }) => engine.stopBackground(id)),
  permission_response: command(
    z.object({ requestId: z.string(), answer: z.enum(["once", "session", "project", "no"]) }),
    ({ requestId, answer }, { answerPermission }) => {
      if (!answerPermission(requestId, answer)) throw unknownRequest(requestId);
    },
  ),
  set_questions: command(
    z.object({ form: z.enum(QUESTION_FORMS) }),
    ({ form }, { announce }) => announce(form),
  ),
};

/** Answers as soon as it is known what becomes of the prompt, which is before the first event of its run. */
async function prompt(
  input: UserPrompt,
  { engine, beforeRun }: RpcContext,
  reply: (data: object) => void,
): Promise<void> {
  refuseEmpty(input.text, input.images);
  if (engine.state().isStreaming && !input.whileBusy && !isCommand(engine, input.text)) throw busy();
  const forget = engine.state().isStreaming ? () => {} : beforeRun(() => reply({ disposition: "started" }));
  try {
    const { kind } = await engine.prompt(input);
    reply({ disposition: kind === "run" ? "started" : kind === "queued" ? "queued" : "handled" });
  } finally {
    forget();
  }
}

/** A plan that is accepted begins a run, which is answered as that of a prompt is. */
async function answerPlan(
  kind: PlanAnswer["kind"],
  text: string | undefined,
  { engine, beforeRun }: RpcContext,
  reply: (data: object) => void,
): Promise<object> {
  if (kind !== "accept") {
    await engine.answerPlan({ kind });
    return { disposition: "handled" };
  }
  const forget = beforeRun(() => reply({ disposition: "started" }));
  try {
    await engine.answerPlan({ kind, ...(text === undefined ? {} : { text }) });
    return { disposition: "started" };
  } finally {
    forget();
  }
}

/** A model is not asked about nothing: no server takes it, and it stays in the conversation. */
function refuseEmpty(text: string, images: readonly unknown[] = []): void {
  if (text.trim() !== "" || images.length > 0) return;
  throw new UserError({
    what: "The message was not taken",
    why: "it holds no text and no picture",
    fix: 'Put some words into "message"',
  });
}

function isCommand(engine: Engine, text: string): boolean {
  const name = /^\/(\S+)/.exec(text)?.[1];
  return engine.commands().some((known) => known.kind === "extension" && known.name === name);
}

/** Empties the queues and says what was in them. */
function emptied(engine: Engine): { readonly steering: readonly string[]; readonly followUp: readonly string[] } {
  const { steering, followUp } = engine.state();
  if (steering.length + followUp.length > 0) engine.clearQueues();
  return { steering, followUp };
}

/** What the compaction made, which the engine tells as an event. */
async function compact(engine: Engine, focus: string | undefined): Promise<object> {
  let end: (AgentEvent & { readonly type: "compaction_end" }) | undefined;
  const unsubscribe = engine.subscribe((event) => {
    if (event.type === "compaction_end") end = event;
  });
  try {
    if (await engine.compact(focus) && end?.result) return end.result;
  } finally {
    unsubscribe();
  }
  throw new UserError({
    what: "The conversation was not shortened",
    why: end?.errorMessage ?? (end?.aborted ? "it was stopped" : "there is nothing to summarise yet"),
    fix: "Go on with the conversation, or try again later",
  });
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
    what: `There is no question "${id.slice(0, 100)}"`,
    why: "it was answered already, or its call has ended",
    fix: "Answer the id of a permission_request that is still open",
  });
}
