import { messageOf, UserError } from "../core/error.ts";

/** What a person is told when a session can no longer be kept; the run goes on (R333). */
export function fileFailure(error: unknown, path: string): UserError {
  const [why, advice] = causeOf(error);
  return new UserError({
    what: `Cannot keep the session in "${path}"`,
    why,
    fix: `${advice}. From here on this session is in memory only and ends with this process`,
  }, { cause: error });
}

/** What is told when a session could not be copied into `folder`; what is no failure of the disk stays as it is. */
export function copyFailure(error: unknown, folder: string): unknown {
  if (error instanceof UserError) return error;
  const [why, fix] = causeOf(error);
  return new UserError({ what: `Cannot copy the session into "${folder}"`, why, fix }, { cause: error });
}

function causeOf(error: unknown): readonly [why: string, advice: string] {
  // Deno has no class for these.
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOSPC" || code === "EDQUOT") return ["the disk is full", "Free some space"];
  if (code === "EROFS") return ["the file system is read-only", "Choose another folder: --session-dir DIR"];
  if (error instanceof Deno.errors.NotFound) {
    return ["the file or its folder was removed", "Start anew to keep what follows"];
  }
  if (error instanceof Deno.errors.NotCapable) {
    return [
      "this program itself may not write there",
      "Grant it with --allow-write, or turn sessions off: --no-session",
    ];
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return ["the system denies writing it", "Change its permissions, or choose another folder: --session-dir DIR"];
  }
  return [messageOf(error), "Choose another folder: --session-dir DIR"];
}
