// A write tells that a pipe has lost its reader, but a run that waits for a long command writes nothing. poll(2) tells it
// at any time.

/** How often it is looked, milliseconds. */
const EVERY_MS = 500;

// What a pipe shows without a reader, and a socket without a peer.
const POLLERR_OR_HUP = 0x18;
const SYMBOLS = { poll: { parameters: ["buffer", "u64", "i32"], result: "i32" } } as const;

/**
 * Calls back once when nobody reads a descriptor of this process any more; the returned function stops looking. Where it
 * cannot be looked (no Linux, no permission for foreign functions) nothing is called: a failing write is the sign then.
 */
export function watchReader(descriptor: number, onGone: () => void): () => void {
  const library = open();
  if (!library) return () => {};
  // struct pollfd: int fd; short events; short revents.
  const entry = new DataView(new ArrayBuffer(8));
  entry.setInt32(0, descriptor, true);
  const timer = setInterval(() => {
    const changed = library.symbols.poll(new Uint8Array(entry.buffer), 1n, 0);
    if (changed < 1 || (entry.getInt16(6, true) & POLLERR_OR_HUP) === 0) return;
    stop();
    onGone();
  }, EVERY_MS);
  let isStopped = false;
  const stop = (): void => {
    if (isStopped) return;
    isStopped = true;
    clearInterval(timer);
    library.close();
  };
  return stop;
}

function open(): Deno.DynamicLibrary<typeof SYMBOLS> | undefined {
  if (Deno.build.os !== "linux" || Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return undefined;
  for (const name of ["libc.so.6", `libc.musl-${Deno.build.arch}.so.1`]) {
    try {
      return Deno.dlopen(name, SYMBOLS);
    } catch {
      // The other one, then.
    }
  }
  return undefined;
}
