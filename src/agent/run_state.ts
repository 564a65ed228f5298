import type { AgentDeps, RoundRequest, SessionState } from "./deps.ts";
import { createMeter, type LimitName, type Meter } from "./limits.ts";
import type { AgentEvent } from "../core/event.ts";
import type { AgentMessage, AssistantMessage } from "../core/message.ts";
import { takeCharacters } from "../core/support/text.ts";

/** What one run of the loop carries from turn to turn. */
export interface RunState {
  readonly deps: AgentDeps;
  readonly session: SessionState;
  /** Aborts when the person stops the run, when its time is up and when it ends. */
  readonly signal: AbortSignal;
  readonly isOutOfTime: () => boolean;
  readonly meter: Meter;
  readonly recovery: Recovery;
  /** Messages that this run added, for `agent_end`; a failed last reply is among them. */
  readonly added: AgentMessage[];
  /** The next provider round with its number taken. */
  nextRound(kind: Omit<RoundRequest, "round" | "retryInstruction">): RoundRequest;
  /** The limit under which the turn at hand is the last one. */
  concluding?: LimitName;
  /** The next reply is held to the answer's schema. */
  isBound?: boolean;
  /** Ends the timer and whatever still listens to `signal`. */
  close(): void;
}

/** A run at its beginning; its clock starts here. */
export function startRun(deps: AgentDeps, session: SessionState, stop: AbortSignal): RunState {
  const ending = new AbortController();
  const timer = new AbortController();
  const { timeoutMs } = deps.limits;
  let isOutOfTime = false;
  let rounds = 0;
  const recovery = createRecovery();
  const meter = createMeter(deps.limits, deps.whole);
  meter.addUsage(deps.spent);
  const onStop = () => ending.abort(stop.reason);
  stop.addEventListener("abort", onStop, { once: true });
  if (stop.aborted) onStop();
  if (timeoutMs !== undefined) void watch(timeoutMs);

  async function watch(ms: number): Promise<void> {
    await deps.sleep(ms, timer.signal);
    if (ending.signal.aborted) return;
    isOutOfTime = true;
    ending.abort();
  }

  return {
    deps,
    session,
    signal: ending.signal,
    isOutOfTime: () => isOutOfTime,
    meter,
    recovery,
    added: [],
    nextRound(kind) {
      const retryInstruction = recovery.instruction();
      return { round: ++rounds, ...kind, ...(retryInstruction === undefined ? {} : { retryInstruction }) };
    },
    close() {
      stop.removeEventListener("abort", onStop);
      ending.abort();
      timer.abort();
    },
  };
}

/** Puts messages into the conversation and shows them. */
export function* appendMessages(run: RunState, messages: readonly AgentMessage[]): Generator<AgentEvent> {
  for (const message of messages) {
    run.session.messages.push(message);
    run.added.push(message);
    yield { type: "message_start", message };
    yield { type: "message_end", message };
  }
}

/** The empty message that a reply starts as. */
export function emptyReply({ provider, now }: AgentDeps): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    provider: provider.name,
    model: provider.model,
    stopReason: "stop",
    timestamp: now(),
  };
}

/** Failed calls without a success in between after which the model is told to stop trying (R253). */
const BUDGETS = { signature: 3, tool: 16, episode: 32 } as const;

/** Of an error text; the model has the whole of it in the tool result. */
const FACT_CHARS = 400;

/** Watches failed calls and says what the next round's prompt should tell the model about them. */
export interface Recovery {
  failed(tool: string, errorText: string): void;
  succeeded(): void;
  /** The instruction for the next round; none after a success (R252). */
  instruction(): string | undefined;
}

/** A recovery that has seen no failure yet. */
export function createRecovery(): Recovery {
  let counts = new Map<string, number>();
  let last: { readonly tool: string; readonly fact: string; readonly attempt: number } | undefined;
  let isExhausted = false;
  const count = (key: string): number => {
    const next = (counts.get(key) ?? 0) + 1;
    counts.set(key, next);
    return next;
  };
  return {
    failed(tool, errorText) {
      const attempt = count(JSON.stringify([tool, errorText]));
      isExhausted ||= attempt >= BUDGETS.signature;
      if (count(tool) >= BUDGETS.tool) isExhausted = true;
      if (count("") >= BUDGETS.episode) isExhausted = true;
      last = { tool, fact: takeCharacters(errorText.trim(), FACT_CHARS), attempt };
    },
    succeeded() {
      counts = new Map();
      last = undefined;
      isExhausted = false;
    },
    instruction() {
      if (!last) return undefined;
      const facts = `Tool: ${last.tool}\nError: ${last.fact}`;
      if (isExhausted) {
        return `The attempts to recover are used up. Do not call more tools. Summarise what failed and why, and what is left to do.\n${facts}`;
      }
      return "The last tool call failed. That is not a final answer: find the cause, make a corrected call, " +
        "or explain why no other attempt makes sense.\n" +
        `${facts}\nAttempt: ${last.attempt} of ${BUDGETS.signature} with this error`;
    },
  };
}
