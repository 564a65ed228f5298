// Asks the kernel, in place of the tools and behind the same confinement, what may be done with paths: one line of JSON in,
// one out. Through libc, so that nothing but the kernel decides.
import { AT_FDCWD, close, cString, errno, errnoName, read, systemCall } from "../../src/sandbox/system/ffi.ts";

/** A question: reading and listing change nothing, `write` opens for writing without writing, `make` makes and takes away. */
export interface Question {
  readonly op: "read" | "list" | "write" | "make";
  readonly path: string;
}

/** How much of a file is told, from its beginning. */
export const READ_BYTES = 4_096;

const DIRECTORY: Readonly<Record<string, number>> = { x86_64: 0o200000, aarch64: 0o40000 };
const [O_WRONLY, O_CREAT, O_EXCL, O_NONBLOCK, O_CLOEXEC] = [1, 0o100, 0o200, 0o4000, 0o2000000];

/** `ok`, with the beginning of what was read, or the name of the errno. */
function answer({ op, path }: Question): string {
  const name = cString(path);
  const flags = {
    read: O_NONBLOCK,
    list: DIRECTORY[Deno.build.arch] ?? 0,
    write: O_WRONLY | O_NONBLOCK,
    make: O_WRONLY | O_CREAT | O_EXCL,
  }[op];
  const fd = systemCall("openat", AT_FDCWD, name, flags | O_CLOEXEC, 0o600);
  if (fd < 0) return errnoName(errno());
  try {
    if (op === "make") systemCall("unlinkat", AT_FDCWD, name);
    if (op !== "read") return "ok";
    const bytes = new Uint8Array(READ_BYTES);
    const got = read(fd, bytes);
    return got < 0 ? errnoName(errno()) : `ok ${new TextDecoder().decode(bytes.subarray(0, got))}`;
  } finally {
    close(fd);
  }
}

if (import.meta.main) {
  let rest = "";
  const encoder = new TextEncoder();
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const bytes = encoder.encode(JSON.stringify(JSON.parse(line).map(answer)) + "\n");
      for (let done = 0; done < bytes.length;) done += Deno.stdout.writeSync(bytes.subarray(done));
    }
  }
}
