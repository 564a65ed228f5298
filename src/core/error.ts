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
    super(`${parts.what}: ${parts.why}`, options);
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

/** The text of anything thrown, without its stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
