/** What a tool needs in order to work; a need that the policy does not cover makes the tool inactive. */
export type Capability = "read" | "write" | "run" | "net";

/** What may be touched: everything, or the listed absolute paths, hosts or programs (empty: nothing). */
export interface Scope {
  readonly all: boolean;
  readonly list: readonly string[];
}

/** What confines the tools. `kernel+` adds namespaces to `kernel`; see docs/sandbox.md. */
export type SandboxLevel = "kernel+" | "kernel" | "seatbelt" | "permissions" | "off";

/** Bounds of one tool call. */
export interface Limits {
  /** Default and longest wall clock of a bash call, milliseconds. */
  readonly bashTimeoutMs: number;
  readonly bashMaxTimeoutMs: number;
  /** Bytes of output that reach the model; the rest goes to a private file. */
  readonly outputBytes: number;
  readonly outputLines: number;
  /** Largest file a tool process may write, bytes (RLIMIT_FSIZE). */
  readonly fileBytes: number;
  /** Open descriptors (RLIMIT_NOFILE). */
  readonly openFiles: number;
  /** Processes and summed memory of one tree, enforced by a watchdog. */
  readonly processes: number;
  readonly memoryBytes: number;
}

/**
 * Everything that tools may do. Immutable: a wider or narrower policy is a new value and a new runner.
 *
 * All paths are absolute and real (links resolved). Deny beats allow.
 */
export interface Policy {
  /** The workspace. */
  readonly root: string;
  readonly home: string;
  /** Private temporary folder of this session, 0700, removed at its end. */
  readonly tmp: string;
  /** Private cache folder that package managers of the tools are pointed at. */
  readonly cache: string;
  readonly read: Scope;
  readonly write: Scope;
  readonly run: Scope;
  readonly net: Scope;
  /** Environment that tools get, complete: nothing is inherited besides. */
  readonly env: Readonly<Record<string, string>>;
  readonly denyRead: readonly string[];
  readonly denyWrite: readonly string[];
  /** Paths inside the workspace that tools must not change. */
  readonly protected: readonly string[];
  readonly limits: Limits;
  readonly sandbox: SandboxLevel;
}

/** Whether `path` is `folder` or lies below it. Both absolute and normalised. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : folder + "/");
}

/** Whether a scope covers an absolute, normalised path. */
export function covers(scope: Scope, path: string): boolean {
  return scope.all || scope.list.some((folder) => isInside(path, folder));
}

/** Whether a policy grants any of what a capability stands for. */
export function grants(policy: Policy, capability: Capability): boolean {
  const scope = policy[capability];
  return scope.all || scope.list.length > 0;
}

/**
 * Whether bash is the machine's own shell. Otherwise it is an interpreter inside the tools' process, which works at every
 * level and starts nothing but listed programs.
 */
export function hasRealShell({ run, sandbox }: Pick<Policy, "run" | "sandbox">): boolean {
  return run.all && sandbox !== "permissions";
}
