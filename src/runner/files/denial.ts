import { dirname } from "@std/path";
import { shownPath } from "../../../tools/text/shown_path.ts";
import { messageOf, ToolError } from "../../core/error.ts";
import type { Denial } from "../../core/event.ts";
import { grantOption } from "../../core/grant_option.ts";
import type { JsonObject } from "../../core/json.ts";
import { asFarAs, type Policy } from "../../core/policy.ts";

/** What was to be done with a path. */
export type Access = "read" | "write";

/** What was denied, for the host, which decides on its own whether and by which grant that could be lifted. */
export type Denied = Pick<Denial, "kind" | "target">;

/** A denial that a grant could lift. */
class DeniedError extends ToolError {
  constructor(message: string, readonly denied: Denied, options: ErrorOptions) {
    super(message, options);
  }
}

/**
 * A denial as one line: what, by which rule, the smallest grant, and who alone can give it (R480).
 *
 * `grant` is the path that was refused; with a slash at its end the folder itself is meant. `policy` is the one that
 * refused it: while a plan is made, no grant to write is advised.
 */
export function denial(
  access: Access,
  path: string,
  rule: string,
  grant?: string,
  policy?: Pick<Policy, "readingOnly" | "packed">,
  cause?: unknown,
): ToolError {
  const what = `Denied: ${access} ${shownPath(path)}: ${rule}`;
  if (grant === undefined) return new ToolError(`${what}. No grant opens it`, { cause });
  const option = grantOption(access, shownPath(place(access, grant)));
  const remedy = access === "write" && policy?.readingOnly
    ? "Nothing can be written before the user accepts the plan"
    : `Only the user can allow it, with ${option}${asFarAs(policy ?? {})}`;
  return new DeniedError(`${what}. ${remedy}`, { kind: access, target: grant }, { cause });
}

/** What a grant has to name: what is written changes the folder around it, unless it is one itself (a slash at its end). */
function place(access: Access, target: string): string {
  return access === "read" || target.endsWith("/") ? target : dirname(target);
}

/** Deno's own wording, for example `Requires read access to "/etc/passwd", run again with the --allow-read flag`. */
const REQUIRES = /^Requires (\w+) access to (?:"([^"]+)"|(\S+?)),/;

/** Which permission a message of Deno's names, and for what. */
export function requiredBy(message: string): { readonly scope: string; readonly target: string } | undefined {
  const [, scope, quoted, bare] = REQUIRES.exec(message) ?? [];
  const target = quoted ?? bare;
  return scope === undefined || target === undefined ? undefined : { scope, target };
}

/** What was denied, where that is why a tool failed. */
export function deniedBy(error: unknown): Denied | undefined {
  if (error instanceof DeniedError) return error.denied;
  if (!(error instanceof Deno.errors.NotCapable)) return undefined;
  const { scope, target = "" } = requiredBy(messageOf(error)) ?? {};
  return scope === "read" || scope === "write" ? { kind: scope, target } : undefined;
}

/** The same as details of a result. */
export function deniedDetails(denied: Denied | undefined): JsonObject | undefined {
  return denied && { denial: { ...denied } };
}
