// One file above the usual length: it is one way, from a person's words to the end of the run, and its steps share the run.
import type { PromptBuilder } from "../prompt/prompt_builder.ts";
import type { PromptOutcome, UserPrompt } from "../core/engine.ts";
import { messageOf, UserError } from "../core/error.ts";
import type { AgentEvent, RunEnding } from "../core/event.ts";
import type { JsonObject } from "../core/json.ts";
import type { AgentMessage, CustomMessage, ImageContent, Usage, UserMessage } from "../core/message.ts";
import { lastWords, metadataMessages, settleBuilt } from "./prompt_state.ts";
import type { EngineCore } from "./parts.ts";
import { drain } from "./events.ts";
import { type ReadyInput, readyInput, refuseUnknownName, turnSkills } from "./prompt/inputs.ts";
import type { Pending, Work } from "./work.ts";
import { type ActiveModel, modelView } from "./model_state.ts";
import { runTurns, type TurnParts } from "./turns.ts";
import { windowOf } from "../config/run_settings.ts";

/** From a person's words to the end of the run. */
export interface Prompting {
  readonly prompt: (input: UserPrompt) => Promise<PromptOutcome>;
  /** Goes on with messages that stand in no queue: none, or those of an extension. */
  readonly go: (messages: readonly AgentMessage[]) => Promise<PromptOutcome>;
  /** The same as soon as the session is idle, without waiting for the outcome. A notice reports errors. */
  readonly goSoon: (messages: readonly AgentMessage[]) => void;
  /** Whether the run that goes on has come to its end, so that it waits for no handler any more. */
  readonly isEnding: () => boolean;
  /** `handled`: a hook took it. */
  readonly enqueue: (
    text: string,
    images: readonly ImageContent[],
    kind: "steer" | "followUp",
  ) => Promise<"queued" | "handled">;
}

/** A text as the model gets it, and its pictures. */
type Ready = ReadyInput & { readonly images: readonly ImageContent[]; readonly metadata?: JsonObject };

/** What becomes of the history before a run. */
type Shortened = Pick<TurnParts, "rolled" | "spent">;

