import { basename, dirname, join, resolve } from "@std/path";
import { grantOption, writeAdvice } from "../../core/grant_option.ts";
import { covers, isInside, openedBy, type Policy, whyNamesStay, whyNoGrant, whyUnlisted } from "../../core/policy.ts";
import { outerRepository, whyHidden } from "../git/outer_repository.ts";
import { realOf, type RealPath } from "../policy/path_entry.ts";
import { privateFolders } from "../policy/private_folders.ts";
import { type DenialClaim, MOST_DENIALS } from "./claim.ts";
import { netHint } from "./net_hint.ts";

/** How much of the end of an output is looked at, UTF-16 units: what failed is told last. */
const TAIL = 16_384;

/** A longer line is no message of a program. */
const LONGEST_LINE = 1_000;
const QUOTED = /['"`‘]([^'"`‘’]+)['"`’]/g;
const BARE = /(?:^|[\s(:])(~?[^\s'"`‘’:()]*\/[^\s'"`‘’:()]*|\.[\w.-]+)(?=$|[\s:),])/g;
const REFUSAL = /Permission denied|Operation not permitted|Read-only file system|Device or resource busy/i;
/** What is out of scope looks like this where commands have a disk of their own. */
const HIDDEN = /No such file or directory|repository '[^']*' does not exist|does not appear to be a git repository/i;
/** How the shell begins a line of its own, with its own path in it. */
const SHELL = /^(?:\S*\/)?bash: line \d+: /;
/** A file that the shell itself could not open, or a program that it could not start. */
const REFUSED_BY_SHELL = new RegExp(
  `${SHELL.source}(.+): (?:Permission denied|Operation not permitted|Read-only file system)$`,
);
/** A program in PATH that a shell or env(1) did not find or could not start. */
const NOT_STARTED =
  /(?:sh: (?:line )?\d+:|sh:|env:|nice:|timeout:|xargs:|exec:)(?: \S+:)? ['"‘]?([\w.+/-]+)['"’]?: (?:(?:command )?not found|No such file or directory|Permission denied)$|command not found: ([\w.+-]+)$/;
/** A redirection of a command, and the word it leads to. */
const REDIRECTION = /(<>|>>|>\||&>|>|<)\s*(?:"([^"$`\\]*)"|'([^']*)'|([^\s;&|<>()"'$`\\]+))/g;
/** A redirection that failed, into a file as often as out of one. */
const REDIRECTED = new RegExp(`${SHELL.source}[^:]+: No such`);
const WRITES =
  /cannot (?:create|touch|remove|move|open .* for writing|make|write)|unable to (?:create|write)|Read-only file system|could not (?:create|write|lock)|Device or resource busy|mkdir|touch:|rm:|mv:/i;
