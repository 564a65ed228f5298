import { dirname } from "@std/path";
import { messageOf, ToolError } from "../../core/error.ts";
import type { Denial } from "../../core/event.ts";
import { grantOption } from "../../core/grant_option.ts";
import type { JsonObject } from "../../core/json.ts";

/** Deno's own wording, for example `Requires read access to "/etc/passwd", run again with the --allow-read flag`. */
const REQUIRES = /^Requires (\w+) access to (?:"([^"]+)"|(\S+?)),/;

/** Longest text of an unforeseen failure, in UTF-16 units. */
const MAX_UNITS = 500;

/** What was denied, for the host, which decides on its own whether and by which grant that could be lifted. */
export type Denied = Pick<Denial, "kind" | "target">;

/** A denial that a grant could lift. */
export class DeniedError extends ToolError {
  readonly denied: Denied;

  constructor(message: string, denied: Denied, options?: ErrorOptions) {
    super(message, options);
    this.denied = denied;
  }
}

/** What was denied, where that is why a tool failed. */
export function deniedBy(error: unknown): Denied | undefined {
  if (error instanceof DeniedError) return error.denied;
  if (!(error instanceof Deno.errors.NotCapable)) return undefined;
  const [, kind, quoted, bare] = REQUIRES.exec(messageOf(error)) ?? [];
  const target = quoted ?? bare;
  return (kind === "read" || kind === "write") && target !== undefined ? { kind, target } : undefined;
}

/** The same as details of a result. */
export function deniedDetails(denied: Denied | undefined): JsonObject | undefined {
  return denied && { denial: { ...denied } };
}

/**
 * What the model is told about anything a tool threw: one sentence, never a stack (R480).
 *
 * A denial names its kind, the path and the smallest grant that would allow it.
 */
export function explainFailure(tool: string, error: unknown): string {
  const message = messageOf(error);
  if (error instanceof ToolError) return message;
  if (error instanceof Deno.errors.NotCapable) {
    const [, scope, quoted, bare] = REQUIRES.exec(message) ?? [];
    const path = quoted ?? bare;
    if (scope === undefined || path === undefined) return `NotCapable: ${firstLine(message)}`;
    const option = scope === "read"
      ? grantOption("read", path)
      : scope === "write"
      ? grantOption("write", dirname(path))
      : `--allow-${scope}=+${path}`;
    return `NotCapable: ${scope} access to "${path}" is not granted. Only the user can grant it, with ${option}`;
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return `PermissionDenied: ${
      firstLine(message)
    }. The sandbox or the file's mode forbids it; only the user can change that`;
  }
  return `The ${tool} tool failed: ${firstLine(message)}`;
}

function firstLine(message: string): string {
  return (message.split("\n", 1)[0] ?? "").slice(0, MAX_UNITS);
}
