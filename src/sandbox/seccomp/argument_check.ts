import { allow, type BpfLine, fail, ifAnyBit, loadArgument } from "./bpf.ts";

/** What the filter depends on. */
export interface SeccompRequest {
  /**
   * `none`: no socket but pairs; `left`: TCP, where the host answers the calls that connect and listen; `private`: alone in
   * a network namespace; `open`: the machine's network.
   */
  readonly net: "none" | "left" | "private" | "open";
  /** Whether sockets with a path may be made: only where the paths of foreign ones are out of sight. */
  readonly unixSockets: boolean;
  /** Whether the process has an IPC namespace of its own. */
  readonly privateIpc: boolean;
}

/** The lines that look at the arguments of one call. They end at `ok` (allowed) or `no` (refused) and place both labels. */
export type ArgumentCheck = (ok: string, no: string) => readonly BpfLine[];

/** The usual end of a check: falling through is a refusal. */
export function verdict(ok: string, no: string, errno: number): readonly BpfLine[] {
  return [{ label: no }, fail(errno), { label: ok }, allow()];
}

const EPERM = 1;

/**
 * S_ISUID and S_ISGID (linux/stat.h), which no file may get: a program with set-user-ID lends its owner to every other user
 * of the machine who starts it, and it is still there when the sandbox is not. No rule of Landlock covers modes.
 */
export const LENDS_OWNER = 0o6000;
/** O_CREAT and the bit of O_TMPFILE that no other flag has: without them a mode is not looked at, and may be anything. */
const MAKES_FILE = 0o20000100;

/** The checks of calls that give a file its mode; `openat2`, whose mode lies in memory, is in the table of denied calls. */
export const MODE_CHECKS: Readonly<Record<string, ArgumentCheck>> = {
  chmod: plainMode(1),
  fchmod: plainMode(1),
  fchmodat: plainMode(2),
  fchmodat2: plainMode(2),
  creat: plainMode(1),
  open: madeWithPlainMode(1, 2),
  openat: madeWithPlainMode(2, 3),
};

function plainMode(mode: number): ArgumentCheck {
  return (ok, no) => [loadArgument(mode), ifAnyBit(LENDS_OWNER, no, ok), ...verdict(ok, no, EPERM)];
}

function madeWithPlainMode(flags: number, mode: number): ArgumentCheck {
  return (ok, no) => {
    const makes: BpfLine[] = [loadArgument(flags), ifAnyBit(MAKES_FILE, undefined, ok)];
    return [...makes, loadArgument(mode), ifAnyBit(LENDS_OWNER, no, ok), ...verdict(ok, no, EPERM)];
  };
}
