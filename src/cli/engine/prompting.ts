import { runtimeMetadataMessage } from "../../prompt/runtime_metadata.ts";
import { applyHookPrompt } from "../../prompt/hook_prompt.ts";
import { formatDateTime } from "../../context/date_time.ts";
import type { PromptOutcome, UserPrompt } from "../../core/engine.ts";
import { messageOf, UserError } from "../../core/error.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { AgentMessage, CustomMessage, ImageContent, UserMessage } from "../../core/message.ts";
import { type EngineCore, tell } from "./core.ts";
import { readyInput } from "./inputs.ts";
import type { Pending } from "./pending.ts";
import { type RolledHistory, rollHistory } from "./rolling_history.ts";
import { windowOf } from "./settings_of.ts";
import { runTurns } from "./turns.ts";

/** A clock in the system prompt that is younger than this needs no other one beside the user's words (K7), milliseconds. */
const FRESH_CLOCK_MS = 60_000;

/** From a person's words to the end of the run. */
export interface Prompting {
  readonly prompt: (input: UserPrompt) => Promise<PromptOutcome>;
  /** Goes on with messages that stand in no queue: none, or those of an extension. */
  readonly go: (messages: readonly AgentMessage[]) => Promise<PromptOutcome>;
  readonly enqueue: (text: string, images: readonly ImageContent[], kind: "steer" | "followUp") => Promise<void>;
}

