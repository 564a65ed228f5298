import { assertEquals } from "@std/assert";
import { close, systemCall } from "../../../src/sandbox/system/ffi.ts";
import { readProc } from "../../../src/sandbox/system/procfs.ts";

const [AF_INET, SOCK_STREAM] = [2, 1];
const F_SETLK = 6;
const F_WRLCK = 1;

Deno.test(
  "readProc() reads no more than it is asked for of what a command makes as long as it likes",
  { ignore: Deno.build.os !== "linux" },
  () => {
    const socket = systemCall("socket", AF_INET, SOCK_STREAM);
    try {
      // Each lock of a part of it is a line of its own. fcntl_locking(2): struct flock.
      for (let part = 0; part < 2_000; part++) {
        const lock = new Uint8Array(32);
        const view = new DataView(lock.buffer);
        view.setInt16(0, F_WRLCK, true);
        view.setBigInt64(8, BigInt(part * 2), true);
        view.setBigInt64(16, 1n, true);
        assertEquals(systemCall("fcntl", socket, F_SETLK, lock), 0);
      }
      const path = `/proc/self/fdinfo/${socket}`;
      const whole = readProc(path) ?? "";
      assertEquals([whole.length > 100_000, readProc(path, 1_024)], [true, whole.slice(0, 1_024)]);
    } finally {
      close(socket);
    }
  },
);
