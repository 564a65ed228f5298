// A host that is killed cannot end what it started. At level kernel its shells end with it, their children do not; they
// still carry the mark of the session in the environment that they were started with.
import { close, systemCall } from "../system/ffi.ts";
import { identityOf, numbersIn, type ProcessIdentity, readProc } from "../system/procfs.ts";

/** The variable that marks the processes of a session. */
export const SESSION_VARIABLE = "SANDPIPER_SESSION";

const SIGKILL = 9;
/** A process may start another while its siblings are ended. */
const MOST_ROUNDS = 50;

/**
 * Ends what a session left behind, and tells how many processes that were.
 *
 * Only what is provably its own: same user, the session's mark in the environment, started no earlier than its host.
 */
export function endLeftovers(session: string, host: ProcessIdentity): number {
  if (Deno.build.os !== "linux" || !/^[\w-]{16,}$/.test(session)) return 0;
  const ended = new Set<string>();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const found = numbersIn("/proc").filter((pid) => pid > 1 && pid !== Deno.pid && belongs(pid, session, host));
    if (found.length === 0) break;
    for (const pid of found) if (kill(pid, session, host)) ended.add(String(pid));
  }
  return ended.size;
}

function belongs(pid: number, session: string, host: ProcessIdentity): boolean {
  const environment = readProc(`/proc/${pid}/environ`);
  if (!environment?.split("\0").includes(`${SESSION_VARIABLE}=${session}`)) return false;
  const identity = identityOf(pid);
  const user = /^Uid:\s+(\d+)/m.exec(readProc(`/proc/${pid}/status`) ?? "")?.[1];
  return identity !== undefined && identity.start >= host.start && Number(user) === Deno.uid();
}

/** Through a descriptor, so that the process that was looked at is the one that ends. */
function kill(pid: number, session: string, host: ProcessIdentity): boolean {
  const fd = systemCall("pidfd_open", pid);
  if (fd < 0) return false;
  try {
    return belongs(pid, session, host) && systemCall("pidfd_send_signal", fd, SIGKILL) === 0;
  } finally {
    close(fd);
  }
}
