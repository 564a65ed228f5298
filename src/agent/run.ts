import { runCalls } from "./batch.ts";
import type { AgentDeps, SessionState, UserInput } from "./deps.ts";
import { stoppedReply } from "./joined_reply.ts";
import { type LimitName, metered } from "./limits.ts";
import { takeReply } from "./reply.ts";
import { appendMessages, type RunState, startRun } from "./run_state.ts";
import { routeCall, type RoutedCall } from "./tool_call.ts";
import { problemsOf, repairTranscript } from "./transcript.ts";
import type { AgentEvent, RunEnding } from "../core/event.ts";
import {
  type AgentMessage,
  type AssistantMessage,
  belongsInConversation,
  type ToolCall,
  toolCallsOf,
} from "../core/message.ts";
import { errorResult } from "../core/tool.ts";

interface Ending {
  readonly ending: RunEnding;
  readonly limit?: LimitName;
  readonly reason?: string;
}

/**
 * Everything that happens after Enter, as a stream of events; changes nothing but `session` and the queues.
 *
 * The conversation is fit to be sent whenever this ends: after an abort, a limit, and when the reader walks away.
 * Throws only what `deps.compile` or another callback of `deps` throws.
 */
export async function* runPrompt(
  input: UserInput,
  session: SessionState,
  deps: AgentDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  const run = startRun(deps, session, signal);
  const startedAt = deps.now();
  try {
    yield { type: "agent_start" };
    if (mend(run)) {
      const message = "The conversation could not be sent as it was: calls or results were missing. It was repaired";
      yield { type: "notice", level: "warning", message };
    }
    let inputs: UserInput = [...input, ...(yield* takeSteering(run))];
    let end: Ending | undefined;
    for (let turn = 1; !end; turn++) {
      yield { type: "turn_start", turn };
      yield* appendMessages(run, inputs);
      const { message, calls } = await settleReply(yield* takeReply(run), run);
      yield { type: "message_end", message };
      run.meter.addAsked(calls.length);
      const toolResults = yield* runCalls(calls, run);
      yield { type: "turn_end", message, toolResults };
      yield* remark(message);

      run.meter.addTurn();
      end = endingOf(message, calls.length > 0, run);
      const more: AgentMessage[] = [];
      if (end?.ending === "done") end = yield* judged(message, run, more);
      if (end) break;
      if (calls.length > 0 && run.deps.afterCalls) more.push(...(yield* run.deps.afterCalls(run.signal)));
      inputs = [...more, ...(yield* nextInputs(calls.length > 0 || more.length > 0, run))];
      if (deps.betweenTurns) yield* metered(deps.betweenTurns(run.signal), run.meter);
    }
    const { ending, ...why } = end;
    yield { type: "agent_end", messages: run.added, ending, ...why };
    const totals = { ...run.meter.totals(), durationMs: Math.max(0, deps.now() - startedAt) };
    yield { type: "agent_settled", aborted: ending === "aborted", totals };
  } finally {
    run.close();
    mend(run);
  }
}

/** Whether the run ends after this turn, and why. Marks the next turn as the last one when a limit is reached. */
function endingOf(message: AssistantMessage, hasCalls: boolean, run: RunState): Ending | undefined {
  if (message.stopReason === "error") return { ending: "error" };
  if (run.isOutOfTime()) return { ending: "limit", limit: "timeoutMs" };
  if (run.signal.aborted || message.stopReason === "aborted") return { ending: "aborted" };
  if (run.concluding) return { ending: "limit", limit: run.concluding };
  // The budget of the parent's run is spent: it pays for no last reply.
  if (hasCalls && run.deps.whole?.spent() !== undefined) return { ending: "limit", limit: "parent" };
  if (!hasCalls && run.deps.queues.isEmpty()) {
    return message.stopReason === "length" ? { ending: "limit", limit: "output" } : { ending: "done" };
  }
  const limit = run.meter.reached();
  if (limit === undefined) return undefined;
  // Without calls the answer is already there; what waits in the queues stays there for the person. A last reply costs money, too.
  if (!hasCalls || limit === "maxCostUsd") return { ending: "limit", limit };
  run.concluding = limit;
  return undefined;
}

