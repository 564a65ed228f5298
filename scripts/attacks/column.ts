// One column of the matrix: which program runs the attacks, as whom, behind which level, and with which scopes.
import { probeSandbox } from "../../src/sandbox/confine/probe.ts";
import { wordsWithout } from "../../test/sandbox/without_call.ts";
import type { Grant } from "./grants.ts";

/** How the program is started; `none` is a plain shell, the proof that an attack works where nothing stops it. */
export type Form = "none" | "source" | "binary";

/** As whom: an ordinary user, or whoever started the replay. */
export type Who = "user" | "self";

/** Levels with a real shell. */
export type Level = "none" | "kernel" | "kernel+";

/** One column. */
export interface Column {
  readonly form: Form;
  readonly who: Who;
  readonly level: Level;
  /** At kernel+: bubblewrap makes the namespaces, because the program is refused its own. */
  readonly isBubblewrap?: true;
  /** What the user granted beside the defaults. */
  readonly grant?: Grant;
}

/** The ordinary user's numbers. */
export const USER_ID = 1000;

/** A column's name, as in tables and in `--columns`. */
export function columnName({ form, who, level, isBubblewrap, grant }: Column): string {
  if (form === "none") return `none/${who}`;
  return `${form}/${isBubblewrap ? "bubblewrap" : level}/${who}${grant ? `/${grant.name}` : ""}`;
}

/** What of this machine and its user a column may need. */
export interface Machine {
  readonly root: boolean;
  /** Whether the program can make namespaces itself. */
  readonly namespaces: boolean;
  /** Whether bubblewrap can. */
  readonly bwrap: boolean;
}

/** Looks at this machine. */
export function machineHere(): Machine {
  const probe = probeSandbox();
  return {
    root: Deno.uid() === 0,
    namespaces: "works" in probe.namespaces(),
    bwrap: "path" in probe.bwrap(),
  };
}

/** Whether this machine and this user can fill a column, or why not. */
export function whyNot({ form, who, level, isBubblewrap }: Column, machine: Machine): string | undefined {
  if (who === "user" && !machine.root) return "only root can become another user";
  if (isBubblewrap && !machine.bwrap) return "bubblewrap is not installed or cannot work here";
  if (isBubblewrap && machine.namespaces && !machine.root) return "only root can refuse the program its own namespaces";
  if (level === "kernel+" && !isBubblewrap && !machine.namespaces) return "the program cannot make namespaces here";
  if (form !== "none" && level === "kernel" && (machine.namespaces || machine.bwrap) && !machine.root) {
    return "only root can make a machine that refuses namespaces";
  }
  return undefined;
}

/** In a root that is not the mount namespace's own nobody may make user namespaces, root included; user_namespaces(7). */
const NO_NAMESPACES = [
  ...["unshare", "--mount", "--", "sh", "-c"],
  'mount --rbind / /mnt && exec unshare --root=/mnt --wd="$PWD" -- "$@"',
  "hide",
];

/** What the launcher needs and bubblewrap does not, as on a kernel that does not know it; both architectures' number. */
const MOUNT_SETATTR = 442;
const ENOSYS = 38;

/** Words before a command that make it run as the column says. */
export function prefixOf(column: Column): string[] {
  const isRoot = Deno.uid() === 0;
  // A lesser level, or another way, cannot be asked for while the better one works.
  const without = column.form === "none" || !isRoot
    ? []
    : column.level === "kernel"
    ? NO_NAMESPACES
    : column.isBubblewrap
    ? [...wordsWithout(MOUNT_SETATTR, ENOSYS), "/usr/bin/env"]
    : [];
  return [...without, ...asWhom(column.who)];
}

/** Words before a command that make it run as one of the two. */
export function asWhom(who: Who): string[] {
  return who === "user" ? ["setpriv", `--reuid=${USER_ID}`, `--regid=${USER_ID}`, "--clear-groups", "--"] : [];
}
