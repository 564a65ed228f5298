import { type AssistantMessage, type ToolCall, toolCallsOf } from "../core/message.ts";
import { errorResult } from "../core/tool.ts";
import { stoppedReply } from "./joined_reply.ts";
import type { RunState } from "./run_state.ts";
import { routeCall, type RoutedCall } from "./tool_call.ts";
import { belongsInConversation } from "./transcript.ts";

const CUT = "Not run: the reply was cut at the output limit, so the arguments may be incomplete. " +
  "Call again with smaller arguments, for example a long file in several steps";
const CONCLUDING = "Not run: a limit of this run is reached and no more calls are made";

/** A reply as it is kept, and its calls with what is to be done about them. */
export interface SettledReply {
  readonly message: AssistantMessage;
  readonly calls: readonly RoutedCall[];
}

/** Puts what can be sent again of a reply into the conversation; from then on each of its calls needs a result. */
export async function settleReply(reply: AssistantMessage, run: RunState): Promise<SettledReply> {
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
