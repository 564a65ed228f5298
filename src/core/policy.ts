import { isWindowsPath } from "./support/text.ts";

/** What a tool needs in order to work; a need that the policy does not cover makes the tool inactive. */
export type Capability = "read" | "write" | "run" | "net";

/** What may be touched: everything, or the listed absolute paths, hosts or programs (empty: nothing). */
export interface Scope {
  /** Everything, whatever the list says. */
  readonly all: boolean;
  /** Absolute paths, hosts or programs. */
  readonly list: readonly string[];
}

/** What confines the tools. `kernel+` adds namespaces to `kernel`; see docs/sandbox.md. */
export type SandboxLevel = "kernel+" | "kernel" | "seatbelt" | "permissions" | "off";

/** Levels where the kernel refuses each file by its place, whatever names and links say meanwhile: one look is enough there. */
export const CONFINED_LEVELS: ReadonlySet<SandboxLevel> = new Set<SandboxLevel>(["kernel+", "kernel", "seatbelt"]);

/** Levels where a single program can be confined, and a list of programs is held. */
export const PROGRAM_LEVELS: ReadonlySet<SandboxLevel> = new Set<SandboxLevel>(["kernel+", "kernel"]);

/** Bounds of one tool call. */
export interface Limits {
  /** Default and longest wall clock of a bash call, milliseconds. */
  readonly bashTimeoutMs: number;
  /** The longest that a call may ask for, milliseconds. */
  readonly bashMaxTimeoutMs: number;
  /** Bytes of output that reach the model; the rest goes to a private file. */
  readonly outputBytes: number;
  /** Lines of it. */
  readonly outputLines: number;
  /** Largest file a tool process may write, bytes (RLIMIT_FSIZE). */
  readonly fileBytes: number;
  /** Open descriptors (RLIMIT_NOFILE). */
  readonly openFiles: number;
  /** Processes of one tree; like its memory watched, and the tree is ended beyond it. */
  readonly processes: number;
  /** Summed memory of one tree, bytes. */
  readonly memoryBytes: number;
}

/**
 * Everything that tools may do. Immutable: a wider or narrower policy is a new value and a new runner.
 *
 * All paths are absolute and real (links resolved). Deny beats allow.
 */
export interface Policy {
  /** The workspace, or in a trial the private copy of it. */
  readonly root: string;
  /** In a trial: the workspace that `root` is a copy of, which tools may read as before and never write. */
  readonly copyOf?: string;
  /** The user's home, which `~` stands for. */
  readonly home: string;
  /** Private temporary folder of this session, 0700, removed at its end. */
  readonly tmp: string;
  /** Private cache folder that package managers of the tools are pointed at. */
  readonly cache: string;
  /** Files and folders. */
  readonly read: Scope;
  /** Files and folders. */
  readonly write: Scope;
  /** Programs. */
  readonly run: Scope;
  /** Hosts. */
  readonly net: Scope;
  /** Environment that tools get, complete: nothing is inherited besides. */
  readonly env: Readonly<Record<string, string>>;
  /** Never readable, whatever is allowed. */
  readonly denyRead: readonly string[];
  /** Never writable, whatever is allowed. */
  readonly denyWrite: readonly string[];
  /** Paths inside the workspace that tools must not change. */
  readonly protected: readonly string[];
  /** Bounds of one call. */
  readonly limits: Limits;
  /** What enforces it. */
  readonly sandbox: SandboxLevel;
  /** At the level kernel: the network can be limited to a list of hosts on this machine. */
  readonly holdsHosts?: true;
  /** At kernel+: bubblewrap makes the namespaces, because this machine refuses the program its own. */
  readonly bubblewrap?: boolean;
  /**
   * Others work beside it in places that it may read: what a read-only mount lets pass is closed besides, sockets and pipes
   * that have a path.
   */
  readonly besideOthers?: true;
  /** While a plan is made: neither writing nor the network can be granted, so that no denial advises it. */
  readonly readingOnly?: true;
  /** The product whose pack bounds it: no option allows what is beyond that. */
  readonly packed?: string;
  /** What that level cannot do on this machine, one clause each. */
  readonly weaknesses?: readonly string[];
  /** What a person was told about the sandbox at the start, one sentence each. */
  readonly notices?: readonly string[];
}

/** What has to be said behind an option that is advised: a pack may not have what it asks for. */
export function asFarAs({ packed }: Pick<Policy, "packed">): string {
  return packed === undefined ? "" : `, as far as ${packed} has it`;
}

const SLASH = 47;

/** Whether `path` is `folder` or lies below it. Both normalised, and absolute or below the same folder; on Windows in any of the spellings of a path. */
export function isInside(path: string, folder: string): boolean {
  if (folder.charCodeAt(0) !== SLASH && isWindowsPath(folder)) return isInside(spelling(path), spelling(folder));
  // Without putting strings together: this is asked some ten thousand times before the first request.
  return path.startsWith(folder) &&
    (path.length === folder.length || path.charCodeAt(folder.length) === SLASH || folder.endsWith("/"));
}

/**
 * One spelling for all that Windows takes for the same path: capitals, both slashes, the prefix for long paths, and dots and
 * blanks at the end of a name, which it drops. A stream of a file (`a.txt:b`) is below the file. Short names (`PROGRA~1`) stay
 * what they are: whoever opens a file asks the system for its real path first.
 */
function spelling(path: string): string {
  const [drive = "", ...names] = path.replaceAll("\\", "/").replace(/^\/\/[?.]\/(?:UNC(?=\/))?/i, "").toLowerCase()
    .split(/\/+/).filter((name) => name !== "");
  const kept = names.flatMap((name) => name.split(":")).map((name) => name.replace(/[. ]+$/, ""));
  return `/${[drive, ...kept].filter((name) => name !== "").join("/")}`;
}

/** Whether a scope covers an absolute, normalised path. */
export function covers(scope: Scope, path: string): boolean {
  return scope.all || scope.list.some((folder) => isInside(path, folder));
}

/** `covers` for one scope and many paths: a path has fewer folders around it than a scope has entries. */
export function coverage({ all, list }: Scope): (path: string) => boolean {
  const granted = new Set(list);
  return (path) => {
    if (all || granted.has(path) || granted.has("/")) return true;
    if (path.charCodeAt(0) !== SLASH) return list.some((folder) => isInside(path, folder));
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      if (granted.has(path.slice(0, end))) return true;
    }
    return false;
  };
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
