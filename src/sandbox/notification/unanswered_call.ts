// Calls that a filter leaves to the host (SECCOMP_RET_USER_NOTIF): seccomp_unotify(2), linux/seccomp.h.
import { CHECKED_CALLS } from "../seccomp/table.ts";
import { close, O_CLOEXEC, systemCall, systemCallAside } from "../system/ffi.ts";
import { fairTurns } from "./fair_turns.ts";

const RECEIVE = 0xc0502100;
const SEND = 0xc0182101;
const IS_VALID = 0x40082102;
const ADD_DESCRIPTOR = 0x40182103;
const IN_PLACE_OF = 1; // SECCOMP_ADDFD_FLAG_SETFD

/** The calls that are left to the host. */
const LEFT_TO_HOST = ["connect", "bind", "listen"] as const;

/** One such call; its caller waits. */
export interface UnansweredCall {
  readonly id: bigint;
  /** The thread that waits. */
  readonly task: number;
  /** Undefined for a call that should not have come here. */
  readonly name: typeof LEFT_TO_HOST[number] | undefined;
  /** The first three arguments. */
  readonly args: readonly [bigint, bigint, bigint];
}

/** The host's end of one filter. Nothing here ever lets a call go on by itself. */
export interface CallListener {
  /** The next call; undefined where its caller is gone. To be asked where one waits. */
  receive(): Promise<UnansweredCall | undefined>;
  /** Whether a caller still waits, so that what was read of its process was its own. */
  isWaiting(call: UnansweredCall): boolean;
  /** Ends a call with an errno, or well. */
  answer(call: UnansweredCall, errno: number): void;
  /** Puts a descriptor of this process in the place of one of the caller's; whether it is there. */
  put(call: UnansweredCall, fd: number, place: number, closeOnExec: boolean): Promise<boolean>;
  /** What waits and what comes fails from now on. */
  close(): void;
}

/**
 * How many descriptors are on their way at a time. Each has a thread of this process until its caller is scheduled, which
 * a command can put off. The runtime has 32 for whatever waits: these leave eight for all else.
 */
const openLine = fairTurns({ most: 8, mostOfOne: 2, overdueMs: 1_000, mostOverdue: 16 });

/** Takes a listener's descriptor over. */
export function callListener(fd: number): CallListener {
  let isClosed = false;
  let inUse = 0;
  const inTurn = openLine();
  // The descriptor's number may be reused at once after a close, so no thread may still be using it.
  const aside = async (request: number, bytes: Uint8Array<ArrayBuffer>): Promise<number> => {
    if (isClosed) return -1;
    inUse++;
    try {
      return await systemCallAside("ioctl", fd, request, bytes);
    } finally {
      inUse--;
      if (isClosed && inUse === 0) close(fd);
    }
  };
  return {
    async receive() {
      const bytes = new Uint8Array(80);
      if (await aside(RECEIVE, bytes) < 0) return undefined;
      const view = new DataView(bytes.buffer);
      const number = view.getInt32(16, true);
      return {
        id: view.getBigUint64(0, true),
        task: view.getUint32(8, true),
        name: LEFT_TO_HOST.find((name) => CHECKED_CALLS[name][Deno.build.arch] === number),
        args: [view.getBigUint64(32, true), view.getBigUint64(40, true), view.getBigUint64(48, true)],
      };
    },
    isWaiting: ({ id }) => !isClosed && systemCall("ioctl", fd, IS_VALID, new BigUint64Array([id])) === 0,
    answer({ id }, errno) {
      if (isClosed) return;
      const view = new DataView(new ArrayBuffer(24));
      view.setBigUint64(0, id, true);
      view.setInt32(16, -errno, true);
      systemCall("ioctl", fd, SEND, new Uint8Array(view.buffer));
    },
    put: ({ id }, own, place, closeOnExec) =>
      inTurn(async () => {
        const view = new DataView(new ArrayBuffer(24));
        view.setBigUint64(0, id, true);
        view.setUint32(8, IN_PLACE_OF, true);
        view.setUint32(12, own, true);
        view.setUint32(16, place, true);
        view.setUint32(20, closeOnExec ? O_CLOEXEC : 0, true);
        return await aside(ADD_DESCRIPTOR, new Uint8Array(view.buffer)) >= 0;
      }),
    close() {
      if (isClosed) return;
      isClosed = true;
      if (inUse === 0) close(fd);
    },
  };
}
