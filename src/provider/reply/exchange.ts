import type { ProviderEvent, ProviderFailure } from "../../core/provider.ts";
import { connectionFailure, cutStream } from "../failure/connection_failure.ts";
import { failureOf } from "../failure/failure.ts";
import { RefusedRequest } from "../failure/refused_request.ts";
import type { FailureContext } from "../failure/failure_message.ts";
import { parseStrict } from "../repair/json_arguments.ts";
import { MAX_REPLY_CHARACTERS, type ReplyContext } from "./message.ts";
import type { Ending, Reply } from "./reply.ts";
import { type SilenceLimits, type SilenceWatch, watchSilence } from "./silence.ts";
import { type ByteReader, readBytes, textUpTo } from "../../core/support/byte_reader.ts";
import { within } from "../../core/support/sleep.ts";
import { createParser } from "eventsource-parser";

/** Understands one API's events and puts them into a reply. */
export interface WireReader {
  event(name: string | undefined, data: string): void;
  /** A whole reply as one JSON value, from servers that do not stream. */
  whole(body: unknown): void;
  /** Whether the stream said that it is over; what comes after does not count. */
  isDone(): boolean;
  /** An error that was told inside the stream. */
  failure(): ProviderFailure | undefined;
}

/** One request and its reply. */
export interface Exchange {
  /** Sends the request; rejects with `RefusedRequest` for everything but a success. */
  readonly open: (signal: AbortSignal) => Promise<Response>;
  /** Asked when a response is over: the request that brings the rest of the reply, where the server paused; else undefined. */
  readonly goOn?: () => Exchange["open"] | undefined;
  /** Called once when it is over, before the last events are given. */
  readonly ended?: (ending: Ending) => Promise<void> | void;
  readonly reader: WireReader;
  readonly reply: Reply;
  readonly context: ReplyContext;
  readonly limits: SilenceLimits;
}

/** A body that is over may hold its connection open; it gets this long to close, so that the connection can be used again. */
const DRAIN_MS = 100;

/** Whether it closed. */
async function drain(body: ByteReader): Promise<boolean> {
  const over = async (): Promise<boolean> => {
    while (await body.read() !== undefined);
    return true;
  };
  return await within(DRAIN_MS, over().catch(() => false)) ?? false;
}

/** The failure that a rejected request or a broken body amounts to. */
function failureFrom(error: unknown, context: FailureContext): ProviderFailure {
  if (error instanceof RefusedRequest) {
    const { status, headers, error: body, text } = error;
    return failureOf({ status, headers, body: body ?? text }, context);
  }
  return connectionFailure(error, context);
}

function silenceFailure(watch: SilenceWatch, { context, limits }: Exchange): ProviderFailure {
  return watch.reason() === "stalled"
    ? cutStream(context, `nothing came for ${limits.stallMs / 1000} s`)
    : cutStream(context, `it got no further for ${limits.noProgressMs / 1000} s`);
}

/** A reply that went on beyond all bounds. Asking again would bring the same. */
function tooLong({ host, maxReplyCharacters = MAX_REPLY_CHARACTERS }: ReplyContext): ProviderFailure {
  const fix = "Lower the model's maxTokens, or raise limits.maxReplyCharacters in settings.json";
  const message = `The reply of ${host} has more than ${maxReplyCharacters} characters and was broken off. ${fix}.`;
  return { kind: "bad_request", message, retry: false };
}

/** In JSON a character has up to six bytes, and there is more in a body than the reply. */
const BODY_BYTES_PER_CHARACTER = 6;
const BODY_BYTES_BESIDES = 1024 * 1024;

/** Reads a reply that is not a stream of events: a JSON body, or a page that is no API at all. */
async function readWhole(response: Response, sse: SseReader, exchange: Exchange): Promise<ProviderFailure | undefined> {
  const { maxReplyCharacters = MAX_REPLY_CHARACTERS } = exchange.context;
  const text = await textUpTo(maxReplyCharacters * BODY_BYTES_PER_CHARACTER + BODY_BYTES_BESIDES, response.body);
  if (text === undefined) return tooLong(exchange.context);
  if (/^\s*</.test(text)) {
    const fix = "Check the path of --base-url (most servers want it to end in /v1)";
    return {
      kind: "bad_request",
      message: `${exchange.context.host} answered with a web page, not an API. ${fix}.`,
      retry: false,
    };
  }
  const body = parseStrict(text);
  if (body !== undefined) exchange.reader.whole(body);
  else {
    // Events under a wrong content type.
    sse.push(new TextEncoder().encode(text));
    sse.end();
  }
  return undefined;
}

