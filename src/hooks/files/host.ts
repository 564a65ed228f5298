// The host's side of the file functions of an extension: a request arrives as JSON text and is untrusted; its answer leaves as
// JSON text. Bytes are base64.
import type { ExtensionFiles, FileAnswer, FileRequest } from "../../core/extension_files.ts";
import { MAX_FILE_BYTES } from "../../core/extension_files.ts";
import { messageOf, UserError } from "../../core/error.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { readJson } from "../events/json_text.ts";

const MAX_PATH_UNITS = 4096;

/** What the worker reads: a value, or why there is none. `name`: of an error class of `Deno.errors`. */
export type FileReply =
  | { readonly bytes: string }
  | { readonly value: Exclude<FileAnswer, Uint8Array | undefined> | null }
  | { readonly error: { readonly name: string; readonly code?: string; readonly message: string } };

/** Runs the request that `body` holds, and gives the text of its `FileReply`. Never throws. */
export function answerFileCall(body: string, files: ExtensionFiles): string {
  return JSON.stringify(reply(body, files));
}

function reply(body: string, files: ExtensionFiles): FileReply {
  try {
    const answer = files(readRequest(readJson(body)));
    if (answer instanceof Uint8Array) return { bytes: answer.toBase64() };
    return { value: answer ?? null };
  } catch (error) {
    // A link that leaves the workspace, or a place that the policy denies.
    if (error instanceof UserError) {
      return { error: { name: "NotCapable", code: "EACCES", message: `${error.message}. ${error.fix}` } };
    }
    const name = error instanceof Error ? error.name : "Error";
    const code = error instanceof Error && "code" in error ? { code: String(error.code) } : {};
    return { error: { name, ...code, message: messageOf(error) } };
  }
}

/** The request that a JSON value is; throws TypeError for any other value. */
function readRequest(value: JsonValue): FileRequest {
  if (!isObject(value)) throw new TypeError("a file request is an object");
  const { call } = value;
  const path = pathIn(value, "path");
  const mode = typeof value["mode"] === "number" ? { mode: value["mode"] & 0o777 } : {};
  switch (call) {
    case "read":
    case "stat":
    case "lstat":
    case "list":
    case "realPath":
      return { call, path };
    case "write": {
      const { bytes, create } = value;
      if (typeof bytes !== "string") throw new TypeError("bytes must be a text of base64");
      if (bytes.length > Math.ceil(MAX_FILE_BYTES / 3) * 4) throw new RangeError("more bytes than one call writes");
      const created = create === "never" || create === "always" ? create : "missing";
      return {
        call,
        path,
        bytes: Uint8Array.fromBase64(bytes),
        append: value["append"] === true,
        create: created,
        ...mode,
      };
    }
    case "mkdir":
      return { call, path, recursive: value["recursive"] === true, ...mode };
    case "remove": {
      const only = value["only"] === "file" ? { only: "file" as const } : {};
      return { call, path, recursive: value["recursive"] === true, ...only };
    }
    case "rename":
    case "copy":
      return { call, path, to: pathIn(value, "to"), exclusive: value["exclusive"] === true };
    default:
      throw new TypeError(`there is no file function "${String(call)}"`);
  }
}

function pathIn(value: JsonObject, key: string): string {
  const path = value[key];
  if (typeof path !== "string" || path === "" || path.includes("\0") || path.length > MAX_PATH_UNITS) {
    throw new TypeError(`${key} must be a path`);
  }
  return path;
}
