import { attempt } from "./support/attempt.ts";
import { isObject, type JsonObject, type JsonValue } from "./json.ts";
import type { Policy } from "./policy.ts";
import { PROGRAM_BYTES, type ProgramOutcome, type ProgramRequest } from "./runner.ts";
import { modulesFile } from "./support/modules_file.ts";
import type { ToolResult } from "./tool_result.ts";

/** Longest message in UTF-16 units of its JSON text; above a line it travels in parts. */
export const MESSAGE_UNITS = 64 * 1024 * 1024;

/** Nesting and number of values that one message may have. */
const MAX_DEPTH = 32;
const MAX_VALUES = 1_000_000;

/** A message that breaks the rules of the protocol; whoever sent it is not trusted any further. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/** What the host asks of the runner. `hello` comes first and once. */
export type RunnerRequest =
  | {
    readonly v: 1;
    readonly id: string;
    readonly op: "hello";
    readonly policy: JsonObject;
    readonly checkPaths?: boolean;
  }
  | { readonly v: 1; readonly id: string; readonly op: "tool"; readonly name: string; readonly args: JsonObject }
  /** `call` is the id of the call to end. */
  | { readonly v: 1; readonly id: string; readonly op: "cancel"; readonly call: string }
  /** How a program ended that the runner asked for. */
  | {
    readonly v: 1;
    readonly id: string;
    readonly op: "ended";
    readonly exec: string;
    readonly outcome: ProgramOutcome;
  }
  /** Why a program that the runner asked for did not run. */
  | { readonly v: 1; readonly id: string; readonly op: "refused"; readonly exec: string; readonly why: string };

/** What the runner answers: any number of updates and programs to run, then one `ok` or `error`. */
export type RunnerAnswer =
  | { readonly v: 1; readonly id: string; readonly ok: ToolResult }
  | { readonly v: 1; readonly id: string; readonly error: string }
  | { readonly v: 1; readonly id: string; readonly update: string }
  /** Asks for a program on behalf of the call `id`; `exec` is the runner's own name for it. */
  | {
    readonly v: 1;
    readonly id: string;
    readonly op: "exec";
    readonly exec: string;
    readonly program: ProgramRequest;
  }
  /** The program is not needed any more. */
  | { readonly v: 1; readonly id: string; readonly op: "stop"; readonly exec: string };

/** What Deno lets the worker with the tools touch: the policy's files, its own modules, and nothing else at all. */
export function workerPermissions(policy: Pick<Policy, "read" | "write">): Deno.PermissionOptionsObject {
  const paths = (all: boolean, list: readonly string[]): boolean | string[] => all || (list.length > 0 && [...list]);
  const none = { env: false, net: false, run: false, ffi: false, sys: false, import: false };
  const { read, write } = policy;
  return { read: paths(read.all, [...read.list, ...ownFiles()]), write: paths(write.all, write.list), ...none };
}

/**
 * The file that the worker's own modules come out of in the compiled binary. In somebody else's binary, which this is a
 * library of, it is left out unless that program may read itself.
 */
function ownFiles(): readonly string[] {
  if (!Deno.build.standalone) return [];
  const path = modulesFile(import.meta.dirname ?? ".");
  return Deno.permissions.querySync({ name: "read", path }).state === "granted" ? [path] : [];
}

/** The JSON text of one message, bytes as base64; a `ProtocolError` when the other side would refuse it. */
export function messageText(message: RunnerRequest | RunnerAnswer): string {
  const text = JSON.stringify(cleanJson(wired(message)));
  if (text.length > MESSAGE_UNITS) throw new ProtocolError("the message is too large");
  return text;
}

/** A message with its bytes as text. */
function wired(message: RunnerRequest | RunnerAnswer): unknown {
  if ("program" in message) {
    const { argv, cwd, stdin } = message.program;
    return { ...message, program: { argv, cwd, stdin: stdin.toBase64() } };
  }
  if (!("outcome" in message)) return message;
  const { exitCode, stdout, stderr, notes } = message.outcome;
  return { ...message, outcome: { exitCode, stdout: stdout.toBase64(), stderr: stderr.toBase64(), notes } };
}

/** Reads a request; throws `ProtocolError` for anything but the shapes of `RunnerRequest`. */
export function readRequest(text: string): RunnerRequest {
  const { id, body } = readMessage(text);
  const { op, policy, checkPaths, name, args, call, exec } = body;
  if (op === "hello" && isObject(policy) && (checkPaths === undefined || typeof checkPaths === "boolean")) {
    return { v: 1, id, op, policy, ...(checkPaths === undefined ? {} : { checkPaths }) };
  }
  if (op === "tool" && typeof name === "string" && isObject(args)) return { v: 1, id, op, name, args };
  if (op === "cancel" && typeof call === "string") return { v: 1, id, op, call };
  const outcome = readOutcome(body["outcome"]);
  if (op === "ended" && isId(exec) && outcome) return { v: 1, id, op, exec, outcome };
  if (op === "refused" && isId(exec) && typeof body["why"] === "string") {
    return { v: 1, id, op, exec, why: body["why"] };
  }
  throw new ProtocolError("not a request");
}