/** What takes a person's words through hooks, skills and templates, history, prompt and run, in this order. */
export function createPrompting(core: EngineCore, pending: Pending, builder?: PromptBuilder): Prompting {
  const { conversation, queues, work } = core;
  let lastEnding: RunEnding | undefined;
  /** The session ends with the run at hand. */
  let endsSession = false;
  /** Of the last prompt. */
  let reader: UserPrompt["ready"];

  return {
    async prompt(input) {
      // Without a command nothing is waited for: work that has not begun could not be stopped.
      const command = commandIn(input.text);
      if (command && await command) return { kind: "command" };
      if (work.kind() === "run") {
        if (!input.whileBusy) throw busy();
        return { kind: await say(input, input.whileBusy) };
      }
      return await running((signal) => start(input, signal));
    },
    go: (messages) => running((signal) => goOn(messages, signal)),
    goSoon: (messages) => unwatched(running((signal) => goOn(messages, signal), work.soon)),
    isEnding: () => work.kind() === "run" && lastEnding !== undefined,
    enqueue: (text, images, kind) => say({ text, images, source: "rpc" }, kind),
  };

  /** A command of an extension runs and nothing else does, also while a reply streams (R167–R170). */
  function commandIn(text: string): Promise<boolean> | undefined {
    const [, name, args = ""] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
    const hooks = core.hooks();
    if (name === undefined || !hooks?.commands().some((known) => known.name === name)) return undefined;
    return hooks.runCommand(name, args, new AbortController().signal);
  }

  /** What came in while the run ended, or while nothing of it began, goes into the conversation now. */
  async function running(
    task: (signal: AbortSignal) => Promise<PromptOutcome>,
    begin: Work["run"] = work.run,
  ): Promise<PromptOutcome> {
    let outcome: PromptOutcome;
    try {
      outcome = await begin("run", (signal) => {
        lastEnding = undefined;
        return task(signal);
      });
    } finally {
      if (work.kind() === undefined) pending.flush();
    }
    // A run that is done has left nothing in the queues: this came after its last look, from a handler of agent_end say.
    const isDone = outcome.kind === "run" && outcome.ending === "done";
    if (isDone && !queues.isEmpty()) return await running((signal) => late(outcome, signal), work.soon);
    if (work.kind() === undefined) core.plan.runEnded(outcome);
    return outcome;
  }

  async function start(input: UserPrompt, signal: AbortSignal): Promise<PromptOutcome> {
    endsSession = input.endsSession === true;
    reader = input.ready;
    await core.followMcpServers(signal);
    const made = await ready(input, undefined, signal);
    return made ? await begin(made, signal, input.elapsedMs) : { kind: "handled" };
  }

  /** Hooks on the raw text, then skills and templates (K1). Undefined: a hook took it. */
  async function ready(
    input: UserPrompt,
    streaming: "steer" | "followUp" | undefined,
    signal: AbortSignal,
  ): Promise<Ready | undefined> {
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
    const prompted = await promptOfServer(seen.text, input.refusesUnknownNames === true, signal);
    if (prompted === undefined) return undefined;
    const made = await readyInput(prompted, core.inputs());
    if (input.refusesUnknownNames) refuseUnknownName(prompted, core.inputs(), made.problem, core.hooks()?.commands());
    if (made.problem !== undefined) core.notify(made.problem);
    return { ...made, images: seen.images, ...(input.metadata ? { metadata: input.metadata } : {}) };
  }

  /** The text that a server's prompt gives for `/mcp__SERVER__PROMPT …`; any other as it is. Undefined: it gave none. */
  async function promptOfServer(text: string, isFinal: boolean, signal: AbortSignal): Promise<string | undefined> {
    const [, name, rest = ""] = /^\/(mcp__\S+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
    const prompt = name === undefined ? undefined : core.servers?.prompts().find((one) => one.name === name);
    if (!prompt) return text;
    try {
      const { splitArguments } = await import("../context/templates/arguments.ts");
      return await prompt.text(splitArguments(rest), signal);
    } catch (error) {
      if (isFinal) {
        const fix = "Correct the command; sandpiper mcp test NAME shows what a server has";
        throw new UserError({ what: `Cannot send /${name}`, why: messageOf(error), fix }, { cause: error });
      }
      core.notify(`The prompt was not sent: ${messageOf(error)}`, "error");
      return undefined;
    }
  }

  /** From a text that is ready to the end of its run. */
  async function begin(made: Ready, signal: AbortSignal, elapsedMs?: number): Promise<PromptOutcome> {
    const hooks = core.hooks();
    const history = await shortened(false, signal, made.text);
    core.prompt.startPrompt(made.skills, history.rolled?.messages ?? conversation.state.messages);
    const user = userMessage(made.text, made.images);
    const injected: CustomMessage[] = [];
    if (hooks?.has("before_agent_start")) {
      const base = core.prompt.peek();
      const said = await hooks.beforeAgentStart({
        prompt: made.text,
        systemPrompt: base.full,
        ...(made.images.length > 0 ? { images: made.images } : {}),
      }, signal);
      if (said.systemPrompt !== undefined) {
        const { applyHookPrompt } = await import("../prompt/hook_prompt.ts");
        core.prompt.setOverride(applyHookPrompt(base, said.systemPrompt, said.changedBy));
      }
      for (const draft of said.messages) injected.push({ role: "custom", ...draft, timestamp: Date.now() });
    }
    await settleBuilt(core, builder, made.text, signal);
    // Metadata right before the words, then what waited for this prompt, then what hooks add (K7, R187, R272).
    const demanded = core.proof()?.messages() ?? [];
    const messages = [
      ...await news(),
      ...metadataMessages(core, made.metadata),
      user,
      ...demanded,
      ...pending.takeNextTurn(),
      ...injected,
    ];
    return await run(messages, history, signal, elapsedMs);
  }

  /** Commands in the background that have ended since the model was told last: most sessions have none. */
  async function news(): Promise<readonly CustomMessage[]> {
    const { background } = core.tools;
    return background.hasUntold() ? (await import("./tools/background_commands.ts")).backgroundNews(background) : [];
  }

  /** The history by its one owner (K8): chosen anew where it rolls, else shortened where it is too long. */
  async function shortened(goesOn: boolean, signal: AbortSignal, incoming?: string): Promise<Shortened> {
    if (core.config().settings.history !== "rolling") {
      let spent: Usage | undefined;
      const tell = (event: AgentEvent): void => {
        if (event.type === "compaction_end") spent = event.usage;
        core.emit(event);
      };
      if (core.compactor.isOn()) await drain(core.compactor.ifNeeded(signal, incoming), tell);
      return { rolled: undefined, spent };
    }
    const [model, summary] = [await core.model.current(), await core.model.summary()];
    const { reserveTokens } = windowOf(core.config(), true, model.contextWindow);
    const { rollHistory } = await import("./rolled_history.ts");
    const rolled = await drain(rollHistory(conversation, model, summary, reserveTokens, goesOn, signal), core.emit);
    return { rolled, spent: rolled.usage };
  }

  /** Goes over to the next model that can be had, as if a person had chosen it. */
  async function fallBack(): Promise<ActiveModel | undefined> {
    const previous = modelView(core.model);
    if (!await core.model.fallBack()) return undefined;
    const now = modelView(core.model);
    conversation.append({ type: "model_change", provider: now.provider, modelId: now.id });
    void core.hooks()?.observe({ type: "model_select", model: now, previousModel: previous, source: "set" });
    return await core.model.current();
  }

  async function run(
    messages: readonly AgentMessage[],
    history: Shortened,
    signal: AbortSignal,
    elapsedMs = 0,
  ): Promise<PromptOutcome> {
    const model = await core.model.current();
    const proof = core.proof()?.forRun(endsSession) ?? {};
    const events = runTurns(messages, model, {
      fallback: { isThere: core.model.hasFallback, take: fallBack },
      config: core.config(),
      elapsedMs,
      state: conversation.state,
      queues,
      prompt: core.prompt,
      compactor: core.compactor,
      hooks: core.guards(),
      ...history,
      whole: core.whole,
      cacheKey: conversation.store().header.id,
      isRetryOn: () => core.auto.retry,
      proof: {
        ...proof,
        async *afterCalls(stop) {
          const said = proof.afterCalls ? yield* proof.afterCalls(stop) : [];
          return [...said, ...await news()];
        },
      },
      beforeRequest: () => {
        core.followPolicy();
        core.servers?.followNow();
      },
      toolRejections: () => core.rejectedTools.forReply(),
      refuses: core.plan.refuses,
      todo: core.todo,
      beforeCall: core.changes.beforeCall,
      ready: reader,
      onRequest: () => {
        core.tools.warmSoon();
        core.changes.onRequest();
        core.hooks()?.startLate();
      },
    }, signal);
    let outcome: PromptOutcome = { kind: "run", ending: "error" };
    let errorMessage: string | undefined;
    try {
      for await (const event of events) {
        if (event.type === "message_end" && event.message.role === "assistant" && !event.discarded) {
          errorMessage = event.message.errorMessage;
          if (history.rolled === undefined) core.compactor.checkUse(event.message);
        }
        if (event.type === "agent_end") {
          // While a command or a server runs, a scan proves nothing: it can notice that a scan has begun, and remove and
          // restore a file around the moment at which its directory is read.
          const servers = endsSession ? core.servers?.running() ?? [] : [];
          if (endsSession) await Promise.all([core.tools.background.endWithRun(), core.servers?.rest()]);
          await core.changes.runEnds(servers);
          const { ending, limit, reason } = event;
          lastEnding = ending;
          outcome = {
            kind: "run",
            ending,
            ...(limit ? { limit } : {}),
            ...(reason ? { reason } : {}),
            ...(errorMessage ? { errorMessage } : {}),
          };
        }
        core.emit(event);
      }
    } catch (error) {
      // A fault of the program or of a callback of the loop: the conversation is fit to go on with, and a person has to know.
      core.notify(`The run ended unexpectedly: ${messageOf(error)}`, "error");
      outcome = { kind: "run", ending: "error", errorMessage: messageOf(error) };
    } finally {
      core.prompt.setOverride(undefined);
      pending.flush();
      conversation.store().sync();
    }
    return outcome;
  }

  async function goOn(messages: readonly AgentMessage[], signal: AbortSignal): Promise<PromptOutcome> {
    const history = await shortened(true, signal);
    core.prompt.startPrompt(turnSkills(core.inputs(), { words: "" }), history.rolled?.messages);
    if (builder) await settleBuilt(core, builder, lastWords([...conversation.state.messages, ...messages]), signal);
    return await run([...await news(), ...messages], history, signal);
  }

  /** Delivers what waits, unless another run has come first. */
  async function late(before: PromptOutcome, signal: AbortSignal): Promise<PromptOutcome> {
    if (queues.isEmpty()) return before;
    const due = queues.hasSteering() ? [] : queues.takeFollowUp(); // steering is what a run takes first by itself
    if (due.length > 0) core.emit({ type: "queue_update", ...queues.texts() });
    return await goOn(due, signal);
  }

  /** Says something to a run; one that has ended while hooks looked at it, and was not stopped, is followed by another. */
  async function say(input: UserPrompt, kind: "steer" | "followUp"): Promise<"queued" | "handled"> {
    const wasRunning = work.kind() === "run";
    const made = await ready(input, kind, new AbortController().signal);
    if (!made) return "handled";
    const isOver = wasRunning && work.kind() !== "run" && lastEnding !== "aborted";
    if (isOver) unwatched(running((signal) => begin(made, signal), work.soon));
    else queue(userMessage(made.text, made.images), kind);
    return "queued";
  }

  function queue(message: UserMessage, kind: "steer" | "followUp"): void {
    queues[kind](message);
    // Whoever waits for a command hears what the person says.
    if (kind === "steer") core.tools.background.wake();
    core.emit({ type: "queue_update", ...queues.texts() });
  }

  function unwatched(outcome: Promise<unknown>): void {
    void outcome.catch((error) => core.notify(`A message was not sent: ${messageOf(error)}`, "error"));
  }
}

function userMessage(text: string, images: readonly ImageContent[]): UserMessage {
  const content = images.length === 0 ? text : [{ type: "text" as const, text }, ...images];
  return { role: "user", content, timestamp: Date.now() };
}

function busy(): UserError {
  return new UserError({
    what: "The message was not taken",
    why: "a run is going on",
    fix: "Send it as steering or as a follow-up, or wait for the end",
  });
}
