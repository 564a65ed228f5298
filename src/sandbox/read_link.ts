import { addressOf, cString, libc } from "./ffi.ts";

const READLINKAT: Readonly<Record<string, bigint>> = { x86_64: 267n, aarch64: 78n };
const AT_FDCWD = -100n;

/** Where a link of /proc leads, through libc for the reason that procfs.ts gives; undefined when there is none. */
export function readProcLink(path: string): string | undefined {
  const call = READLINKAT[Deno.build.arch];
  if (call === undefined) return undefined;
  const [name, target] = [cString(path), new Uint8Array(4_096)];
  const length = libc().syscall(call, AT_FDCWD, addressOf(name), addressOf(target), BigInt(target.length), 0n);
  // Naming the buffer after the call keeps it alive until then.
  return length <= 0n || name.length === 0 ? undefined : new TextDecoder().decode(target.subarray(0, Number(length)));
}
