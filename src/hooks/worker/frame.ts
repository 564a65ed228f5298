import type { ExtensionFacts } from "../../core/host_actions.ts";
import type { LinkModule } from "../code/linker.ts";

/** A message between host and worker: what it is, which call it belongs to, and a text. */
export interface Frame<Op extends string> {
  readonly op: Op;
  /** 0 where no call is meant. */
  readonly id: number;
  readonly body: string;
}

/**
 * What the host sends.
 *
 * `load` comes first and once, `run` when what `load` brought has been compiled; then calls (`emit`, `tool`, `command`),
 * `abort` of a call, answers to the worker's questions (`reply`, `refuse`), values of flags, and `probe`.
 */
export type HostOp = "load" | "run" | "emit" | "tool" | "command" | "abort" | "reply" | "refuse" | "flags" | "probe";

/**
 * What the worker sends: `compiled` and `loaded` answer `load` and `run`; `done` or `failed` ends a call; `update` is part
 * of a tool's result; `action` asks the host for something and `cancel` takes that back; `registered` says what the
 * extension brings now; `log` is what it prints; `memory` answers `probe`. `file` is a call of a file function, answered with
 * `reply`; during a `filenow` the worker's thread waits for `Link.wake`.
 */
export type WorkerOp =
  | "compiled"
  | "loaded"
  | "done"
  | "failed"
  | "update"
  | "action"
  | "cancel"
  | "registered"
  | "log"
  | "memory"
  | "file"
  | "filenow";

/** What `load` carries. */
export interface LoadOrder {
  readonly modules: readonly LinkModule[];
  /** The code is TypeScript still. */
  readonly isSource: boolean;
  /** Variables that the worker may read. */
  readonly env: readonly string[];
  /** The extension was granted files, which it reaches through the host. */
  readonly hasFiles: boolean;
  readonly facts: ExtensionFacts;
}

/** The text of a message. */
export function frameText({ op, id, body }: Frame<HostOp | WorkerOp>): string {
  return `${op} ${id}\n${body}`;
}

const HEAD = /^([a-z]+) (\d{1,15})\n/;

/** The parts of a message; undefined for anything else. Whether `op` exists is for the reader to say. */
export function readFrame(data: unknown): Frame<string> | undefined {
  if (typeof data !== "string") return undefined;
  // Only the head is matched, so that the length of the body does not matter.
  const match = HEAD.exec(data.slice(0, 40));
  return match ? { op: match[1] ?? "", id: Number(match[2]), body: data.slice(match[0].length) } : undefined;
}
