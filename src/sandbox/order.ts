import type { LandlockOrder } from "./landlock.ts";
import type { ProcessLimits } from "./limits.ts";
import type { SeccompOrder } from "./seccomp_check.ts";

/** The first frame: how a process confines itself. */
export interface ConfineOrder {
  /** Where it starts; the second frame may name another folder. */
  readonly cwd: string;
  readonly limits: ProcessLimits;
  /** Null only where the policy's level has no kernel (permissions, off). */
  readonly kernel: { readonly landlock: LandlockOrder; readonly seccomp: SeccompOrder } | null;
}

/** The second frame: what it becomes. */
export interface ExecOrder {
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

// Hand-written checks: this runs on the hot path of every command, where loading a schema library costs milliseconds, and
// a frame that is wrong in any way must stop the process.

/** A first frame's value, checked; throws for anything else. */
export function parseConfineOrder(value: unknown): ConfineOrder {
  const order = record(value, "policy");
  const limits = record(order["limits"], "limits");
  return {
    cwd: text(order["cwd"], "cwd"),
    limits: { fileBytes: count(limits["fileBytes"], "fileBytes"), openFiles: count(limits["openFiles"], "openFiles") },
    kernel: order["kernel"] === null ? null : parseKernel(record(order["kernel"], "kernel")),
  };
}

function parseKernel(kernel: Record<string, unknown>): NonNullable<ConfineOrder["kernel"]> {
  const landlock = record(kernel["landlock"], "landlock");
  const seccomp = record(kernel["seccomp"], "seccomp");
  const net = seccomp["net"];
  if (net !== "none" && net !== "private" && net !== "open") throw new Error("net is not known");
  return {
    landlock: {
      rules: list(landlock["rules"], "rules").map((rule) => {
        const [path, rights] = list(rule, "rule");
        return [text(path, "path"), count(rights, "rights")] as const;
      }),
      denyTcp: truth(landlock["denyTcp"], "denyTcp"),
      scope: truth(landlock["scope"], "scope"),
      minAbi: count(landlock["minAbi"], "minAbi"),
    },
    seccomp: {
      net,
      unixSockets: truth(seccomp["unixSockets"], "unixSockets"),
      privateIpc: truth(seccomp["privateIpc"], "privateIpc"),
    },
  };
}

/** A second frame's value, checked; throws for anything else. */
export function parseExecOrder(value: unknown): ExecOrder {
  const order = record(value, "exec");
  const argv = list(order["argv"], "argv").map((word) => text(word, "argument"));
  if (argv.length === 0) throw new Error("argv is empty");
  const env: Record<string, string> = Object.create(null);
  for (const [name, content] of Object.entries(record(order["env"], "env"))) {
    if (name === "" || name.includes("=")) throw new Error("a variable's name is empty or holds =");
    env[name] = text(content, "variable");
  }
  const stdin = order["stdin"];
  if (stdin !== "null" && stdin !== "keep") throw new Error("stdin is not known");
  return { argv, env, cwd: text(order["cwd"], "cwd"), stdin, mergeOutput: truth(order["mergeOutput"], "mergeOutput") };
}

function record(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(`${name} is no object`);
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