/** What a prompt runs with. */
export function createPrompting(core: EngineCore, pending: Pending): Prompting {
  const { conversation, queues, work } = core;

  /** A command of an extension runs and nothing else does, also while a reply streams (R167–R170). */
  async function command(text: string): Promise<boolean> {
    const [, name, args = ""] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
    const hooks = core.hooks();
    if (name === undefined || !hooks?.commands().some((known) => known.name === name)) return false;
    return await hooks.runCommand(name, args, new AbortController().signal);
  }

  /** Hooks on the raw text, then skills and templates (K1). Undefined: a hook took it. */
  async function ready(input: UserPrompt, streaming: "steer" | "followUp" | undefined, signal: AbortSignal) {
    const hooks = core.hooks();
    const seen = hooks?.has("input")
      ? await hooks.input({
        text: input.text,
        source: input.source,
        ...(input.images ? { images: input.images } : {}),
        ...(streaming ? { streamingBehavior: streaming } : {}),
      }, signal)
      : { action: "continue" as const, text: input.text, images: input.images ?? [] };
    if (seen.action === "handled") return undefined;
    const made = readyInput(seen.text, core.inputs(), conversation.state.messages);
    if (made.problem !== undefined) tell(core, made.problem);
    return { ...made, images: seen.images };
  }

  async function start(input: UserPrompt, signal: AbortSignal): Promise<PromptOutcome> {
    await core.followServers(signal);
    const made = await ready(input, undefined, signal);
    if (!made) return { kind: "handled" };
    const hooks = core.hooks();
    const rolled = await shortened(false, signal);
    core.prompt.startPrompt({
      ...(made.runtimeSkills.length > 0 ? { runtimeSkills: made.runtimeSkills } : {}),
      ...(rolled?.systemSummary === undefined ? {} : { dynamicContext: rolled.systemSummary }),
    });
    const user = userMessage(made.text, made.images);
    const injected: CustomMessage[] = [];
    if (hooks?.has("before_agent_start")) {
      const base = core.prompt.peek();
      const said = await hooks.beforeAgentStart({
        prompt: made.text,
        systemPrompt: base.full,
        ...(made.images.length > 0 ? { images: made.images } : {}),
      }, signal);
      if (said.systemPrompt !== undefined) core.prompt.settle(applyHookPrompt(base, said.systemPrompt, said.changedBy));
      for (const draft of said.messages) injected.push({ role: "custom", ...draft, timestamp: Date.now() });
    }
    // Metadata right before the words, then what waited for this prompt, then what hooks add (K7, R187, R272).
    const messages = [...metadata(core), user, ...pending.takeNextTurn(), ...injected];
    return await run(messages, rolled, signal);
  }

  /** The history by its one owner (K8): chosen anew where it rolls, else shortened where it is too long. */
  async function shortened(goesOn: boolean, signal: AbortSignal): Promise<RolledHistory | undefined> {
    if (core.config().settings.history !== "rolling") {
      if (core.compactor.isOn()) await drain(core.compactor.ifNeeded(signal), core.emit);
      return undefined;
    }
    const [model, summary] = [await core.model.current(), await core.model.summary()];
    const { reserveTokens } = windowOf(core.config(), true);
    return await drain(rollHistory(conversation, model, summary, reserveTokens, goesOn, signal), core.emit);
  }

  async function run(
    messages: readonly AgentMessage[],
    rolled: RolledHistory | undefined,
    signal: AbortSignal,
  ): Promise<PromptOutcome> {
    const model = await core.model.current();
    const events = runTurns(messages, core.toolset.active(), model, {
      config: core.config(),
      state: conversation.state,
      queues,
      prompt: core.prompt,
      compactor: core.compactor,
      hooks: core.hooks(),
      rolled,
      cacheKey: conversation.store().header.id,
      beforeRequest: core.followPolicy,
      onRequest: () => {
        core.tools.warmSoon();
        core.hooks()?.startLate();
      },
    }, signal);
    let outcome: PromptOutcome = { kind: "run", ending: "error" };
    let errorMessage: string | undefined;
    try {
      for await (const event of events) {
        if (event.type === "message_end" && event.message.role === "assistant" && !event.discarded) {
          errorMessage = event.message.errorMessage;
        }
        if (event.type === "agent_end") {
          const { ending, limit } = event;
          outcome = { kind: "run", ending, ...(limit ? { limit } : {}), ...(errorMessage ? { errorMessage } : {}) };
        }
        core.emit(event);
      }
    } catch (error) {
      // A fault of the program or of a seam: the conversation is fit to go on with, and a person has to know.
      tell(core, `The run ended unexpectedly: ${messageOf(error)}`, "error");
      outcome = { kind: "run", ending: "error", errorMessage: messageOf(error) };
    } finally {
      core.prompt.settle(undefined);
      pending.flush();
      conversation.store().sync();
    }
    return outcome;
  }

  return {
    async prompt(input) {
      if (await command(input.text)) return { kind: "command" };
      if (work.kind() === "run") {
        if (!input.whileBusy) throw busy();
        const made = await ready(input, input.whileBusy, new AbortController().signal);
        if (!made) return { kind: "handled" };
        queue(userMessage(made.text, made.images), input.whileBusy);
        return { kind: "queued" };
      }
      return await running((signal) => start(input, signal));
    },
    go: (messages) =>
      running(async (signal) => {
        const rolled = await shortened(true, signal);
        core.prompt.startPrompt(rolled?.systemSummary === undefined ? {} : { dynamicContext: rolled.systemSummary });
        return await run(messages, rolled, signal);
      }),
    async enqueue(text, images, kind) {
      const made = await ready({ text, images, source: "rpc" }, kind, new AbortController().signal);
      if (made) queue(userMessage(made.text, made.images), kind);
    },
  };

  /** What came in while the run ended, or while nothing of it began, goes into the conversation now. */
  function running(task: (signal: AbortSignal) => Promise<PromptOutcome>): Promise<PromptOutcome> {
    return work.run("run", task).finally(() => {
      if (work.kind() === undefined) pending.flush();
    });
  }

  function queue(message: UserMessage, kind: "steer" | "followUp"): void {
    queues[kind](message);
    core.emit({ type: "queue_update", ...queues.texts() });
  }
}

/** Tells the events of a generator and gives its value. */
export async function drain<T>(events: AsyncGenerator<AgentEvent, T>, emit: (event: AgentEvent) => void): Promise<T> {
  for (;;) {
    const step = await events.next();
    if (step.done) return step.value;
    emit(step.value);
  }
}

function userMessage(text: string, images: readonly ImageContent[]): UserMessage {
  const content = images.length === 0 ? text : [{ type: "text" as const, text }, ...images];
  return { role: "user", content, timestamp: Date.now() };
}

/** The moment of the user's words, where the prompt's own clock does not tell it (K7) and its text says what that is (R415). */
function metadata(core: EngineCore): CustomMessage[] {
  const now = Date.now();
  if (!core.prompt.base().inputs.metadataMessages) return [];
  if (now - core.prompt.reading().at < FRESH_CLOCK_MS) return [];
  const content = runtimeMetadataMessage({ time: formatDateTime(now) });
  return content === undefined
    ? []
    : [{ role: "custom", customType: "runtime_metadata", content, display: false, timestamp: now }];
}

function busy(): UserError {
  return new UserError({
    what: "The message was not taken",
    why: "a run is going on",
    fix: "Send it as steering or as a follow-up, or wait for the end",
  });
}
