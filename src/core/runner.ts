import type { JsonObject } from "./json.ts";
import type { Usage } from "./message.ts";
import type { ToolResult } from "./tool_result.ts";

/** What is left of a run's limits, for the runs that a call of it starts: what they use up is the run's, too. */
export interface Budget {
  addTurn(): void;
  addUsage(usage: Usage | undefined): void;
  /** Calls that a reply asked for, whatever became of them. */
  addAsked(calls: number): void;
  /** The limit of the run that leaves no room for another turn; undefined: there is room. */
  spent(): string | undefined;
}

/** One validated tool call on its way to the runner. */
export interface RunnerCall {
  readonly name: string;
  readonly args: JsonObject;
  /** Whether it may change files: after an abort it settles only when it cannot change any more. */
  readonly mayWrite?: boolean;
}

/** How a call is watched and ended. */
export interface CallOptions {
  /** Aborting ends the tool's work; the promise then settles with an error result. */
  readonly signal: AbortSignal;
  /** Longest time the call may take, where that is not the runner's own; past it the runner is ended. */
  readonly deadlineMs?: number;
  /** Partial output; may be called any number of times before the promise settles, never after. */
  readonly onUpdate: (partial: ToolResult) => void;
  /** A person is asked and the work stands still, until the returned function is called: the time is not the call's. */
  readonly onWait?: () => () => void;
  /** Of the run that made the call; absent where nothing is counted. */
  readonly budget?: Budget;
  /** As of `UserPrompt`; for calls that make runs of their own. */
  readonly ready?: (signal: AbortSignal) => Promise<void>;
}

/**
 * Runs tool calls behind the boundary.
 *
 * `call` never rejects: a crashed runner, a lie in its answer or a missed deadline is an error result for the call at
 * hand, and the next call gets a fresh runner.
 */
export interface ToolRunner {
  call(call: RunnerCall, options: CallOptions): Promise<ToolResult>;
  /** Ends every process that was started. Safe to call twice. */
  close(): Promise<void>;
}

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
