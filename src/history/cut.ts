import type { AgentMessage } from "../core/message.ts";

/** Where a conversation is cut in two. Indexes of messages. */
export interface Cut {
  /** First message that is kept. */
  readonly keptFrom: number;
  /** First message of the turn that the cut goes through; equal to `keptFrom` when it goes through none. */
  readonly turnFrom: number;
}

/**
 * Finds the cut that keeps about `keep` tokens of the newest messages (R291, R292).
 *
 * Walks back from the end until the kept messages have `keep` tokens, then forward to the first place where no call
 * loses its result; where there is none, back to the last one. A task stays with the results of its first calls. Nothing when that leaves no message before the cut.
 * `from` is the first message that may be cut off; `tokensOf` is called from the end and no further than needed.
 */
export async function findCut(
  messages: readonly AgentMessage[],
  from: number,
  keep: number,
  tokensOf: (message: AgentMessage) => number | Promise<number>,
): Promise<Cut | undefined> {
  let reached = messages.length;
  for (let kept = 0; kept < keep; kept += await tokensOf(messages[reached] as AgentMessage)) { // reached < length
    if (reached <= from) return undefined;
    reached--;
  }
  const isPlace = cutPlaces(messages);
  let at = reached;
  while (at < messages.length && !isPlace(at)) at++;
  if (at === messages.length) {
    at = reached - 1;
    while (at > from && !isPlace(at)) at--;
    const start = turnStart(messages, from, at);
    if (!messages.slice(start, at).some(({ role }) => role === "assistant")) at = start;
  }
  // What an extension or the program says about a prompt stands before it and stays with it.
  if (messages[at]?.role === "user") {
    while (at > from && messages[at - 1]?.role === "custom") at--;
  }
  return at > from ? { keptFrom: at, turnFrom: turnStart(messages, from, at) } : undefined;
}

/**
 * Finds the first cut after the message at `index` that leaves something to keep. For a conversation that is too long
 * only because of this message.
 */
export function cutAfter(messages: readonly AgentMessage[], from: number, index: number): Cut | undefined {
  const isPlace = cutPlaces(messages);
  for (let at = index + 1; at < messages.length; at++) {
    if (isPlace(at)) return { keptFrom: at, turnFrom: turnStart(messages, from, at) };
  }
  return undefined;
}

/** Tells for each index whether the conversation may be cut before that message. */
export function cutPlaces(messages: readonly AgentMessage[]): (index: number) => boolean {
  // How many calls wait for a result that comes at or after the index: differences first, then their running sum.
  const waiting = new Int32Array(messages.length + 1);
  const calls = new Map<string, number>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant") {
      for (const part of message.content) if (part.type === "toolCall") calls.set(part.id, index);
    } else if (message.role === "toolResult") {
      // Ids may come again in later replies: the newest call before a result is its own.
      const after = (calls.get(message.toolCallId) ?? index - 1) + 1;
      waiting[after] = (waiting[after] ?? 0) + 1;
      waiting[index + 1] = (waiting[index + 1] ?? 0) - 1;
    }
  }
  for (let i = 1; i < waiting.length; i++) waiting[i] = (waiting[i] ?? 0) + (waiting[i - 1] ?? 0);
  return (index) => waiting[index] === 0;
}

/** Start of the turn that a cut before `at` goes through; `at` itself when a turn begins there. */
function turnStart(messages: readonly AgentMessage[], from: number, at: number): number {
  let start = at;
  while (messages[start]?.role === "custom") start++;
  if (begins(messages[start])) return at;
  start = at - 1;
  while (start >= from && !begins(messages[start])) start--;
  if (start < from) return at;
  while (start > from && messages[start - 1]?.role === "custom") start--;
  return start;
}

function begins(message: AgentMessage | undefined): boolean {
  return message?.role === "user" || message?.role === "bashExecution" || message?.role === "branchSummary";
}
