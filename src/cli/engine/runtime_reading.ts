import type { SessionEntry, SessionStore } from "../../core/session.ts";
import type { Conversation } from "./conversation.ts";
import type { PromptState, RuntimeReading } from "./prompt_state.ts";

/** The custom type of its entries. */
const READING = "runtime";

/** What was kept last, so that a round does not look through the whole session. */
const kept = new WeakMap<SessionStore, number>();

/** Keeps the clock of the system prompt with the session, once for each reading (K7). */
export function keepReading(conversation: Conversation, prompt: PromptState): void {
  const reading = prompt.reading();
  const store = conversation.store();
  if ((kept.get(store) ?? stored(conversation)?.at) === reading.at) return;
  kept.set(store, reading.at);
  conversation.append({ type: "custom", customType: READING, data: reading });
}

/** Takes the clock that a resumed session was started with, so that its requests keep their first bytes. */
export function restoreReading(conversation: Conversation, prompt: PromptState): void {
  const reading = stored(conversation);
  if (reading && reading.runtime.cwd === prompt.reading().runtime.cwd) prompt.takeReading(reading);
}

function stored(conversation: Conversation): RuntimeReading | undefined {
  const entry = conversation.store().entries().findLast(isReading);
  return entry?.type === "custom" ? readingIn(entry.data) : undefined;
}

function isReading(entry: SessionEntry): boolean {
  return entry.type === "custom" && entry.customType === READING;
}

function readingIn(data: unknown): RuntimeReading | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { runtime, at } = data as Readonly<Record<string, unknown>>; // an object; checked field by field
  if (typeof runtime !== "object" || runtime === null || typeof at !== "number") return undefined;
  const { dateTime, cwd, os, git } = runtime as Readonly<Record<string, unknown>>; // the same
  if (typeof dateTime !== "string" || typeof cwd !== "string" || typeof os !== "string") return undefined;
  const { branch, dirty } = (typeof git === "object" && git !== null ? git : {}) as Readonly<Record<string, unknown>>;
  return {
    at,
    runtime: {
      dateTime,
      cwd,
      os,
      ...(typeof branch === "string" ? { git: { branch, ...(typeof dirty === "boolean" ? { dirty } : {}) } } : {}),
    },
  };
}
