import { shownPath } from "../../../tools/text/shown_path.ts";
import { messageOf, ToolError } from "../../core/error.ts";
import type { Denial } from "../../core/event.ts";
import { grantOption, writeAdvice } from "../../core/grant_option.ts";
import type { JsonObject } from "../../core/json.ts";
import { foldedPath, isInside, openedBy, type Policy, steersGit, whyNoGrant } from "../../core/policy.ts";

/** What was to be done with a path. */
export type Access = "read" | "write";

/** What was denied, for the host, which decides on its own whether and by which grant that could be lifted. */
export interface Denied extends Pick<Denial, "kind" | "target"> {
  /** No grant lifts it, so that nobody is asked. */
  readonly isClosed?: true;
}

/** A denial. */
export class DeniedError extends ToolError {
  readonly denied: Denied;

  constructor(message: string, denied: Denied, options?: ErrorOptions) {
    super(message, options);
    this.denied = denied;
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
  grant: string,
  policy: Pick<Policy, "readingOnly" | "packed" | "besideOthers" | "home" | "root">,
  cause?: unknown,
): ToolError {
  const remedy = access === "write" && policy.readingOnly
    ? "Nothing can be written before the user accepts the plan"
    : openedBy(option(access, grant, policy), policy);
  const message = `Denied: ${access} ${shownPath(path)}: ${rule}. ${remedy}`;
  return new DeniedError(message, { kind: access, target: grant }, { cause });
}

/** A denial that no grant lifts; `real`: what is closed, where the path leads or what lies in it. */
export function refusal(access: Access, path: string, real: string, policy: Policy, cause?: unknown): ToolError {
  const what = real === path
    ? ""
    : isInside(real, path)
    ? `${shownPath(real)} is in it: `
    : `it leads to ${shownPath(real)}: `;
  const rule = whyNoGrant(access, real, policy) ?? "no grant opens it";
  const isKept = policy.protected.some((folder) => isInside(foldedPath(real), foldedPath(folder)));
  const more = access === "read"
    ? ""
    : !isKept && steersGit(real, policy)
    ? ". Git itself may write it"
    : ". The user has to make such a change";
  const message = `Denied: ${access} ${shownPath(path)}: ${what}${rule}${more}`;
  return new DeniedError(message, { kind: access, target: real, isClosed: true }, { cause });
}

function option(access: Access, target: string, policy: Pick<Policy, "home" | "root">): string {
  return access === "read"
    ? grantOption("read", shownPath(target))
    : writeAdvice(target, policy, (path) => shownPath(path));
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

/** The same as details of a result whose whole text, so many lines, tells of it. */
export function deniedDetails(denied: Denied | undefined, text: string): JsonObject | undefined {
  if (denied === undefined) return undefined;
  const { isClosed, ...claim } = denied;
  return { ...(isClosed ? { denials: [claim] } : { denial: claim }), toldLines: text.split("\n").length };
}
