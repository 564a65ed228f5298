// What tests of sessions need: messages, a clock and a random source that can be foretold, folders that go away again.
import { UserError } from "../../src/core/error.ts";
import type { AssistantMessage, ToolResultMessage, UserMessage } from "../../src/core/message.ts";
import type { NewEntry } from "../../src/core/session.ts";
import { untouchedFiles } from "../../src/sandbox/names/named_files.ts";
import type { StoreOptions } from "../../src/session/store.ts";

export const START = Date.parse("2026-03-07T08:00:00.000Z");

export interface World extends StoreOptions {
  readonly folder: string;
  readonly failures: UserError[];
  readonly notices: string[];
}

/** A folder and options; a second passes with each look at the clock. */
export function inWorld(body: (world: World) => void): void {
  const folder = Deno.makeTempDirSync();
  try {
    body(worldIn(folder));
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

export function worldIn(folder: string): World {
  const failures: UserError[] = [];
  const notices: string[] = [];
  let time = START;
  return {
    folder,
    failures,
    notices,
    now: () => (time += 1000) - 1000,
    random: Math.random,
    files: untouchedFiles,
    onFailure: (failure) => failures.push(failure),
    onNotice: (notice) => notices.push(notice),
  };
}

export function user(text: string): UserMessage {
  return { role: "user", content: text, timestamp: START };
}

export function reply(text: string, more: Partial<AssistantMessage> = {}): AssistantMessage {
  const content = [{ type: "text", text }] as const;
  return { role: "assistant", content, provider: "openai", model: "m", stopReason: "stop", timestamp: START, ...more };
}

export function result(id: string, text: string): ToolResultMessage {
  const content = [{ type: "text", text }] as const;
  return { role: "toolResult", toolCallId: id, toolName: "read", content, isError: false, timestamp: START };
}

export function said(message: UserMessage | AssistantMessage | ToolResultMessage): NewEntry {
  return { type: "message", message };
}

export function linesOf(path: string): unknown[] {
  return Deno.readTextFileSync(path).trimEnd().split("\n").map((line) => JSON.parse(line));
}

export function writeLines(path: string, values: readonly unknown[]): void {
  Deno.writeTextFileSync(
    path,
    values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)) + "\n").join(""),
  );
}

/** The UserError that something throws. */
export function refusalOf(action: () => unknown): UserError {
  try {
    action();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}
