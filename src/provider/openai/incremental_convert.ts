import type { RequestMessage } from "../../core/message.ts";

/**
 * A converter of conversations that converts only what is new, for conversations that grow at their end.
 *
 * `convert` adds what messages become to a list. What a message becomes may depend on the ones before it, and for a reply
 * on what follows up to the next reply, so the newest reply that two conversations have in common is where it starts.
 */
export function growing<W>(
  convert: (messages: readonly RequestMessage[], made: W[]) => W[],
): (messages: readonly RequestMessage[]) => W[] {
  /** All before the newest reply of the last conversation, and what it became; good as long as a reply follows. */
  let settled: readonly RequestMessage[] = [];
  let made: readonly W[] = [];
  return (messages) => {
    const isSettled = messages[settled.length]?.role === "assistant" && beginsWith(messages, settled);
    if (!isSettled) [settled, made] = [[], []];
    const last = messages.findLastIndex(({ role }) => role === "assistant");
    if (last > settled.length) {
      made = convert(messages.slice(settled.length, last), [...made]);
      settled = messages.slice(0, last);
    }
    return convert(messages.slice(settled.length), [...made]);
  };
}

function beginsWith(messages: readonly RequestMessage[], start: readonly RequestMessage[]): boolean {
  return messages.length >= start.length && start.every((message, index) => message === messages[index]);
}
