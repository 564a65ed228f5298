/** Connects to a port of 127.0.0.1 and resets at once, so many times: a server finds connections that have no peer any more. */
export function resetAtOnce(port: number, times: number): void {
  const SOCK_STREAM_NONBLOCK = 1 | 0o4000;
  const [AF_INET, SOL_SOCKET, SO_LINGER] = [2, 1, 13];
  const address = new Uint8Array([AF_INET, 0, port >> 8, port & 0xff, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  // On, for no time: close(2) sends a reset then.
  const linger = new Uint8Array(new Int32Array([1, 0]).buffer);
  const libc = Deno.dlopen("libc.so.6", {
    socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
    connect: { parameters: ["i32", "buffer", "u32"], result: "i32" },
    setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
    close: { parameters: ["i32"], result: "i32" },
  });
  try {
    const { socket, connect, setsockopt, close } = libc.symbols;
    for (let i = 0; i < times; i++) {
      const fd = socket(AF_INET, SOCK_STREAM_NONBLOCK, 0);
      connect(fd, address, address.length);
      setsockopt(fd, SOL_SOCKET, SO_LINGER, linger, linger.length);
      close(fd);
    }
  } finally {
    libc.close();
  }
}
