import { dirname } from "@std/path";
import { messageOf, ToolError } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";
import { grantOption } from "../../core/grant_option.ts";
import {
  covers,
  openedBy,
  type Policy,
  type Restricted,
  whyNamesStay,
  whyNoGrant,
  whyUnlisted,
} from "../../core/policy.ts";
import { shownPath } from "../../../tools/text/shown_path.ts";
import { type Access, denial, DeniedError, refusal, requiredBy } from "./denial.ts";

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
    if (whyNoGrant(missing, path, policy) !== undefined) return refusal(missing, path, path, policy, error);
    const outside = !covers(policy[missing], path);
    if (outside || code === "NotCapable") {
      return denial(missing, path, `outside the ${missing} scope (${code})`, path, policy, error);
    }
    // The kernel opens what lies beside a secret, and not the folder around it.
    const unlisted = access === "read" ? whyUnlisted(path, policy) : undefined;
    if (unlisted !== undefined) {
      const message = `Denied: list ${shownPath(path)}: ${unlisted}`;
      return new DeniedError(message, { kind: "read", target: path, isClosed: true }, { cause: error });
    }
    const fixed = access === "write" ? whyNamesStay(deepestFolder(path), policy) : undefined;
    if (fixed !== undefined) {
      const message = `Denied: write ${shownPath(path)}: names in its directory cannot change: ${fixed}`;
      return new DeniedError(message, { kind: "write", target: path, isClosed: true }, { cause: error });
    }
    const why = `the system refuses (${code}: file mode, owner or the sandbox)`;
    return new ToolError(`Cannot ${access} ${shownPath(path)}: ${why}. Only the user can change that`, {
      cause: error,
    });
  }
  const fact = FACTS[code ?? ""] ?? `the system answered ${code ?? "an unknown error"}`;
  return new ToolError(`Cannot ${access} ${shownPath(path)}: ${fact}`, { cause: error });
}

/** The deepest directory that exists around a path. */
function deepestFolder(path: string): string {
  const folder = dirname(path);
  const isThere = folder === dirname(folder) || attempt(() => Deno.lstatSync(folder)) !== undefined;
  return isThere ? folder : deepestFolder(folder);
}

/** Longest text of an unforeseen failure, in UTF-16 units. */
const MAX_UNITS = 500;

/**
 * What the model is told about anything a tool threw: one sentence, never a stack (R480).
 *
 * A denial names its kind, the path and the smallest grant that would allow it.
 */
export function explainFailure(tool: string, error: unknown, policy: Restricted): string {
  const message = messageOf(error);
  if (error instanceof ToolError) return message;
  if (error instanceof Deno.errors.NotCapable) {
    const required = requiredBy(message);
    if (!required) return `NotCapable: ${firstLine(message)}`;
    const { scope, target: path } = required;
    const option = scope === "read"
      ? grantOption("read", path)
      : scope === "write"
      ? grantOption("write", dirname(path))
      : `--allow-${scope}=+${path}`;
    return `NotCapable: ${scope} access to "${path}" is not granted. ${openedBy(option, policy)}`;
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    const why = "The sandbox or the file's mode forbids it; only the user can change that";
    return `PermissionDenied: ${firstLine(message)}. ${why}`;
  }
  return `The ${tool} tool failed: ${firstLine(message)}`;
}

function firstLine(message: string): string {
  return (message.split("\n", 1)[0] ?? "").slice(0, MAX_UNITS);
}
