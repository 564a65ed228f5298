import { createParser } from "eventsource-parser";

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
export function createSseReader(onEvent: (name: string | undefined, data: string) => void): SseReader {
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
