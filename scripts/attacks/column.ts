// One column of the matrix: which program runs the attacks, as whom, behind which level, and with which scopes.
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
  /** What the user granted beside the defaults. */
  readonly grant?: Grant;
}

/** The ordinary user's numbers. */
export const USER_ID = 1000;

/** Where the program looks for bubblewrap. */
const BWRAP = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/** A column's name, as in tables and in `--columns`. */
export function columnName({ form, who, level, grant }: Column): string {
  return form === "none" ? `none/${who}` : `${form}/${level}/${who}${grant ? `/${grant.name}` : ""}`;
}

/** Whether this machine and this user can fill a column, or why not. */
export function whyNot(
  column: Column,
  machine: { readonly root: boolean; readonly bwrap: boolean },
): string | undefined {
  if (column.who === "user" && !machine.root) return "only root can become another user";
  if (column.level === "kernel+" && !machine.bwrap) return "bubblewrap is not installed or cannot work here";
  if (column.form !== "none" && column.level === "kernel" && machine.bwrap && !machine.root) {
    return "only root can hide the bubblewrap that is installed";
  }
  return undefined;
}

/** Words before a command that make it run as the column says. */
export function prefixOf(column: Column): string[] {
  // A plain `kernel` cannot be asked for while bubblewrap works; an empty file in its place cannot be started.
  const hide = column.form !== "none" && column.level === "kernel" && Deno.uid() === 0
    ? [
      ...["unshare", "--mount", "--", "sh", "-c"],
      `for b in ${BWRAP.join(" ")}; do [ ! -e $b ] || mount --bind /dev/null $b || exit 70; done; exec "$@"`,
      "hide",
    ]
    : [];
  return [...hide, ...asWhom(column.who)];
}

/** Words before a command that make it run as one of the two. */
export function asWhom(who: Who): string[] {
  return who === "user" ? ["setpriv", `--reuid=${USER_ID}`, `--regid=${USER_ID}`, "--clear-groups", "--"] : [];
}

/** Whether bubblewrap can make namespaces here. */
export function bwrapWorks(): boolean {
  try {
    const args = [
      "--ro-bind",
      "/",
      "/",
      "--unshare-user",
      "--unshare-pid",
      "--unshare-net",
      "--",
      "/bin/sh",
      "-c",
      ":",
    ];
    return new Deno.Command("/usr/bin/bwrap", { args, stdin: "null", stdout: "null", stderr: "null" }).outputSync()
      .success;
  } catch {
    return false;
  }
}
