import type { Transport } from "@modelcontextprotocol/client";
import { isObject, type JsonObject } from "../core/json.ts";
import { attempt } from "../core/support/attempt.ts";
import { cleanLine } from "./clean.ts";

// The library rejects a whole result for one block that is not as it should be. Results of tools are mended before it
// sees them: a block that is not valid becomes a text that says so, and the others stay.

/** Makes a transport hand on results of tools whose blocks are all valid. To be called before it is connected. */
export function mendResults(transport: Transport): void {
  let handler: Transport["onmessage"];
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: (): Transport["onmessage"] =>
      handler === undefined ? undefined : (message, extra) => handler?.(mended(message), extra),
    set: (next: Transport["onmessage"]) => void (handler = next),
  });
}

function mended<M>(message: M): M {
  const { result } = message as { readonly result?: unknown };
  if (!isObject(result)) return message;
  // Servers of the stateless revision have to name the type; those that forget it mean the only one that needs no name.
  const isList = LISTS.some((name) => name in result);
  const whole = isList && !("resultType" in result) ? { ...result, resultType: "complete" } : result;
  return { ...message, result: "content" in result ? validResult(whole) : whole };
}

/** Fields that say what kind of result it is. */
const LISTS = ["content", "tools", "prompts", "resources", "resourceTemplates", "messages", "contents"] as const;

/** A tool's result of valid blocks. Fields that mean nothing here are left out, as they could be invalid, too. */
export function validResult(result: JsonObject): JsonObject {
  const { content, isError, structuredContent: structured, _meta: meta, ...rest } = result;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : content === null ? [] : [content];
  return {
    ...rest,
    content: blocks.map(validBlock),
    ...(typeof isError === "boolean" ? { isError } : {}),
    ...(structured === undefined || structured === null ? {} : { structuredContent: structured }),
    ...(isObject(meta) ? { _meta: meta } : {}),
  };
}

function validBlock(block: unknown): JsonObject {
  if (typeof block === "string") return { type: "text", text: block };
  if (!isObject(block)) return leftOut("it is not an object");
  const { type, text, data, mimeType, resource, uri, name } = block;
  switch (type) {
    case "text":
      return typeof text === "string" ? { type, text } : leftOut("it is a text block without text");
    case "image":
    case "audio":
      if (typeof data !== "string" || typeof mimeType !== "string") return leftOut(`its ${type} has no data or type`);
      return isBase64(data) ? { type, data, mimeType } : leftOut(`its ${type} is not base64`);
    case "resource_link":
      return typeof uri === "string" && typeof name === "string"
        ? { type, uri, name, ...texts(block, "title", "description", "mimeType") }
        : leftOut("it is a link without an address or a name");
    case "resource":
      return isObject(resource) ? validResource(resource) : leftOut("it is a resource without a resource");
    default:
      return leftOut(`its type ${cleanLine(JSON.stringify(type) ?? "", 40)} is not known`);
  }
}

function validResource(resource: JsonObject): JsonObject {
  const { uri, text, blob } = resource;
  if (typeof uri !== "string") return leftOut("its resource has no address");
  const known = { uri, ...texts(resource, "mimeType") };
  if (typeof text === "string") return { type: "resource", resource: { ...known, text } };
  if (typeof blob === "string" && isBase64(blob)) return { type: "resource", resource: { ...known, blob } };
  return leftOut(`the resource ${cleanLine(uri, 200)} has neither text nor valid base64`);
}

function texts(from: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => typeof from[name] === "string" ? [[name, from[name]]] : []));
}

function isBase64(data: string): boolean {
  return attempt(() => Uint8Array.fromBase64(data)) !== undefined;
}

function leftOut(why: string): JsonObject {
  return { type: "text", text: `[left out: a block of the result that is not valid: ${why}]` };
}
