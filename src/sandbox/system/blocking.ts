import { attempt } from "../../core/support/attempt.ts";
import { O_NONBLOCK, systemCall } from "./ffi.ts";

const [F_GETFL, F_SETFL] = [3, 4];

/**
 * Lets reads of a descriptor wait again. The runtime makes standard input non-blocking; the shell shares the open file, and its next
 * command (`cat`) would fail. Does nothing where there is no libc.
 */
export function setBlocking(fd: number): void {
  if (Deno.build.os !== "linux") return;
  attempt(() => {
    const flags = systemCall("fcntl", fd, F_GETFL);
    if (flags >= 0 && (flags & O_NONBLOCK) !== 0) systemCall("fcntl", fd, F_SETFL, flags & ~O_NONBLOCK);
  });
}