/** What git says of a folder for a working tree, which may be there and empty: `git clone`, `git worktree add`. */
const WORK_TREE = /could not create (?:work tree dir|leading directories of) /;
/** A command that may change its working folder. */
const MOVES = /(?:^|[\s;&|(`])(?:cd|pushd|chdir)(?=\s|$)|\s(?:-C|--directory|--chdir)(?=[\s=])/;

/** Who opens a place, as a sentence; while a plan is made no grant does for writing. */
function allowedBy(policy: Policy, grant: { readonly toRead?: string; readonly toWrite?: string }): string {
  const { toRead, toWrite } = grant;
  const write = policy.readingOnly ? undefined : toWrite;
  if (toRead !== undefined && write !== undefined) {
    return openedBy(`${toRead} to read it, ${write} to write it`, policy);
  }
  if (toRead !== undefined) return openedBy(`${toRead}${toWrite === undefined ? "" : " to read it"}`, policy);
  return write === undefined ? "Nothing can be written before the user accepts the plan" : openedBy(write, policy);
}

/** A guess at what of the policy a command met; without a note and a denial nobody is told of it. */
export interface DenialHint {
  /** For the model; says nothing about what exists where that is hidden from commands. */
  readonly note?: string;
  /** The note is the same whether anything is there or not, so that it alone is no denial. */
  readonly isHidden?: true;
  /** Where a grant could help. */
  readonly denial?: DenialClaim;
  /** What nobody is asked about: no grant opens it, or it is not certain that it was met. */
  readonly unasked?: DenialClaim;
  /** How many lines say it; absent for one. */
  readonly times?: number;
}

/**
 * How a command ended, as far as its output may be believed: it failed; its exit code is another part's (a pipe's last, a
 * list's); it went well.
 */
export type Ending = "failed" | "unknown" | "well";

/** The ending of a shell's command. The code of a pipe or list tells nothing of a part that failed. */
export function endingOf(command: string, isSuccess: boolean): Ending {
  if (!isSuccess) return "failed";
  return /[|;&\n]/.test(command.trim()) ? "unknown" : "well";
}

/**
 * What of the policy a failed command probably met, with the smallest grants, the last first; empty when nothing of the
 * policy explains the output. Every path is checked against the policy before anything is said of it.
 *
 * Words about the network, or a missing file, may stand in any text, so they count only when the command failed, or may
 * have; then nobody is asked for a grant because of them. `command`: tells where it stood, for paths that begin with `..`;
 * without it nothing is said of those.
 */
export function denialHints(
  output: string,
  ending: Ending,
  policy: Policy,
  realPath: RealPath,
  command?: string,
): DenialHint[] {
  if (policy.sandbox === "off" || policy.sandbox === "permissions") return [];
  const found = new Map<string, DenialHint>();
  const seen = seenByCommands(policy, realPath);
  const place: Place = (written) => {
    if (written.startsWith("~/")) return join(policy.home, written.slice(2));
    if (written.startsWith("/")) return resolve(written);
    const isOutward = written.startsWith("../") && command !== undefined && !MOVES.test(command);
    return isOutward ? resolve(policy.root, written) : undefined;
  };
  for (const line of output.slice(-TAIL).split("\n").reverse()) {
    if (line.length > LONGEST_LINE) continue;
    const redirection = command === undefined ? undefined : redirectionIn(line, command, policy.home);
    const hint = netHintOf(line, ending, policy) ??
      (ending === "well" ? undefined : unlessCertain(ending, programHint(line, policy, realPath, seen))) ??
      (NO_REPOSITORY.test(line)
        ? repositoryHint(policy) ?? linkedGitHint(line, ending, policy, realPath, seen)
        : undefined) ??
      (REFUSAL.test(line) && redirection !== undefined
        ? pathHint(redirection.path, line, policy, realPath, seen, (at) => place(at) ?? resolve(policy.root, at), {
          isWritten: redirection.isWritten,
        })
        : REFUSAL.test(line)
        ? firstHint(line, (written) => pathHint(written, line, policy, realPath, seen, place))
        : ending !== "well" && policy.sandbox === "kernel+" && HIDDEN.test(line)
        ? unlessCertain(ending, firstHint(line, (written) => hiddenHint(line, policy, realPath, seen, place(written))))
        : undefined);
    if (hint === undefined) continue;
    const key = JSON.stringify(hint);
    const before = found.get(key);
    found.set(key, before === undefined ? hint : { ...before, times: (before.times ?? 1) + 1 });
    if (found.size >= MOST_DENIALS) break;
  }
  return [...found.values()];
}

/**
 * The file of a redirection that the shell could not open, where the command has one to that very word and stands where it
 * began: a relative path in any other line may be anything.
 */
function redirectionIn(
  line: string,
  command: string,
  home: string,
): { readonly path: string; readonly isWritten: boolean } | undefined {
  const path = REFUSED_BY_SHELL.exec(line)?.[1];
  if (path === undefined || MOVES.test(command)) return undefined;
  for (const [, sign, ...words] of command.matchAll(REDIRECTION)) {
    // The shell has replaced a tilde in the bare word.
    const bare = words[2]?.replace(/^~(?=\/)/, () => home);
    if (words.includes(path) || bare === path) return { path, isWritten: sign?.includes(">") ?? false };
  }
  return undefined;
}

/**
 * The hint that the model is told of: the last one, because a command usually fails with its last message, whether the
 * path exists or not.
 */
export function hintToTell(hints: readonly DenialHint[]): DenialHint | undefined {
  return hints.find(({ note, isHidden }) => note !== undefined && !isHidden) ?? hints[0];
}

/** The disk as commands see it, which alone decides what the model reads. Links that lead out of it lead nowhere. */
function seenByCommands(policy: Policy, realPath: RealPath): RealPath {
  const isSeen = (path: string): boolean =>
    (covers(policy.read, path) || covers(policy.write, path) || isSystem(path)) &&
    !/^\/(?:proc|sys|dev)(?:\/|$)/.test(path) &&
    !isWithin(policy.denyRead, path);
  return (path) => {
    if (path === "/") return path;
    const real = isSeen(path) ? realPath(path) : undefined;
    return real !== undefined && isSeen(real) ? real : undefined;
  };
}

/** Where a path leads that a program wrote; undefined where that cannot be known. */
type Place = (written: string) => string | undefined;

function netHintOf(line: string, ending: Ending, policy: Policy): DenialHint | undefined {
  return ending === "well" ? undefined : unlessCertain(ending, netHint(line, policy));
}

/** Nobody is asked because of a line that another part of the command may have written about something else. */
function unlessCertain(ending: Ending, hint: DenialHint | undefined): DenialHint | undefined {
  if (hint?.denial === undefined || ending === "failed") return hint;
  const { denial, ...rest } = hint;
  return { ...rest, unasked: denial };
}

/** Of several paths in a message the last is tried first: `cannot move 'a' to 'b'`. */
function firstHint(line: string, look: (written: string) => DenialHint | undefined): DenialHint | undefined {
  const said = line.replace(SHELL, "bash: ");
  for (const written of [...said.matchAll(BARE), ...said.matchAll(QUOTED)].map((match) => match[1] ?? "").reverse()) {
    const hint = look(written);
    if (hint !== undefined) return hint;
  }
  return undefined;
}

/**
 * A program that PATH has and commands cannot reach: it is a link to a place that they may not read, or its directory is one.
 * That it is installed is no secret of the user's files.
 */
function programHint(line: string, policy: Policy, realPath: RealPath, seen: RealPath): DenialHint | undefined {
  const match = NOT_STARTED.exec(line);
  const said = match?.[1] ?? match?.[2];
  if (said === undefined) return undefined;
  const name = basename(said);
  for (const folder of (policy.env["PATH"] ?? "").split(":")) {
    const path = join(folder, name);
    if (said !== name && said !== path) continue;
    const real = folder.startsWith("/") ? realPath(path) : undefined;
    if (real === undefined) continue;
    if (seen(path) !== undefined) return undefined;
    const found = real === path ? path : `${path}, a link to ${real}`;
    if (isWithin(policy.denyRead, real)) {
      const why = whyNoGrant("read", real, policy) ?? "no grant opens it";
      return { note: `Sandbox: ${name} is ${found}: ${why}.`, unasked: { kind: "read", target: real } };
    }
    const target = dirname(real);
    const allowed = allowedBy(policy, { toRead: grantOption("read", target) });
    const note = `Sandbox: ${name} is ${found}, outside the read scope. ${allowed}.`;
    return { note, denial: { kind: "read", target } };
  }
  return undefined;
}

/**
 * What is out of scope looks missing where commands have a disk of their own. Whether it is there decides what a person is
 * told of, never what the model reads.
 */
function hiddenHint(
  line: string,
  policy: Policy,
  realPath: RealPath,
  seen: RealPath,
  lexical: string | undefined,
): DenialHint | undefined {
  if (lexical === undefined) return undefined;
  const path = realOf(lexical, seen);
  const isThere = realPath(lexical) !== undefined;
  const isHidden = true;
  if (isWithin(policy.denyRead, path)) {
    return {
      note: closedNote("read", lexical, path, policy),
      isHidden,
      ...(isThere ? { unasked: { kind: "read", target: path } } : {}),
    };
  }
  if (covers(policy.read, path) || isWithin([policy.tmp, policy.cache, "/proc", "/dev", "/sys"], path)) {
    return undefined;
  }
  const isRedirected = REDIRECTED.test(line);
  const isWritten = WRITES.test(line);
  const [toRead, toWrite] = [grantOption("read", lexical), writeAdvice(lexical, policy)];
  const allowed = allowedBy(policy, isWritten ? { toWrite } : isRedirected ? { toRead, toWrite } : { toRead });
  const note =
    `Sandbox: ${lexical} is outside the read scope and out of these commands' sight, whether it is there or not. ${allowed}.`;
  if (isThere && !isWritten) return { note, isHidden, denial: { kind: "read", target: path } };
  // A missing file is no denial, unless it was to be made.
  const isMade = isWritten || isRedirected;
  const fits = isMade && !covers(policy.write, path) && realPath(dirname(lexical)) !== undefined;
  return { note, isHidden, ...(fits ? { denial: { kind: "write", target: path } } : {}) };
}

const NO_REPOSITORY = /^fatal: not a git repository\b/;

/** Why git does not see the repository that the workspace is a part of. */
function repositoryHint(policy: Policy): DenialHint | undefined {
  const found = policy.outerGit === undefined ? outerRepository(policy) : undefined;
  const why = found && whyHidden(found, policy);
  if (found === undefined || why === undefined) return undefined;
  const { common } = found;
  const said = `Sandbox: the repository of this workspace, ${common}, is outside the read scope`;
  switch (why) {
    case "home":
      return {
        note: `${said}, because it is the repository of the home directory. ${
          allowedBy(policy, { toRead: grantOption("read", common) })
        }.`,
        denial: { kind: "read", target: common },
      };
    case "other user":
      return { note: `${said}, because it belongs to another user.` };
    default:
      return { note: `${said}, because a path in it is denied.` };
  }
}

/** The git directory that a `.git` file names (`git clone --separate-git-dir`), if commands cannot see it. */
function linkedGitHint(
  line: string,
  ending: Ending,
  policy: Policy,
  realPath: RealPath,
  seen: RealPath,
): DenialHint | undefined {
  const path = /^fatal: not a git repository: (\/.+)$/.exec(line)?.[1];
  if (policy.sandbox !== "kernel+" || path === undefined) return undefined;
  return unlessCertain(ending, hiddenHint(line, policy, realPath, seen, resolve(path)));
}

/** The same reason as people are told. */
function closedNote(kind: "read" | "write", written: string, path: string, policy: Policy): string {
  const more = kind === "write" ? " The user has to make such a change." : "";
  return `Sandbox: cannot ${kind} ${written}: ${whyNoGrant(kind, path, policy) ?? "no grant opens it"}.${more}`;
}

function pathHint(
  written: string,
  line: string,
  policy: Policy,
  realPath: RealPath,
  seen: RealPath,
  place: Place,
  { isWritten }: { readonly isWritten?: boolean } = {},
): DenialHint | undefined {
  const known = place(written);
  const lexical = known ?? resolve(policy.root, written);
  const path = realOf(lexical, seen);
  const watched = policy.protected.find((guarded) => isInside(path, guarded));
  // A redirection does not say which way; but a file that is not there is refused only to who makes it.
  const isNew = (at: RealPath): boolean => at(lexical) === undefined && at(dirname(lexical)) !== undefined;
  const makes = SHELL.test(line) && isNew(seen);
  const writes = isWritten ?? (makes || WRITES.test(line));
  if (watched !== undefined && writes) {
    return { note: closedNote("write", path, path, policy), unasked: { kind: "write", target: path } };
  }
  const inner = /busy/i.test(line) && path !== policy.root
    ? policy.protected.find((guarded) => isInside(guarded, path) && seen(guarded) !== undefined)
    : undefined;
  if (inner !== undefined && watched === undefined) {
    const note =
      `Sandbox: ${path} holds ${inner}, which is protected from change: it can be neither moved nor removed ` +
      "here. Ask the user to run this command.";
    return { note, unasked: { kind: "write", target: inner } };
  }
  // A command may stand in another folder, and a word is more often the name of a program.
  if (known === undefined || watched !== undefined || /busy/i.test(line)) return undefined;
  if (isWithin(policy.denyRead, path)) {
    return { note: closedNote("read", path, path, policy), unasked: { kind: "read", target: path } };
  }
  if (writes) {
    if (isWithin(policy.denyWrite, path)) {
      return { note: closedNote("write", path, path, policy), unasked: { kind: "write", target: path } };
    }
    if (writable(policy, path)) {
      // A file that is there may be changed in place: its own mode denies that.
      const changesName = isNew(seen) || /remove|move|rename|unlink/i.test(line);
      const why = changesName ? whyNamesStay(dirname(path), policy) : undefined;
      if (why === undefined) return undefined;
      const note = `Sandbox: names in ${dirname(path)} cannot change: ${why}.`;
      return { note, unasked: { kind: "write", target: path } };
    }
    const tree = WORK_TREE.test(line) ? path.replace(/\/\.git$/, "") : undefined;
    const toWrite = tree === undefined ? writeAdvice(path, policy) : grantOption("write", tree);
    const allowed = allowedBy(policy, { toWrite });
    const note = `Sandbox: ${tree ?? path} is outside the write scope. ${allowed}; for temporary files use $TMPDIR.`;
    return { note, denial: { kind: "write", target: tree === undefined ? path : `${tree}/` } };
  }
  if (!readable(policy, path)) {
    // A redirection of the shell's own may read or make the file.
    const isEither = SHELL.test(line);
    const toRead = grantOption("read", path);
    const allowed = allowedBy(policy, isEither ? { toRead, toWrite: writeAdvice(path, policy) } : { toRead });
    const note = `Sandbox: ${path} is outside the read scope. ${allowed}.`;
    return { note, denial: { kind: isEither && isNew(realPath) ? "write" : "read", target: path } };
  }
  const unlisted = whyUnlisted(path, policy);
  if (unlisted !== undefined) {
    return { note: `Sandbox: cannot list ${path}: ${unlisted}.`, unasked: { kind: "read", target: path } };
  }
  if (!writable(policy, path) && !isWithin(policy.denyWrite, path) && !isSystem(path)) {
    const toWrite = writeAdvice(path, policy);
    const note = `Sandbox: ${path} is outside the write scope: it may be read but not written. ${
      allowedBy(policy, { toWrite })
    }.`;
    return { note, denial: { kind: "write", target: path } };
  }
  return undefined;
}

function isWithin(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => isInside(path, folder));
}

function writable(policy: Policy, path: string): boolean {
  // A command's own, but for what of the machine's is granted there.
  const isGranted = policy.read.list.some((folder) => isInside(path, folder));
  const own = isGranted ? [] : privateFolders(policy);
  return covers(policy.write, path) ||
    [policy.tmp, policy.cache, ...own, "/dev/null"].some((folder) => isInside(path, folder));
}

function readable(policy: Policy, path: string): boolean {
  return covers(policy.read, path) || writable(policy, path) || isSystem(path);
}

/** The kernel's and the system's own, where the mode of a file refuses as often as the sandbox does. */
function isSystem(path: string): boolean {
  return /^\/(?:proc|sys|dev|etc|usr|bin|sbin|lib\w*|var|run)(?:\/|$)/.test(path);
}
