import { attempt } from "../../core/support/attempt.ts";
import { close, errno, errnoName, systemCall } from "../system/ffi.ts";

/** TCP is denied by Landlock from here on, which holds whatever becomes of this process. */
const LEAST_ABI = 4;

const SECCOMP_SET_MODE_FILTER = 1;
/** SECCOMP_FILTER_FLAG_NEW_LISTENER and WAIT_KILLABLE_RECV (Linux 5.19). */
const WANTED = 8 | 32;

/** What the kernel says to a filter at address 0. */
const ANSWERS: Readonly<Record<string, string | undefined>> = {
  // It would have read it.
  EFAULT: undefined,
  EINVAL: "the kernel is older than 5.19 and cannot ask another process about a call",
  EBUSY: "this program runs in a sandbox that asks about calls already, and there can be but one",
  EPERM: "a seccomp filter, probably the container's, lets no process ask about calls (EPERM)",
  ENOSYS: "a seccomp filter, probably the container's, lets no process ask about calls (ENOSYS)",
};

/** What Yama's setting lets this process look into, ptrace(2): its own descendants up to 1. */
const YAMA = "/proc/sys/kernel/yama/ptrace_scope";

/** Why the network of a process cannot be limited to a list of hosts without namespaces; undefined where it can. */
export function whyNoHostList(landlockAbi: number): string | undefined {
  if (landlockAbi < LEAST_ABI) return `Landlock ABI ${LEAST_ABI} (Linux 6.7) is needed, here it is ${landlockAbi}`;
  return whyNoListener() ??
    (yamaScope() > 1 ? `Yama lets no process look into its children (${YAMA} is above 1)` : undefined);
}

let knownWhy: { readonly why: string | undefined } | undefined;

/**
 * Why this process cannot answer the connect() calls of a process in namespaces of its own; undefined if it can. Looked up
 * once: two system calls and a file.
 */
export function whyNoAnsweredConnects(): string | undefined {
  return (knownWhy ??= { why: attempt(askForAnswers) ?? undefined }).why;
}

function askForAnswers(): string | undefined {
  // The owner of a user namespace may trace what is in it, unless nobody may trace anything.
  return whyNoListener() ??
    (yamaScope() > 2 ? `Yama lets no process look into another (${YAMA} is above 2)` : undefined) ??
    whyNoForeignDescriptor();
}

function whyNoListener(): string | undefined {
  systemCall("seccomp", SECCOMP_SET_MODE_FILTER, WANTED, 0);
  const answer = errnoName(errno());
  return answer in ANSWERS ? ANSWERS[answer] : `the kernel answers ${answer} where it should ask about calls`;
}

function whyNoForeignDescriptor(): string | undefined {
  const own = systemCall("pidfd_open", Deno.pid, 0);
  const copy = own < 0 ? -1 : systemCall("pidfd_getfd", own, own, 0);
  const why = copy < 0 ? errnoName(errno()) : undefined;
  for (const fd of [own, copy]) if (fd >= 0) close(fd);
  return why && `a process cannot take another one's descriptor here (pidfd_getfd: ${why})`;
}

function yamaScope(): number {
  return attempt(() => Number(Deno.readTextFileSync(YAMA))) ?? 0; // a kernel without it
}
