// What the protocols share when they write a conversation down for a server.
import {
  type AssistantMessage,
  type ImageContent,
  type RequestMessage,
  textOf,
  type ToolCall,
  toolCallsOf,
  type ToolResultMessage,
  type UserMessage,
} from "../../core/message.ts";
import { sha256 } from "../../core/support/digest.ts";
import type { Capabilities } from "../capabilities/capabilities.ts";
import type { Target } from "./adapter.ts";

/** What a tool result says that has no text: some servers refuse an empty one. */
export const NO_OUTPUT = "(no output)";

/** The result of a call that was never answered, for example after an abort. */
export const NOT_RUN = "(this call was not run)";

/** Stands for an image where the model sees none. */
export const NO_IMAGE = "(image omitted: the model takes none)";

/** Stands for an image that the server could not use. */
export const BAD_IMAGE = "(image omitted: the server refused it)";

/** Removes halves of surrogate pairs, which no server can read. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.replace(/[\ud800-\udfff]/gu, "");
}

/** Images of a message. */
export function imagesOf(content: RequestMessage["content"]): readonly ImageContent[] {
  return typeof content === "string" ? [] : content.filter((part) => part.type === "image");
}

type Sight = Pick<Target, "takes" | "refused">;

/** Text and images as they go out. */
interface Shown {
  readonly text: string;
  readonly images: readonly ImageContent[];
}

function sentImages({ takes, refused }: Sight, content: UserMessage["content"]): readonly ImageContent[] {
  return takes.images ? imagesOf(content).filter((image) => !refused?.has(image)) : [];
}

/** What a message says and shows; in the place of each image that does not go out a word. */
export function shownTo(target: Sight, content: UserMessage["content"]): Shown {
  const text = wellFormed(textOf(content));
  const images = sentImages(target, content);
  const word = target.takes.images ? BAD_IMAGE : NO_IMAGE;
  const words = imagesOf(content).filter((image) => !images.includes(image)).map(() => word);
  return { text: [...(text === "" ? [] : [text]), ...words].join("\n"), images };
}

/** What the result of a call says, and the images that stand in it. */
export function shownResult(target: Sight, result: ToolResultMessage | undefined): Shown {
  if (!result) return { text: NOT_RUN, images: [] };
  const { text, images } = shownTo(target, result.content);
  if (images.length > 0 && target.takes.imagesInResults) return { text, images };
  return { text: text || (images.length > 0 ? "(see the image below)" : NO_OUTPUT), images: [] };
}

/** Images of results that stand in a message behind them. */
export function imagesBehind(target: Sight, results: readonly ToolResultMessage[]): readonly ImageContent[] {
  return target.takes.imagesInResults ? [] : results.flatMap(({ content }) => sentImages(target, content));
}

/** A call id in the form that a server accepts; the same id always gives the same one, so calls and results still meet. */
export function wireCallId(id: string, rule: Capabilities["callIds"]): string {
  switch (rule) {
    case "keep":
      return id;
    case "mistral9":
      return /^[A-Za-z0-9]{9}$/.test(id) ? id : sha256(id).slice(0, 9);
    case "max40":
      return id.length <= 40 ? id : `call_${sha256(id).slice(0, 32)}`;
  }
}

/** A conversation in the order that servers insist on: each call is followed by exactly one result. */
export type Step =
  | { readonly type: "message"; readonly message: Exclude<RequestMessage, ToolResultMessage> }
  | { readonly type: "result"; readonly call: ToolCall; readonly result: ToolResultMessage | undefined }
  /** All results of one assistant message have been given. */
  | { readonly type: "resultsEnd"; readonly results: readonly ToolResultMessage[] };

/**
 * Puts results right behind their calls, in the calls' order; a call without one gets `undefined`, a result without a
 * call is left out. Depends only on what stands before, except for the newest calls, so earlier steps never change.
 */
export function orderAnswers(messages: readonly RequestMessage[]): readonly Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    if (message === undefined || message.role === "toolResult") continue;
    steps.push({ type: "message", message });
    if (message.role !== "assistant") continue;
    const calls = toolCallsOf(message);
    if (calls.length > 0) steps.push(...answersTo(calls, resultsAfter(messages, at)));
  }
  return steps;
}

function resultsAfter(messages: readonly RequestMessage[], at: number): ReadonlyMap<string, ToolResultMessage> {
  const found = new Map<string, ToolResultMessage>();
  for (let next = at + 1; next < messages.length; next++) {
    const message: RequestMessage | AssistantMessage | undefined = messages[next];
    if (message === undefined || message.role === "assistant") break;
    if (message.role === "toolResult" && !found.has(message.toolCallId)) found.set(message.toolCallId, message);
  }
  return found;
}

function answersTo(calls: readonly ToolCall[], found: ReadonlyMap<string, ToolResultMessage>): readonly Step[] {
  const steps: Step[] = calls.map((call) => ({ type: "result", call, result: found.get(call.id) }));
  const results = calls.map((call) => found.get(call.id)).filter((result) => result !== undefined);
  return [...steps, { type: "resultsEnd", results }];
}

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
    const isSettled = messages[settled.length]?.role === "assistant" &&
      settled.every((message, index) => message === messages[index]);
    if (!isSettled) [settled, made] = [[], []];
    const last = messages.findLastIndex(({ role }) => role === "assistant");
    if (last > settled.length) {
      made = convert(messages.slice(settled.length, last), [...made]);
      settled = messages.slice(0, last);
    }
    return convert(messages.slice(settled.length), [...made]);
  };
}
