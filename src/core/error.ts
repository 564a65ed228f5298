import { causeText, connectionCause, requestAddress } from "./support/connection_cause.ts";

/** What a failure tells a person: what failed, why, and what to do about it. */
export interface UserErrorParts {
  /** What failed, a clause without a full stop. */
  readonly what: string;
  /** Why. */
  readonly why: string;
  /** What to do about it. */
  readonly fix: string;
  /** Process exit code; 2 (usage or configuration) unless told otherwise. See docs/cli.md, exit codes. */
  readonly exitCode?: number;
}

/** A failure that a person can act on; printed as one block and without a stack. */
export class UserError extends Error {
  /** Marks it, also across modules that are loaded twice. */
  override readonly name = "UserError";
  /** What failed. */
  readonly what: string;
  /** Why. */
  readonly why: string;
  /** What to do about it. */
  readonly fix: string;
  /** Process exit code. */
  readonly exitCode: number;

  /** Its `message` is what failed, and why. */
  constructor(parts: UserErrorParts, options?: ErrorOptions) {
    const { what, why } = parts;
    super(what.endsWith("?") ? `${what} ${why.charAt(0).toUpperCase()}${why.slice(1)}` : `${what}: ${why}`, options);
    this.what = parts.what;
    this.why = parts.why;
    this.fix = parts.fix;
    this.exitCode = parts.exitCode ?? 2;
  }
}

/** A failure of a tool that the model should read; the dispatcher turns it into an error result. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** What the codes of the system's calls mean, as a clause about the path of the call. */
const OF_PATHS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EACCES: "denies permission (owner, mode or mount)",
  EPERM: "denies permission (owner, flags or mount)",
  EISDIR: "is a folder",
  ENOTDIR: "leads through a file as if that were a folder",
  EEXIST: "exists already",
  ENOTEMPTY: "is a folder that is not empty",
  ELOOP: "is a link that leads in a circle",
  ENAMETOOLONG: "has a name that is too long",
  EROFS: "lies on a file system that is read-only",
  ENOSPC: "lies on a disk that is full",
  EDQUOT: "lies on a disk whose quota is used up",
  EFBIG: "would become too large",
  ETXTBSY: "is a program that is running",
  EBUSY: "is in use",
  EXDEV: "lies on another file system",
  EIO: "cannot be read from its disk or written there",
  ENOEXEC: "is no program of this system",
  EMFILE: "cannot be opened: too many files are open",
  ENFILE: "cannot be opened: too many files are open",
};

/** The same of an open file, whose path nobody names. */
const FULL: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the quota of the disk is used up",
};

/**
 * The text of anything thrown, without its stack. What the runtime adds to a failed call of the system becomes a sentence about
 * the path or the address.
 */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message } = error;
  // Their words stand for themselves, whatever the cause.
  if (error instanceof UserError || error instanceof ToolError) return message;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const meaning = OF_PATHS[code];
  if (meaning !== undefined && message.includes("(os error ")) {
    // It ends with the call and its paths: `rename '/a' -> '/b'`.
    const paths = /: \w+ '(.*)'$|^Failed to spawn '(.*)': /s.exec(message)?.slice(1).find(Boolean)?.split("' -> '") ??
      [];
    return paths.length === 0 && FULL[code] !== undefined ? FULL[code] : `${paths.join(" or ") || "it"} ${meaning}`;
  }
  const whole = [message, error.cause instanceof Error ? error.cause.message : ""].join(" ");
  const address = requestAddress(whole);
  const cause = address === undefined && !/^fetch failed$/.test(message) ? undefined : connectionCause(error);
  if (!cause) return message;
  // The rest of an address may hold a key.
  return `${URL.parse(address ?? "")?.host ?? "the server"}: ${causeText(cause)}`;
}

/** The same with what to do about it, where that is known. */
export function errorText(error: unknown): string {
  return error instanceof UserError ? `${error.message}. ${error.fix}` : messageOf(error);
}
