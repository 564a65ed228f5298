import { dirname } from "@std/path";
import { ToolError } from "../../core/error.ts";
import { grantOption } from "../../core/grant_option.ts";
import { covers, type Policy } from "../../core/policy.ts";
import { shownPath } from "../../../tools/text/shown_path.ts";
import { DeniedError } from "./denial.ts";

/** What was to be done with a path. */
export type Access = "read" | "write";

/**
 * A denial as one line: what, by which rule, the smallest grant, and who alone can give it (R480).
 *
 * `grant` is the path that was refused; with a slash at its end the folder itself is meant.
 */
export function denial(access: Access, path: string, rule: string, grant?: string, cause?: unknown): ToolError {
  const remedy = grant === undefined
    ? "No grant opens it"
    : `Only the user can allow it, with ${grantOption(access, shownPath(place(access, grant)))}`;
  const message = `Denied: ${access} ${shownPath(path)}: ${rule}. ${remedy}`;
  return grant === undefined
    ? new ToolError(message, { cause })
    : new DeniedError(message, { kind: access, target: grant }, { cause });
}

/** What a grant has to name: what is written changes the folder around it, unless it is one itself (a slash at its end). */
function place(access: Access, target: string): string {
  return access === "read" || target.endsWith("/") ? target : dirname(target);
}

/** Code of a failed call: `ENOENT` and its kind, or `NotCapable` when Deno's permissions refused. */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof Deno.errors.NotCapable) return "NotCapable";
  if (!(error instanceof Error)) return undefined;
  const code: unknown = "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** Facts that a model can act on, by code of the failed call. */
const FACTS: Readonly<Record<string, string>> = {
  EISDIR: "it is a folder. Use ls, or name a file in it",
  ENOTDIR: "a part of the path is a file and not a folder",
  ELOOP: "its links lead in a circle",
  ENAMETOOLONG: "a name in the path is too long",
  ENOSPC: "no space is left on the device. Nothing was changed",
  EDQUOT: "the disk quota is used up. Nothing was changed",
  EROFS: "the file system is read-only",
  EFBIG: "the file would become too large. Nothing was changed",
  ETXTBSY: "the program is running. Write another file, or wait until it has ended",
  EMFILE: "too many files are open. Try again",
  EBUSY: "the file is in use",
};

/** The `ToolError` for whatever a system call threw; a `ToolError` stays as it is. Never shows a stack. */
export function fileFailure(error: unknown, access: Access, path: string, policy: Policy): ToolError {
  if (error instanceof ToolError) return error;
  const code = codeOf(error);
  if (code === "NotCapable" || code === "EACCES" || code === "EPERM") {
    // Who may write but not read a place lacks `read`: where a path leads cannot be seen without it.
    const missing = access === "write" && covers(policy.write, path) && !covers(policy.read, path) ? "read" : access;
    const outside = !covers(policy[missing], path);
    if (outside || code === "NotCapable") {
      return denial(missing, path, `outside the ${missing} scope (${code})`, path, error);
    }
    const why = `the system refuses (${code}: file mode, owner or the sandbox)`;
    return new ToolError(`Cannot ${access} ${shownPath(path)}: ${why}. Only the user can change that`, {
      cause: error,
    });
  }
  const fact = FACTS[code ?? ""] ?? `the system answered ${code ?? "an unknown error"}`;
  return new ToolError(`Cannot ${access} ${shownPath(path)}: ${fact}`, { cause: error });
}
