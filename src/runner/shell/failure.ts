import { ToolError } from "../../core/error.ts";
import type { Policy } from "../../core/policy.ts";
import { type Access, type Denied, deniedBy } from "../files/denial.ts";
import { codeOf, fileFailure } from "../files/failure.ts";

/** What the shell's commands look for in a failure of a file call. */
const TEXTS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EEXIST: "file already exists",
  ENOTDIR: "not a directory",
  EISDIR: "illegal operation on a directory",
  ENOTEMPTY: "directory not empty",
  ELOOP: "too many levels of symbolic links",
  EINVAL: "invalid argument",
  ENOSPC: "no space left on device",
  EXDEV: "cross-device link not permitted",
  EPERM: "operation not permitted",
  EACCES: "permission denied",
};

/** A failure as the system would put it, for commands that were written for the system. */
export function shellFailure(code: string, operation: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${TEXTS[code] ?? "failed"}, ${operation} '${path}'`), { code });
}

/** What a command is told about a failed file call, and what the model is told besides. */
export function explainShellFailure(
  error: unknown,
  { access, operation, path }: { readonly access: Access; readonly operation: string; readonly path: string },
  policy: Policy,
): { readonly failure: Error; readonly note?: string; readonly denied?: Denied | undefined } {
  const code = codeOf(error instanceof ToolError ? error.cause : error) ??
    (error instanceof ToolError ? undefined : codeOf(error));
  const isPlain = code !== undefined && code in TEXTS && code !== "EPERM" && code !== "EACCES";
  if (isPlain) return { failure: shellFailure(code, operation, path) };
  const told = fileFailure(error, access, path, policy);
  return { failure: shellFailure("EACCES", operation, path), note: told.message, denied: deniedBy(told) };
}
