import { UserError } from "../core/error.ts";
import type { SessionHeader } from "../core/session.ts";
import { isSessionId } from "./identifiers.ts";
import { parseObject } from "./shape.ts";

/** A header as it stands in a file; `version` of the file's entry shapes. */
export interface StoredHeader {
  readonly header: SessionHeader;
  readonly version: 1 | 2 | 3;
}

/** Bytes within which the first line must end; paths are the only long things in it. */
const HEADER_BYTES = 64 * 1024;

/** Reads a file's first line; throws `UserError` for what is not a session. */
export function readHeader(path: string): StoredHeader {
  try {
    // A pipe or a device is never opened: it could block for ever.
    if (!Deno.statSync(path).isFile) throw refusal(path, "it is not a regular file");
    using file = Deno.openSync(path, { read: true });
    const bytes = new Uint8Array(HEADER_BYTES);
    let filled = 0;
    let end = -1;
    while (end < 0 && filled < bytes.length) {
      const count = file.readSync(bytes.subarray(filled));
      if (count === null) break;
      end = bytes.subarray(0, filled + count).indexOf(10, filled);
      filled += count;
    }
    if (filled === 0) throw refusal(path, "it is empty");
    if (end < 0 && filled === bytes.length) throw refusal(path, "its first line is too long for a session's");
    return parseHeader(
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, end < 0 ? filled : end)),
      path,
    );
  } catch (error) {
    throw explain(error, path);
  }
}

/** The header that a line holds. Versions before 2 had no number. Throws `UserError` for anything else. */
export function parseHeader(line: string, path: string): StoredHeader {
  const fields = parseObject(line);
  if (fields?.["type"] !== "session") {
    throw refusal(path, "it does not begin with a session's header");
  }
  const { id, timestamp, cwd, parentSession, version = 1 } = fields;
  if (typeof version === "number" && version > 3) {
    throw new UserError({
      what: `Cannot open session "${path}"`,
      why: `it has format ${version}, and this program knows formats up to 3`,
      fix: "Update this program",
    });
  }
  if (version !== 1 && version !== 2 && version !== 3) throw refusal(path, "its header names no known format");
  if (typeof id !== "string" || id === "" || typeof cwd !== "string") {
    throw refusal(path, "its header has no id or no cwd");
  }
  // Audit, locks and copies are files that bear the id: one that is a path would lead out of their folders.
  if (!isSessionId(id)) {
    throw refusal(path, "its id is none: letters, digits and, inside, `.`, `_` and `-`, at most 128 of them");
  }
  if (typeof timestamp !== "string" || !Number.isFinite(Date.parse(timestamp))) {
    throw refusal(path, "its header has no time");
  }
  return {
    header: {
      type: "session",
      version: 3,
      ...(typeof fields["sandpiper"] === "number" ? { sandpiper: 1 as const } : {}),
      id,
      timestamp,
      cwd,
      ...(typeof parentSession === "string" ? { parentSession } : {}),
    },
    version,
  };
}

/** The error for a session that cannot be read, whatever was thrown. */
export function explain(error: unknown, path: string): unknown {
  const closed = (why: string, fix: string) => new UserError({ what: `Cannot open session "${path}"`, why, fix });
  if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
    return closed("there is no such file", "Take one from the list: sandpiper sessions");
  }
  if (error instanceof Deno.errors.NotCapable) {
    const fix = "Grant it with --allow-read, or choose another folder: --session-dir DIR";
    return closed("this program itself may not read it", fix);
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return closed("the system denies reading it", "Change its permissions (chmod u+r)");
  }
  return error instanceof TypeError ? refusal(path, "it is not UTF-8 text") : error;
}

function refusal(path: string, why: string): UserError {
  return new UserError({
    what: `Cannot open "${path}" as a session`,
    why,
    fix: "It was left as it is. Take a session from the list: sandpiper sessions",
  });
}
