import type { JsonObject } from "../../src/core/json.ts";
import { type AssistantMessage, textOf, toolCallsOf } from "../../src/core/message.ts";

/** The protocols that have an adapter. */
export type WireApi = "chat" | "responses" | "anthropic";

/** What a fixture's reply has to become; explained inside expected.json. */
export interface Expectation {
  readonly api: WireApi;
  readonly trim?: boolean;
  readonly recovered?: boolean;
  readonly droppedCalls?: number;
  readonly deliver?: { readonly chunkBytes?: number };
  readonly mustKeep?: JsonObject;
  readonly expect: {
    readonly text: string;
    readonly reasoning: string;
    readonly toolCalls: readonly { readonly id: string | null; readonly name: string; readonly args: JsonObject }[];
    readonly stopReason: string;
    readonly usage:
      | Readonly<Record<"promptTokens" | "cachedTokens" | "outputTokens" | "reasoningTokens", number>>
      | null;
    readonly error: { readonly kind: string; readonly retry: boolean } | null;
  };
}

/** A message in the words of expected.json; reasoning tokens are not recorded apart. */
export function summaryOf(message: AssistantMessage, trim: boolean): Record<string, unknown> {
  const thinking = message.content.map((part) => part.type === "thinking" ? part.thinking : "").join("");
  const cut = (text: string): string => trim ? text.trim() : text;
  const { usage, failure } = message;
  return {
    text: cut(textOf(message.content)),
    reasoning: cut(thinking),
    toolCalls: toolCallsOf(message).map(({ id, name, arguments: args, refused }) => ({ id, name, args, refused })),
    stopReason: message.stopReason,
    usage: usage && {
      promptTokens: usage.input + usage.cacheRead + usage.cacheWrite,
      cachedTokens: usage.cacheRead,
      outputTokens: usage.output,
    },
    error: failure && { kind: failure.kind, retry: failure.retry },
  };
}

/** What `summaryOf` has to give; `madeUp` stands for ids that the server did not send. */
export function expectedSummary({ expect }: Expectation, madeUp: string): Record<string, unknown> {
  const { usage } = expect;
  return {
    text: expect.text,
    reasoning: expect.reasoning,
    toolCalls: expect.toolCalls.map((call) => ({ ...call, id: call.id ?? madeUp, refused: undefined })),
    stopReason: expect.stopReason,
    usage: usage
      ? { promptTokens: usage.promptTokens, cachedTokens: usage.cachedTokens, outputTokens: usage.outputTokens }
      : undefined,
    error: expect.error ?? undefined,
  };
}