/** Reads an answer; throws `ProtocolError` for anything but the shapes of `RunnerAnswer`. Unknown fields are left out. */
export function readAnswer(text: string): RunnerAnswer {
  const { id, body } = readMessage(text);
  const { op, exec } = body;
  const program = op === "exec" ? readProgram(body["program"]) : undefined;
  if (op === "exec" && isId(exec) && program) return { v: 1, id, op, exec, program };
  if (op === "stop" && isId(exec)) return { v: 1, id, op, exec };
  if (typeof body["update"] === "string") return { v: 1, id, update: body["update"] };
  if (typeof body["error"] === "string") return { v: 1, id, error: body["error"] };
  return { v: 1, id, ok: readResult(body["ok"]) };
}

function readMessage(text: string): { readonly id: string; readonly body: JsonObject } {
  if (text.length > MESSAGE_UNITS) throw new ProtocolError("the message is too large");
  const body = cleanJson(parseJson(text));
  if (!isObject(body) || body["v"] !== 1) throw new ProtocolError("not a message of version 1");
  const id = body["id"];
  if (!isId(id)) throw new ProtocolError("a message without an id");
  return { id, body };
}

function isId(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= 64;
}

function readResult(value: JsonValue | undefined): ToolResult {
  if (!isObject(value) || !Array.isArray(value["content"])) throw new ProtocolError("not an answer");
  const { details, isError } = value;
  if (details !== undefined && !isObject(details)) throw new ProtocolError("details are no object");
  if (isError !== undefined && typeof isError !== "boolean") throw new ProtocolError("isError is no boolean");
  return {
    content: value["content"].map(readContent),
    ...(details === undefined ? {} : { details }),
    ...(isError === undefined ? {} : { isError }),
  };
}

function readContent(part: JsonValue): ToolResult["content"][number] {
  if (isObject(part)) {
    const { type, text, data, mimeType } = part;
    if (type === "text" && typeof text === "string") return { type, text };
    if (
      type === "image" && typeof data === "string" && typeof mimeType === "string" && /^image\/[\w.+-]+$/.test(mimeType)
    ) {
      return { type, data, mimeType };
    }
  }
  throw new ProtocolError("not a content part");
}

/** The value of a JSON text; a `ProtocolError` for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProtocolError("not JSON");
  }
}

/**
 * A copy of a value that holds nothing but JSON: objects without a prototype, no key that could reach one, bounded in
 * depth and size. Fields that are `undefined` are left out, as JSON does.
 */
export function cleanJson(value: unknown): JsonValue {
  let values = 0;
  const copy = (from: unknown, depth: number): JsonValue => {
    if (++values > MAX_VALUES) throw new ProtocolError("the message holds too many values");
    if (depth > MAX_DEPTH) throw new ProtocolError("the message is nested too deeply");
    if (from === null || typeof from === "boolean" || typeof from === "string") return from;
    if (typeof from === "number" && Number.isFinite(from)) return from;
    if (Array.isArray(from)) return from.map((item) => copy(item, depth + 1));
    if (typeof from !== "object") throw new ProtocolError(`the message holds a ${typeof from}`);
    const to: Record<string, JsonValue> = Object.create(null);
    for (const [key, item] of Object.entries(from)) {
      if (key === "__proto__" || key === "constructor" || key === "prototype") {
        throw new ProtocolError(`the message holds the key "${key}"`);
      }
      if (item !== undefined) to[key] = copy(item, depth + 1);
    }
    return to;
  };
  return copy(value, 0);
}

// Programs and their outcomes on the wire: bytes travel as base64, and whatever arrives is checked.

/** Most words of a command line, and UTF-16 units of all of them: about what the kernel takes (ARG_MAX, execve(2)). */
const MAX_WORDS = 10_000;
const MAX_WORD_UNITS = 1024 * 1024;

/** The program in a message; undefined where it is none. */
function readProgram(value: JsonValue | undefined): ProgramRequest | undefined {
  const { argv, cwd, stdin } = isObject(value) ? value : {};
  const bytes = readBytes(stdin);
  if (!isTexts(argv) || argv.length === 0 || argv.length > MAX_WORDS || bytes === undefined) return undefined;
  if (argv.reduce((sum, word) => sum + word.length, 0) > MAX_WORD_UNITS) return undefined;
  if (typeof cwd !== "string" || !cwd.startsWith("/") || [cwd, ...argv].some((text) => text.includes("\0"))) {
    return undefined;
  }
  return { argv, cwd, stdin: bytes };
}

/** The outcome in a message; undefined where it is none. */
function readOutcome(value: JsonValue | undefined): ProgramOutcome | undefined {
  const { exitCode, stdout, stderr, notes } = isObject(value) ? value : {};
  const [out, err] = [readBytes(stdout), readBytes(stderr)];
  if (typeof exitCode !== "number" || !Number.isInteger(exitCode) || !isTexts(notes) || !out || !err) return undefined;
  return { exitCode, stdout: out, stderr: err, notes };
}

function readBytes(value: JsonValue | undefined): Uint8Array<ArrayBuffer> | undefined {
  // Four characters carry three bytes.
  if (typeof value !== "string" || value.length > PROGRAM_BYTES / 3 * 4 + 4) return undefined;
  return attempt(() => Uint8Array.fromBase64(value));
}

function isTexts(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
