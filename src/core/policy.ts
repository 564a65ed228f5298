import type { FoundRepository } from "./support/git_repository.ts";
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
  /** The repository that the workspace is a part of, if it lies outside of the workspace and commands may see it. */
  readonly outerGit?: FoundRepository;
  /** Private temporary folder of this session, 0700, removed at its end. */
  readonly tmp: string;
  /** Private cache folder that package managers of the tools are pointed at. */
  readonly cache: string;
  /** Files and folders. */
  readonly read: Scope;
  /**
   * Entries of `read` that the program adds to every policy: its own directories, system paths and toolchains. All other
   * entries come from an option, a setting or a grant. Undefined: none.
   */
  readonly builtInRead?: readonly string[];
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
  /** Why places are denied, where it is not that they may hold secrets: for what people and the model are told alone. */
  readonly deniedFor?: {
    /** What an option or a setting names, and no rule of the program closes besides. */
    readonly asked: readonly string[];
    /** What the program is made of and what it keeps of sessions. */
    readonly own: readonly string[];
  };
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

/** What of a policy decides who can open what it denies. */
export type Restricted = Pick<Policy, "besideOthers" | "packed">;

/**
 * Who can open what a policy denies, as a sentence for the model: the user with an option, or for a sub-agent whoever started it,
 * because no option widens what a task names.
 */
export function openedBy(options: string, policy: Restricted): string {
  return policy.besideOthers
    ? "No option opens it for this task: report what is missing. The agent that started it can name more in another task, as " +
      "far as its own scopes go"
    : `Only the user can allow it, with ${options}${asFarAs(policy)}`;
}

/** Kernel file systems: what lies there is no file, and reading it can hang or tell of other processes (R463). */
export const KERNEL_FILES: readonly string[] = ["/proc", "/dev", "/sys"];

/**
 * Why no grant opens a place, as people and the model read it everywhere; undefined where none of the rules closes it.
 * `path` is real; letter case, composition and invisible characters do not count.
 */
export function whyNoGrant(access: "read" | "write", path: string, policy: Policy): string | undefined {
  const key = foldedPath(path);
  const isIn = (folder: string): boolean => isInside(key, folded(folder));
  // A workspace in shared memory is the one thing below these folders that holds files.
  const isWorkspace = isInside(policy.root, "/dev/shm") && isInside(path, policy.root);
  if (!isWorkspace && KERNEL_FILES.some(isIn)) return "no grant opens /proc, /dev and /sys";
  const unreadable = policy.denyRead.filter(isIn);
  if (unreadable.length > 0) return `it ${ruleOf(unreadable, policy, "--deny-read", "may hold secrets")}, ${NO_GRANT}`;
  if (access === "read") return undefined;
  const isObeyed = covers(policy.write, path) && steersGit(path, policy);
  if (isObeyed || policy.protected.some(isIn)) return `it is protected, ${NO_GRANT}`;
  if (policy.copyOf !== undefined && isInside(path, policy.copyOf) && !isInside(path, policy.root)) {
    return `a trial leaves the workspace as it is, ${NO_GRANT}`;
  }
  const fixed = policy.denyWrite.filter(isIn);
  if (fixed.length === 0) return undefined;
  return `it ${ruleOf(fixed, policy, "--deny-write", "belongs to what may hold secrets")}, ${NO_GRANT}`;
}

/** Why a folder that may be read cannot be listed, in the same words; undefined where nothing in it is denied. */
export function whyUnlisted(folder: string, policy: Policy): string | undefined {
  const inside = policy.denyRead.filter((denied) => isInside(denied, folder));
  if (inside.length === 0) return undefined;
  const rule = ruleOf(inside, policy, "--deny-read", "may hold secrets");
  return `what is in it ${rule}; what else is in it can be read by its name`;
}

/**
 * Why no name in a folder that may be written can be created, renamed or removed, as part of a sentence; undefined if the
 * names can change. The level kernel alone fixes them: a denied path keeps its name there because the names around it stay.
 */
export function whyNamesStay(folder: string, policy: Policy): string | undefined {
  if (policy.sandbox !== "kernel") return undefined;
  const isIn = (denied: string): boolean => denied !== folder && isInside(denied, folder);
  const [unread, unwritten] = [policy.denyRead.find(isIn), policy.denyWrite.find(isIn)];
  const denied = unread ?? unwritten;
  if (denied === undefined) return undefined;
  const rule = ruleOf([denied], policy, unread === undefined ? "--deny-write" : "--deny-read", "may hold secrets");
  return `it holds ${
    denied.slice(folder.length).replace(/^\//, "")
  }, which ${rule}; at the sandbox level kernel, names ` +
    "in the directory of a denied path cannot be created, renamed or removed. Use a subdirectory";
}

/**
 * Why a folder must not be renamed, as a clause; undefined if it may be. What is denied or protected is so under its name alone:
 * with another name of a folder around it, it could be read or written.
 */
export function whyNotRenamed(folder: string, policy: Policy): string | undefined {
  const key = foldedPath(folder);
  const { denyRead, denyWrite, protected: kept } = policy;
  const inside = [...denyRead, ...denyWrite, ...kept].find((place) => isInside(folded(place), key));
  return inside === undefined ? undefined : `it holds ${inside}, which is denied or protected, ${NO_GRANT}`;
}

const NO_GRANT = "and no grant opens it";

/** By which rule places are denied: what no option opens counts most. */
function ruleOf(closed: readonly string[], policy: Policy, option: string, otherwise: string): string {
  const { asked = [], own = [] } = policy.deniedFor ?? {};
  if (closed.every((folder) => asked.includes(folder))) return `was denied with ${option} or a setting`;
  return closed.every((folder) => asked.includes(folder) || own.includes(folder)) ? "is this program's own" : otherwise;
}

/** What git obeys in a repository's folder: each names a program or another place. */
const OBEYED: ReadonlySet<string> = new Set(["config", "config.worktree", "hooks", "commondir", "gitdir"]);

/** Whether a path steers git in a repository below what is granted; it may be nested, or not there yet. */
export function steersGit(real: string, { root, write }: Policy): boolean {
  const granted = [root, ...write.list].filter((folder) => isInside(real, folder)).map((folder) => folder.length);
  const names = foldedPath(real.slice(Math.max(0, ...granted))).split("/");
  const at = names.indexOf(".git");
  return at >= 0 && (at === names.length - 1 || names.slice(at).some((name) => OBEYED.has(name)));
}

const foldedPlaces = new Map<string, string>();

/** `foldedPath` of a place of a policy: there are hundreds, which are the same at each call. */
function folded(place: string): string {
  let path = foldedPlaces.get(place);
  if (path === undefined) {
    if (foldedPlaces.size > 5_000) foldedPlaces.clear();
    foldedPlaces.set(place, path = foldedPath(place));
  }
  return path;
}

/** A path as a forgiving file system compares it; for what forbids alone, so that `.GIT` is refused on every system. */
export function foldedPath(path: string): string {
  return path.normalize("NFC").replace(/\p{Cf}/gu, "").toLowerCase();
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
