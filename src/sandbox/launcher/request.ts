import type { LandlockRequest } from "../landlock/landlock.ts";

/** What a process may use; sizes in bytes, counts in pieces. None is ever raised. */
export interface ProcessLimits {
  readonly fileBytes: number;
  readonly openFiles: number;
  /** Processes and threads together. */
  readonly tasks: number;
}

/**
 * One step on the way to the file system of a mount namespace. Sources are paths of the machine and targets paths inside;
 * both are real, absolute paths, and no link in one is followed. A target that is missing is made, but for one that is
 * `optional`: where that or its source is gone, the step is left out.
 */
export type MountOperation =
  /** The machine's own, with what is mounted below it. */
  | {
    readonly kind: "bind";
    readonly source: string;
    readonly target: string;
    readonly readOnly: boolean;
    readonly optional?: boolean;
  }
  /** An empty folder, in memory. */
  | { readonly kind: "empty"; readonly target: string; readonly readOnly: boolean; readonly optional?: boolean }
  /** A symbolic link with this text, in a directory that is there. */
  | { readonly kind: "link"; readonly text: string; readonly target: string }
  /** `devices`: those that hold nothing, shared memory, terminals; `processes`: /proc; `folder`: no mount, but its place. */
  | { readonly kind: "devices" | "processes" | "folder"; readonly target: string }
  /** A folder whose changes go to `upper`; `work` is the kernel's own, on the same file system as that. overlayfs(5) */
  | {
    readonly kind: "overlay";
    readonly source: string;
    readonly upper: string;
    readonly work: string;
    readonly target: string;
    readonly readOnly: boolean;
  };

/** The frame before the policy, at kernel+: namespaces of its own, and in them a file system. */
export interface NamespaceRequest {
  /** Stays in the host's network namespace; otherwise there is a loopback and nothing else. */
  readonly sharesNet: boolean;
  /** The most that each empty folder, shared memory among them, may hold, bytes. */
  readonly memoryBytes: number;
  /** In this order; the first is at `/`: an empty root, or the bind of the machine's. */
  readonly mounts: readonly MountOperation[];
  /** What runs inside in place of the launcher, and starts that again; by its path. */
  readonly bridge?: Pick<ExecRequest, "argv" | "env" | "cwd">;
}

/** The policy's frame: how a process confines itself. */
export interface ConfineRequest {
  /** Where it starts; the last frame may name another folder. */
  readonly cwd: string;
  readonly limits: ProcessLimits;
  /** Null only where the policy's level has no kernel (permissions, off). */
  readonly kernel: {
    /** Namespaces of the host, by name in /proc/self/ns, in which this process must not be any more. */
    readonly apart: readonly (readonly [name: string, id: string])[];
    readonly landlock: LandlockRequest;
    /** The filter's program (seccomp.ts). */
    readonly seccomp: Uint8Array<ArrayBuffer>;
  } | null;
}

/** What a process writes to standard error, where that is merged, right before it becomes its command. */
export const CONFINED = '{"confine":"done"}';

/** What a process reported that could not confine itself, as one line; undefined where a line is no such report. */
export function confineReport(line: string): string | undefined {
  if (!line.startsWith('{"confine":"failed"')) return undefined;
  try {
    const { step, why } = JSON.parse(line);
    return `${step}: ${why}`;
  } catch {
    return line;
  }
}

/** The last frame: what it becomes. */
export interface ExecRequest {
  /** Program (absolute, or looked up in PATH of `env`) and its arguments. */
  readonly argv: readonly string[];
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** `keep`: what follows on the pipe belongs to the program. */
  readonly stdin: "null" | "keep";
  /** Standard error joins standard output, so that both arrive in order. */
  readonly mergeOutput: boolean;
}

/** The only frame of a sentinel: what it calls a flood, and who is told. */
export interface WatchRequest extends Flood {
  /** The process that is put before ordinary ones. */
  readonly host: number;
}

/** What the machine has more or less of than at the last look, or at any since looking began. */
export interface Flood {
  readonly everyMs: number;
  /** So many more processes and threads than the fewest. */
  readonly tasks: number;
  /** So many bytes less than the most that programs could have. */
  readonly bytes: number;
  /** Where more than so many wait for a processor, every so many looks count as one that saw a flood. */
  readonly crowd: number;
  readonly glances: number;
}

/**
 * A first frame's value for a system where no launcher reads it (macOS), checked; throws for anything else. Written by hand:
 * this runs on the hot path of every command, where loading a schema library costs milliseconds.
 */
export function parseConfineRequest(value: unknown): ConfineRequest & { readonly kernel: null } {
  const request = record(value, "policy", ["cwd", "limits", "kernel"]);
  const limits = record(request["limits"], "limits", ["fileBytes", "openFiles", "tasks"]);
  if (request["kernel"] !== null) throw new Error("a request for another system");
  return {
    cwd: text(request["cwd"], "cwd"),
    limits: {
      fileBytes: count(limits["fileBytes"], "fileBytes"),
      openFiles: count(limits["openFiles"], "openFiles"),
      tasks: count(limits["tasks"], "tasks"),
    },
    kernel: null,
  };
}

/** A second frame's value, checked; throws for anything else. */
export function parseExecRequest(value: unknown): ExecRequest {
  const request = record(value, "exec", ["argv", "env", "cwd", "stdin", "mergeOutput"]);
  const argv = list(request["argv"], "argv").map((word) => text(word, "argument"));
  if (argv.length === 0) throw new Error("argv is empty");
  const env: Record<string, string> = Object.create(null);
  for (const [name, content] of Object.entries(record(request["env"], "env"))) {
    if (name === "" || name.includes("=")) throw new Error("a variable's name is empty or holds =");
    env[name] = text(content, "variable");
  }
  const stdin = request["stdin"];
  if (stdin !== "null" && stdin !== "keep") throw new Error("stdin is not known");
  return {
    argv,
    env,
    cwd: text(request["cwd"], "cwd"),
    stdin,
    mergeOutput: truth(request["mergeOutput"], "mergeOutput"),
  };
}

/** `known`: its fields; one that nobody here knows may stand for something that was to be taken away. */
function record(value: unknown, name: string, known?: readonly string[]): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(`${name} is no object`);
  const odd = known && Object.keys(value).find((key) => !known.includes(key));
  if (odd !== undefined) throw new Error(`${name} has a field "${odd}" that is not known`);
  // A plain object is a record of unknowns.
  return value as Record<string, unknown>;
}

function list(value: unknown, name: string): unknown[] {
  if (!Array.isArray(value)) throw new Error(`${name} is no list`);
  return value;
}

function text(value: unknown, name: string): string {
  if (typeof value !== "string" || value.includes("\0")) throw new Error(`${name} is no text`);
  return value;
}

function count(value: unknown, name: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw new Error(`${name} is no count`);
  return value;
}

function truth(value: unknown, name: string): boolean {
  if (typeof value !== "boolean") throw new Error(`${name} is neither true nor false`);
  return value;
}
