import { type AgentMessage, belongsInConversation, toolCallsOf, type ToolResultMessage } from "../core/message.ts";

/** The result that is made up for a call whose own result was lost. */
const LOST = "No result: the run was interrupted before or during this call. Check what it did before calling again.";

/** What makes a conversation unfit to be sent, one sentence each; empty when nothing does. */
export function problemsOf(messages: readonly AgentMessage[]): readonly string[] {
  const problems: string[] = [];
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i];
    if (message?.role === "toolResult") problems.push(`message ${i}: result ${message.toolCallId} answers no call`);
    if (message?.role !== "assistant") continue;
    if (!belongsInConversation(message)) problems.push(`message ${i}: failed or empty reply`);
    for (const call of toolCallsOf(message)) {
      const next = messages[i + 1];
      if (next?.role === "toolResult" && next.toolCallId === call.id) i++;
      else problems.push(`message ${i}: call ${call.id} is not answered by the next message`);
    }
  }
  return problems;
}

/**
 * The conversation with every call answered exactly once, right after its reply and in the order of the calls.
 *
 * Missing results are made up as errors, results without a call and failed or empty replies are left out. Calls are
 * matched with the results that follow their own reply, because some servers use the same ids in every reply.
 */
export function repairTranscript(messages: readonly AgentMessage[], now: () => number): AgentMessage[] {
  const repaired: AgentMessage[] = [];
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i];
    if (message === undefined || message.role === "toolResult") continue;
    if (message.role === "assistant" && !belongsInConversation(message)) continue;
    repaired.push(message);
    if (message.role !== "assistant") continue;
    const results: ToolResultMessage[] = [];
    for (let next = messages[i + 1]; next?.role === "toolResult"; next = messages[i + 1]) {
      results.push(next);
      i++;
    }
    for (const { id, name } of toolCallsOf(message)) {
      const found = results.findIndex((result) => result.toolCallId === id);
      const [result] = found < 0 ? [] : results.splice(found, 1);
      repaired.push(
        result ?? {
          role: "toolResult",
          toolCallId: id,
          toolName: name,
          content: [{ type: "text", text: LOST }],
          isError: true,
          timestamp: now(),
        },
      );
    }
  }
  return repaired;
}
