import type { Response, ResponseOutputItem, ResponseStreamEvent } from "openai/resources/responses/responses";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { ProviderFailure } from "../../core/provider.ts";
import { cutStream } from "../failure/connection_failure.ts";
import { ITEM_GAP } from "./responses_request.ts";
import type { WireReader } from "../reply/exchange.ts";
import { failureOf } from "../failure/failure.ts";
import type { FailureContext } from "../failure/failure_message.ts";
import { parseStrict } from "../repair/json_arguments.ts";
import type { Price } from "../models/models.ts";
import { type Fields, filled, list } from "../reply/fields.ts";
import type { Reply } from "../reply/reply.ts";
import { readUsage } from "../reply/usage.ts";

// Servers leave out the most different of these events, so everything is taken from where it comes first, and what comes
// later only adds what is still missing.

type EventType = ResponseStreamEvent["type"];
type Item = Fields<ResponseOutputItem>;

/** A reader of Responses events for one reply. */
export function createResponsesReader(reply: Reply, context: FailureContext, price?: Price): WireReader {
  /** How much of each text has come, by the place of its item and the part in it. */
  const seen = new Map<string, string>();
  /** Items that are kept, by their place. */
  const kept = new Map<number, JsonObject>();
  /** Reasoning may be told again at another place. */
  const reasoning = new Set<string>();
  /** Of the text of each message item. */
  const lengths = new Map<number, number>();
  let lastText: string | undefined;
  let lastThinking: string | undefined;
  const named = new Set<number>();
  const unnumbered: string[] = [];
  let isDone = false;
  let failure: ProviderFailure | undefined;

  /** Adds a delta, or from a whole text what its deltas did not bring. */
  function grow(place: string, text: string, isWhole: boolean, add: (delta: string) => void): void {
    const before = seen.get(place) ?? "";
    const delta = !isWhole ? text : text.startsWith(before) ? text.slice(before.length) : "";
    if (delta === "") return;
    seen.set(place, before + delta);
    add(delta);
  }

  /** Text of an item; items of their own are told apart. */
  function addText(index: number, delta: string): void {
    const place = `${index}`;
    if (lastText !== undefined && lastText !== place) reply.content(ITEM_GAP);
    lastText = place;
    lengths.set(index, (lengths.get(index) ?? 0) + delta.length);
    reply.content(delta);
  }

  function readText(index: number, part: number, text: string, isWhole: boolean): void {
    grow(`text ${index} ${part}`, text, isWhole, (delta) => addText(index, delta));
  }

  /** `place`: that of the item, and of the part in it. */
  function readThought(place: string, text: string, isWhole: boolean): void {
    grow(place, text, isWhole, (delta) => {
      if (lastThinking !== undefined && lastThinking !== place) reply.thinking(ITEM_GAP);
      lastThinking = place;
      reply.thinking(delta);
    });
  }

  function readArguments(index: number, args: unknown, isWhole: boolean): void {
    const text = typeof args === "string" ? args : isObject(args) ? JSON.stringify(args) : "";
    grow(`call ${index}`, text, isWhole, (delta) => reply.call({ index, args: delta }));
  }

  function readItem(item: Item, index: number, isWhole: boolean): void {
    const type = item.type as ResponseOutputItem["type"]; // any other one is left out
    if (type === "function_call") {
      const id = filled(item.call_id);
      const name = filled(item.name);
      // Told again with the finished item, by some servers under another id.
      if (!named.has(index)) {
        reply.call({ index, args: "", ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) });
      }
      if (name !== undefined) named.add(index);
      if (id !== undefined && !kept.has(index)) kept.set(index, { type: "function_call", call_id: id });
      readArguments(index, item.arguments, true);
    } else if (type === "message") {
      for (const [part, content] of list(item.content).entries()) {
        readText(index, part, filled(content.text) ?? filled(content.refusal) ?? "", true);
      }
      const phase = filled(item.phase);
      // A phase may be told with the beginning alone, or with the end.
      kept.set(index, { type: "message", ...kept.get(index), ...(phase === undefined ? {} : { phase }) });
    } else if (type === "reasoning" && isWhole) {
      for (const [kind, parts] of [["summary", item.summary], ["reasoning", item.content]] as const) {
        for (const [part, { text }] of list(parts).entries()) {
          readThought(`${kind} ${index} ${part}`, filled(text) ?? "", true);
        }
      }
      const id = filled(item.id) ?? `at ${index}`;
      if (!reasoning.has(id)) kept.set(index, item);
      reasoning.add(id);
    }
  }

  /** Reasoning and the places of everything go back with the message. */
  function keepItems(): void {
    const items = [...kept].toSorted(([one], [other]) => one - other).map(([index, item]): JsonObject =>
      item.type === "message" ? { ...item, length: lengths.get(index) ?? 0 } : item
    ).filter(({ type, length }) => type !== "message" || length !== 0);
    const isTold = items.some(({ type, phase }) => type === "reasoning" || phase !== undefined);
    const firstCall = items.findIndex(({ type }) => type === "function_call");
    const isTextLater = firstCall >= 0 && items.slice(firstCall).some(({ type }) => type === "message");
    if (isTold || isTextLater) reply.keep("items", items);
  }

  function readEnd(response: Fields<Response>): void {
    for (const [index, item] of list(response.output).entries()) readItem(item, index, true);
    keepItems();
    const usage = readUsage(response.usage, price);
    if (usage) reply.usage(usage);
    const details = isObject(response.incomplete_details) ? response.incomplete_details.reason : undefined;
    if (response.status === "failed" || isObject(response.error)) {
      failure = failureOf({ body: { error: response.error ?? "the response failed" } }, context);
    } else if (details === "content_filter") reply.finish("content_filter");
    else reply.finish(response.status === "incomplete" ? "length" : "stop");
    isDone = true;
  }

  /** The place of an event's item; servers that leave out the number still name the item. */
  function indexOf({ output_index: index, item_id: itemId, item }: Fields<ResponseStreamEvent>): number {
    if (typeof index === "number") return index;
    const id = filled(itemId) ?? (isObject(item) ? filled(item.id) : undefined) ?? "";
    if (!unnumbered.includes(id)) unnumbered.push(id);
    return unnumbered.indexOf(id);
  }

  function readEvent(type: EventType, event: Fields<ResponseStreamEvent> & { readonly error?: JsonValue }): void {
    const index = indexOf(event);
    const part = Number(event.content_index ?? event.summary_index ?? 0);
    const delta = filled(event.delta) ?? "";
    switch (type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        return readText(index, part, delta, false);
      case "response.output_text.done":
        return readText(index, part, filled(event.text) ?? "", true);
      case "response.reasoning_summary_text.delta":
        return readThought(`summary ${index} ${part}`, delta, false);
      case "response.reasoning_text.delta":
        return readThought(`reasoning ${index} ${part}`, delta, false);
      case "response.function_call_arguments.delta":
        return readArguments(index, delta, false);
      case "response.function_call_arguments.done":
        return readArguments(index, event.arguments, true);
      case "response.output_item.added":
      case "response.output_item.done":
        return isObject(event.item) ? readItem(event.item, index, type.endsWith("done")) : undefined;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        return readEnd(isObject(event.response) ? { status: type.slice("response.".length), ...event.response } : {});
      case "error":
        failure = failureOf({ body: isObject(event.error) ? event : { error: event } }, context);
    }
  }

  return {
    event(name, data) {
      if (isDone || failure) return;
      const text = data.trim();
      if (text === "" || text.startsWith(":") || text === "[DONE]") return;
      const value = parseStrict(text);
      if (!isObject(value)) failure = cutStream(context, "an event in it is damaged");
      else if (filled(value.type) === undefined && value.error) readEvent("error", value);
      else readEvent((filled(value.type) ?? name ?? "") as EventType, value); // any other one is left out
    },
    whole(body) {
      if (isObject(body) && "output" in body) readEnd(body);
      else failure = failureOf({ body }, context);
    },
    isDone: () => isDone,
    failure: () => failure,
  };
}
