// Waiting for descriptors that the runtime does not know: one thread for all of them, and none while there is nothing to
// wait for.
import { close, errno, errnoName, succeed, systemCall, systemCallAside } from "../system/ffi.ts";

const CLOEXEC = 0o2000000;
const NONBLOCK = 0o4000;
const [ADD, REMOVE, CHANGE] = [1, 2, 3];
const ONE_SHOT = 1 << 30;
/** EPOLLIN, EPOLLERR, EPOLLHUP. */
const READABLE = 1;
const GONE = 0x8 | 0x10;
/** struct epoll_event: packed on x86_64 alone. */
const EVENT = { x86_64: { bytes: 12, token: 4 }, aarch64: { bytes: 16, token: 8 } }[Deno.build.arch];
const MOST_EVENTS = 16;
const AFTER_SIGNAL_MS = 1;
/** Stands for the descriptor by which the waiting thread is woken. */
const WAKE = 0n;

/** What is told of a descriptor: something can be read, or its other side is gone and there is nothing to read. */
export type DescriptorEvent = "readable" | "gone";

type Take = (event: DescriptorEvent) => Promise<void> | void;

interface Waiting {
  readonly epoll: number;
  readonly wake: number;
}

const takers = new Map<bigint, { readonly fd: number; readonly take: Take }>();
let opened: Waiting | undefined;
let isRunning = false;
/** The thread waits: it notices that there is nothing to wait for only if it is woken. */
let isWaiting = false;
let newest = WAKE;

/**
 * Calls `take` whenever something can be read, not again before it has resolved, and a last time when the other side is
 * gone. Gives what ends that; the descriptor stays its owner's, who closes it after that.
 */
export function watchDescriptor(fd: number, take: Take): () => void {
  opened ??= openWaiting();
  const token = ++newest;
  succeed(control(opened, ADD, fd, READABLE | ONE_SHOT, token), "epoll_ctl");
  takers.set(token, { fd, take });
  if (!isRunning) void run(opened);
  const { epoll, wake } = opened;
  return () => {
    if (!takers.delete(token)) return;
    systemCall("epoll_ctl", epoll, REMOVE, fd);
    if (takers.size === 0 && isWaiting) systemCall("write", wake, new BigUint64Array([1n]), 8);
  };
}

function openWaiting(): Waiting {
  const epoll = succeed(systemCall("epoll_create1", CLOEXEC), "epoll_create1");
  const wake = systemCall("eventfd2", 0, CLOEXEC | NONBLOCK);
  if (wake < 0 || control({ epoll }, ADD, wake, READABLE, WAKE) < 0) {
    const why = errnoName(errno());
    close(epoll);
    if (wake >= 0) close(wake);
    throw new Error(`descriptors cannot be waited for: ${why}`);
  }
  return { epoll, wake };
}

async function run({ epoll, wake }: Waiting): Promise<void> {
  isRunning = true;
  const bytes = new Uint8Array(EVENT.bytes * MOST_EVENTS);
  const view = new DataView(bytes.buffer);
  while (takers.size > 0) {
    isWaiting = true;
    const count = await systemCallAside("epoll_pwait", epoll, bytes, MOST_EVENTS, -1);
    isWaiting = false;
    if (count < 0) await new Promise((resolve) => setTimeout(resolve, AFTER_SIGNAL_MS));
    for (let at = 0; at < count * EVENT.bytes; at += EVENT.bytes) {
      const token = view.getBigUint64(at + EVENT.token, true);
      if (token === WAKE) systemCall("read", wake, new Uint8Array(8), 8);
      else void tell({ epoll }, token, view.getUint32(at, true));
    }
  }
  isRunning = false;
}

async function tell(waiting: Pick<Waiting, "epoll">, token: bigint, events: number): Promise<void> {
  const taker = takers.get(token);
  if (taker === undefined) return;
  const isReadable = (events & READABLE) !== 0;
  try {
    await taker.take(isReadable || (events & GONE) === 0 ? "readable" : "gone");
  } finally {
    if (isReadable && takers.has(token)) control(waiting, CHANGE, taker.fd, READABLE | ONE_SHOT, token);
  }
}

function control(
  { epoll }: Pick<Waiting, "epoll">,
  what: number,
  fd: number,
  events: number,
  token: bigint,
): number {
  const event = new Uint8Array(EVENT.bytes);
  const view = new DataView(event.buffer);
  view.setUint32(0, events, true);
  view.setBigUint64(EVENT.token, token, true);
  return systemCall("epoll_ctl", epoll, what, fd, event);
}