/** What becomes of a run whose model has nothing left to do; `more` gets what the model is told before it may end. */
async function* judged(
  answer: AssistantMessage,
  run: RunState,
  more: AgentMessage[],
): AsyncGenerator<AgentEvent, Ending | undefined> {
  if (!run.deps.judge) return { ending: "done" };
  run.isBound = false;
  const verdict = yield* run.deps.judge(answer, run.signal);
  if (run.isOutOfTime()) return { ending: "limit", limit: "timeoutMs" };
  if (run.signal.aborted) return { ending: "aborted" };
  if (verdict.kind === "fails") return { ending: "unproven", reason: verdict.reason };
  // Somebody may have said something meanwhile.
  if (verdict.kind === "holds") return run.deps.queues.isEmpty() ? { ending: "done" } : undefined;
  const limit = run.meter.reached();
  if (limit !== undefined) return { ending: "limit", limit };
  run.isBound = verdict.isBound ?? false;
  more.push(...verdict.messages);
  return undefined;
}

/** Steering first, then, if the model has nothing left to do, follow-ups (R262–R267); nothing in the last turn. */
async function* nextInputs(hasCalls: boolean, run: RunState): AsyncGenerator<AgentEvent, readonly AgentMessage[]> {
  if (run.concluding) return [];
  const steering = yield* takeSteering(run);
  if (steering.length > 0 || hasCalls) return steering;
  const followUps = run.deps.queues.takeFollowUp();
  yield { type: "queue_update", ...run.deps.queues.texts() };
  return followUps;
}

function* takeSteering({ deps: { queues } }: RunState): Generator<AgentEvent, readonly AgentMessage[]> {
  if (!queues.hasSteering()) return [];
  const taken = queues.takeSteering();
  yield { type: "queue_update", ...queues.texts() };
  return taken;
}

function* remark(message: AssistantMessage): Generator<AgentEvent> {
  if (message.stopReason === "length") {
    yield { type: "notice", level: "warning", message: "The reply was cut at the model's output limit" };
  } else if (message.stopReason !== "error" && message.stopReason !== "aborted" && !belongsInConversation(message)) {
    yield { type: "notice", level: "warning", message: "The model gave an empty reply" };
  }
}

/** Brings the conversation into a form that can be sent; says whether it had to. */
function mend({ session: { messages }, deps }: RunState): boolean {
  if (problemsOf(messages).length === 0) return false;
  const repaired = repairTranscript(messages, deps.now);
  messages.length = 0;
  for (const message of repaired) messages.push(message);
  return true;
}

const CUT = "Not run: the reply was cut at the output limit, so the arguments may be incomplete. " +
  "Call again with smaller arguments, for example a long file in several steps";
const CONCLUDING = "Not run: a limit of this run is reached and no more calls are made";

/** A reply as it is kept, and its calls with what is to be done about them. */
export interface SettledReply {
  readonly message: AssistantMessage;
  readonly calls: readonly RoutedCall[];
}

/** Puts what can be sent again of a reply into the conversation; from then on each of its calls needs a result. */
async function settleReply(reply: AssistantMessage, run: RunState): Promise<SettledReply> {
  const whole = reply.stopReason === "aborted" ? stoppedReply(reply) : reply;
  const calls = whole.stopReason === "error"
    ? []
    : await Promise.all(toolCallsOf(whole).map((call) => route(call, whole, run)));
  const kept = new Map<ToolCall, ToolCall>(toolCallsOf(whole).map((call, i) => [call, calls[i]?.call ?? call]));
  const message = {
    ...whole,
    content: whole.content.map((part) => part.type === "toolCall" ? kept.get(part) ?? part : part),
  };
  const belongs = belongsInConversation(message);
  if (belongs) run.session.messages.push(message);
  if (belongs || message.stopReason === "error") run.added.push(message);
  return { message, calls };
}

async function route(
  call: ToolCall,
  { stopReason }: AssistantMessage,
  { concluding, deps }: RunState,
): Promise<RoutedCall> {
  const unrun = concluding ? CONCLUDING : stopReason === "length" ? CUT : undefined;
  return unrun === undefined
    ? await routeCall(call, deps.tools)
    : { kind: "answered", call, result: errorResult(unrun) };
}