function endingOf({ reader, reply, context }: Exchange): Ending {
  if (reply.isTooLong()) return { type: "failed", failure: tooLong(context) };
  const failure = reader.failure();
  if (failure) return { type: "failed", failure };
  if (reader.isDone() || reply.isFinished()) return { type: "complete" };
  return { type: "failed", failure: cutStream(context, "the stream ended in the middle") };
}

function goesOn({ reader, goOn }: Exchange, ending: Ending | undefined): Exchange["open"] | undefined {
  return ending || reader.failure() || !reader.isDone() ? undefined : goOn?.();
}

/** Runs one exchange to its end. Never throws; the last event is `end`; nothing stays open, also when the reader stops. */
export async function* runExchange(exchange: Exchange, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
  const { reader, reply, context } = exchange;
  const watch = watchSilence(exchange.limits, signal);
  let body: ByteReader | undefined;
  let ending: Ending | undefined;
  let isOver = false;
  try {
    for (let open: Exchange["open"] | undefined = exchange.open; open; open = goesOn(exchange, ending)) {
      const sse = createSseReader((name, data) => reader.event(name, data));
      if (!isOver) await body?.cancel();
      isOver = false;
      const response = await watch.wait(open(watch.signal));
      if (/^(application\/json|text\/html)/i.test(response.headers.get("content-type") ?? "") || !response.body) {
        const failure = await watch.wait(readWhole(response, sse, exchange));
        if (failure) ending = { type: "failed", failure };
        continue;
      }
      body = readBytes(response.body);
      while (!reader.isDone() && !reader.failure() && !reply.isTooLong() && !signal.aborted) {
        const bytes = await watch.wait(body.read());
        if (bytes === undefined) sse.end();
        else sse.push(bytes);
        const events = reply.take();
        if (events.length > 0) watch.progress();
        for (const event of events) {
          if (signal.aborted) break;
          yield event;
        }
        isOver = bytes === undefined;
        if (isOver) break;
      }
      if (reader.isDone() && !isOver) isOver = await drain(body);
    }
  } catch (error) {
    // Breaking off is what a read may fail of.
    if (!reply.isTooLong() && watch.reason() === undefined && !reader.isDone()) {
      ending = { type: "failed", failure: failureFrom(error, context) };
    }
  } finally {
    watch.close(isOver);
    if (!isOver) await body?.cancel();
  }
  if (watch.reason() === "aborted" || signal.aborted) ending = { type: "aborted" };
  else if (watch.reason() !== undefined && !reply.isFinished()) {
    ending = { type: "failed", failure: silenceFailure(watch, exchange) };
  }
  ending ??= endingOf(exchange);
  await exchange.ended?.(ending);
  yield* reply.end(ending);
}

/** Longest single event, characters; more is no reply but a flood. */
const MAX_EVENT = 32 * 1024 * 1024;

/** Turns a body's bytes into events, wherever the transport cut them. */
export interface SseReader {
  /** Throws when one event outgrows all reason. */
  push(bytes: Uint8Array): void;
  /** Dispatches an event that lacks its final blank line. */
  end(): void;
}

/** A reader that calls `onEvent` for each event as soon as it is complete; comments are skipped. */
function createSseReader(onEvent: (name: string | undefined, data: string) => void): SseReader {
  const decoder = new TextDecoder();
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: ({ event, data }) => onEvent(event, data),
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") throw error;
      // llama.cpp has told errors in a field of that name, which a strict parser never shows.
      if (error.type === "unknown-field" && error.field === "error") onEvent("error", error.value ?? "");
    },
  });
  return {
    push: (bytes) => parser.feed(decoder.decode(bytes, { stream: true })),
    end: () => parser.feed(`${decoder.decode()}\n\n`),
  };
}
