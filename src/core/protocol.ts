import type { JsonObject, JsonValue } from "./json.ts";
import type { Policy } from "./policy.ts";
import type { ToolResult } from "./tool.ts";

/** Longest line on the wire in bytes, without its newline. */
export const LINE_BYTES = 1024 * 1024;

/** Longest message in UTF-16 units of its JSON text; above a line it travels in parts. */
export const MESSAGE_UNITS = 64 * 1024 * 1024;

/** Nesting and number of values that one message may have. */
const MAX_DEPTH = 32;
const MAX_VALUES = 1_000_000;

/** A part's units: three bytes each in the worst case (a CJK character, an escaped quote is two), so a line holds it. */
const PART_UNITS = 300_000;

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
  | { readonly v: 1; readonly id: string; readonly op: "cancel"; readonly call: string };

/** What the runner answers: any number of updates, then one `ok` or `error`. */
export type RunnerAnswer =
  | { readonly v: 1; readonly id: string; readonly ok: ToolResult }
  | { readonly v: 1; readonly id: string; readonly error: string }
  | { readonly v: 1; readonly id: string; readonly update: string };

/** What Deno lets the worker with the tools touch: the policy's files, and nothing else at all. */
export function workerPermissions(policy: Pick<Policy, "read" | "write">): Deno.PermissionOptionsObject {
  const paths = ({ all, list }: Policy["read"]): boolean | string[] => all || (list.length > 0 && [...list]);
  const none = { env: false, net: false, run: false, ffi: false, sys: false, import: false };
  return { read: paths(policy.read), write: paths(policy.write), ...none };
}

/** The JSON text of one message; a `ProtocolError` when the other side would refuse it. */
export function messageText(message: RunnerRequest | RunnerAnswer): string {
  const text = JSON.stringify(cleanJson(message));
  if (text.length > MESSAGE_UNITS) throw new ProtocolError("the message is too large");
  return text;
}

/** Reads a request; throws `ProtocolError` for anything but the shapes of `RunnerRequest`. */
export function readRequest(text: string): RunnerRequest {
  const { id, body } = readMessage(text);
  const { op, policy, checkPaths, name, args, call } = body;
  if (op === "hello" && isObject(policy) && (checkPaths === undefined || typeof checkPaths === "boolean")) {
    return { v: 1, id, op, policy, ...(checkPaths === undefined ? {} : { checkPaths }) };
  }
  if (op === "tool" && typeof name === "string" && isObject(args)) return { v: 1, id, op, name, args };
  if (op === "cancel" && typeof call === "string") return { v: 1, id, op, call };
  throw new ProtocolError("not a request");
}

/** Reads an answer; throws `ProtocolError` for anything but the shapes of `RunnerAnswer`. Unknown fields are left out. */
export function readAnswer(text: string): RunnerAnswer {
  const { id, body } = readMessage(text);
  if (typeof body["update"] === "string") return { v: 1, id, update: body["update"] };
  if (typeof body["error"] === "string") return { v: 1, id, error: body["error"] };
  return { v: 1, id, ok: readResult(body["ok"]) };
}

function readMessage(text: string): { readonly id: string; readonly body: JsonObject } {
  if (text.length > MESSAGE_UNITS) throw new ProtocolError("the message is too large");
  const body = cleanJson(parse(text));
  if (!isObject(body) || body["v"] !== 1) throw new ProtocolError("not a message of version 1");
  const id = body["id"];
  if (typeof id !== "string" || id.length === 0 || id.length > 64) throw new ProtocolError("a message without an id");
  return { id, body };
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

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
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

/** Every part starts with exactly these bytes, so a whole message and a part cannot be taken for one another. */
const PART = '{"v":1,"part":';

const encoder = new TextEncoder();

/** The lines, each with its newline, that carry one message. They must be written without another message in between. */
export function frame(text: string): Uint8Array<ArrayBuffer>[] {
  // Three bytes a unit is the most that UTF-8 needs, so a short text is known to fit without being measured.
  if (text.length * 3 < LINE_BYTES) return [encoder.encode(text + "\n")];
  const lines: Uint8Array<ArrayBuffer>[] = [];
  for (let start = 0; start < text.length; start += PART_UNITS) {
    const end = start + PART_UNITS;
    const part = JSON.stringify(text.slice(start, end));
    lines.push(encoder.encode(`${PART}${part},"more":${end < text.length}}\n`));
  }
  return lines;
}

/**
 * Turns bytes into the texts of messages, whatever the sizes of the pieces they come in.
 *
 * Holds at most one line and one message. Throws `ProtocolError` for a line or message that is too long, broken UTF-8
 * and parts that do not belong together; it must not be used after that.
 */
export function deframer(): (bytes: Uint8Array) => string[] {
  const lines = lineSplitter();
  let parts: string[] = [];
  let units = 0;
  const take = (line: string): string | undefined => {
    if (!line.startsWith(PART)) {
      if (parts.length > 0) throw new ProtocolError("a message inside another");
      return line;
    }
    const chunk = parse(line);
    // A JSON text that starts with `{` is an object; both fields are checked on the next line.
    const { part, more } = chunk as { readonly part: unknown; readonly more: unknown };
    if (typeof part !== "string" || part === "" || typeof more !== "boolean") throw new ProtocolError("not a part");
    units += part.length;
    if (units > MESSAGE_UNITS) throw new ProtocolError("the message is too large");
    parts.push(part);
    if (more) return undefined;
    const text = parts.join("");
    parts = [];
    units = 0;
    return text;
  };
  return (bytes) => lines(bytes).map(take).filter((text) => text !== undefined);
}

/** Splits at newlines and at nothing else; the rest waits in one buffer that never exceeds a line. */
function lineSplitter(): (bytes: Uint8Array) => string[] {
  // `ignoreBOM` keeps a byte order mark in the text, where the JSON parser refuses it.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let rest = new Uint8Array(4096);
  let length = 0;
  const keep = (bytes: Uint8Array): void => {
    const needed = length + bytes.length;
    if (needed > LINE_BYTES) throw new ProtocolError("the line is too long");
    if (needed > rest.length) {
      const larger = new Uint8Array(Math.min(LINE_BYTES, Math.max(needed, rest.length * 2)));
      larger.set(rest.subarray(0, length));
      rest = larger;
    }
    rest.set(bytes, length);
    length = needed;
  };
  const decode = (bytes: Uint8Array): string => {
    try {
      return decoder.decode(bytes);
    } catch {
      throw new ProtocolError("the line is not UTF-8");
    }
  };
  return (bytes) => {
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      const piece = bytes.subarray(start, end);
      if (length === 0 && piece.length > LINE_BYTES) throw new ProtocolError("the line is too long");
      if (length > 0) keep(piece);
      lines.push(decode(length > 0 ? rest.subarray(0, length) : piece));
      length = 0;
      start = end + 1;
    }
    if (start < bytes.length) keep(bytes.subarray(start));
    return lines;
  };
}
