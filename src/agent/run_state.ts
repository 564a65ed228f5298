import type { AgentEvent } from "../core/event.ts";
import type { AgentMessage, AssistantMessage } from "../core/message.ts";
import type { AgentDeps, RoundRequest, SessionState } from "./deps.ts";
import { createMeter, type LimitName, type Meter } from "./limits.ts";
import { createRecovery, type Recovery } from "./recovery.ts";

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
    meter: createMeter(deps.limits, deps.whole),
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

/** The message that a reply starts as: nothing said yet. */
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
