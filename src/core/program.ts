/** One program that the in-process shell wants started. */
export interface ProgramRequest {
  /** Name as the script wrote it, and its arguments. */
  readonly argv: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  readonly stdin: Uint8Array<ArrayBuffer>;
}

/** How a program ended. */
export interface ProgramOutcome {
  /** Exit code; 128 + signal for a death by signal. */
  readonly exitCode: number;
  readonly stdout: Uint8Array<ArrayBuffer>;
  readonly stderr: Uint8Array<ArrayBuffer>;
  /** Facts for the model about what the sandbox undid or refused, one line each. */
  readonly notes: readonly string[];
}

/**
 * Runs a program as a confined process to its end. Never throws for one that fails; rejects with a `ToolError` that says
 * why when it may not or could not start. Aborting ends it.
 */
export type RunProgram = (request: ProgramRequest, signal: AbortSignal) => Promise<ProgramOutcome>;

/** Most bytes that go into a program, and that are kept of each of its two outputs. */
export const PROGRAM_BYTES = 8 * 1024 * 1024;
