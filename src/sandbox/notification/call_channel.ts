// How the listener of a confined process's filter comes to this process: over a pair of sockets of which the launcher
// inherits one (launcher/listener.h).
import { addressOf, close, succeed, systemCall } from "../system/ffi.ts";
import { watchDescriptor } from "./descriptor_watch.ts";

const AF_UNIX = 1;
const STREAM = 1;
const CLOEXEC = 0o2000000;
const F_SETFD = 2;
const FD_CLOEXEC = 1;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
/** MSG_DONTWAIT and MSG_CMSG_CLOEXEC. */
const AT_ONCE = 0x40 | 0x40000000;
/** struct cmsghdr with one descriptor. */
const CONTROL = 24;

/** The way of one listener. */
export interface CallChannel {
  /** The descriptor's number in the process that is started by `lend`. */
  readonly number: number;
  /** Calls `start` while a child inherits the descriptor; once. */
  readonly lend: <T>(start: () => T) => T;
  /** The listener's descriptor; undefined where none came, since the process ended or failed before. */
  readonly received: Promise<number | undefined>;
  /** Stops waiting for the listener. Safe to call twice. */
  readonly close: () => void;
}

/** Opens a channel. */
export function openChannel(): CallChannel {
  const pair = new Uint8Array(8);
  succeed(systemCall("socketpair", AF_UNIX, STREAM | CLOEXEC, 0, pair), "socketpair");
  const view = new DataView(pair.buffer);
  const [own, other] = [view.getInt32(0, true), view.getInt32(4, true)];
  const { promise: received, resolve } = Promise.withResolvers<number | undefined>();
  let isLent = false;
  let isOver = false;
  const lent = (): void => {
    if (!isLent) close(other);
    isLent = true;
  };
  const end = (listener?: number): void => {
    if (isOver) return;
    isOver = true;
    stop();
    close(own);
    lent();
    resolve(listener);
  };
  const stop = watchDescriptor(own, (event) => end(event === "readable" ? receiveDescriptor(own) : undefined));
  return {
    number: other,
    lend(start) {
      systemCall("fcntl", other, F_SETFD, 0);
      try {
        return start();
      } finally {
        // Nobody else may inherit it.
        systemCall("fcntl", other, F_SETFD, FD_CLOEXEC);
        lent();
      }
    },
    received,
    close: () => end(),
  };
}

function receiveDescriptor(socket: number): number | undefined {
  const [data, control] = [new Uint8Array(8), new Uint8Array(CONTROL)];
  const part = new BigUint64Array([addressOf(data), BigInt(data.length)]);
  // struct msghdr: no name, one part, the control data.
  const message = new BigUint64Array([0n, 0n, addressOf(part), 1n, addressOf(control), BigInt(CONTROL), 0n]);
  const count = systemCall("recvmsg", socket, message, AT_ONCE);
  // The buffers are used after the call, so that nothing takes them away before it.
  if (count !== 1 || data.length === 0 || part.length === 0) return undefined;
  const view = new DataView(control.buffer);
  const isDescriptor = Number(message[5]) === CONTROL && view.getInt32(8, true) === SOL_SOCKET &&
    view.getInt32(12, true) === SCM_RIGHTS;
  return isDescriptor ? view.getInt32(16, true) : undefined;
}
