// What a test does to itself before it is another program: the product leaves that to the launcher.
import { addressOf, cString, errno, errnoName, succeed, systemCall } from "../../src/sandbox/system/ffi.ts";

/** Bytes of one instruction: `struct sock_filter` (linux/filter.h). */
const INSTRUCTION_BYTES = 8;

/** Puts a filter on the calling thread for good. Needs no_new_privs, which Landlock has set. */
export function installFilter(program: Uint8Array<ArrayBuffer>): void {
  const PR_SET_SECCOMP = 22;
  const SECCOMP_MODE_FILTER = 2;
  if (program.length === 0 || program.length % INSTRUCTION_BYTES !== 0) throw new Error("the filter is cut");
  const header = new Uint8Array(16); // struct sock_fprog
  const view = new DataView(header.buffer);
  view.setUint16(0, program.length / INSTRUCTION_BYTES, true);
  view.setBigUint64(8, addressOf(program), true);
  succeed(systemCall("prctl", PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header), "prctl(PR_SET_SECCOMP)");
}

/** Arguments and environment as execve(2) takes them. */
export interface ProgramImage {
  readonly args: StringVector;
  readonly variables: StringVector;
}

interface StringVector {
  readonly pointers: Uint8Array<ArrayBuffer>;
  /** What the pointers point to: kept alive with them. */
  readonly strings: readonly Uint8Array<ArrayBuffer>[];
}

/** Lays out what a program is given; throws for what holds a NUL. */
export function imageOf(argv: readonly string[], env: Readonly<Record<string, string>>): ProgramImage {
  return { args: vector(argv), variables: vector(Object.entries(env).map(([name, value]) => `${name}=${value}`)) };
}

/** Becomes another program; returns only by throwing. */
export function become(file: string, { args, variables }: ProgramImage): never {
  systemCall("execve", cString(file), args.pointers, variables.pointers);
  const number = errno();
  // Naming the strings here keeps them alive until the call has read them.
  throw new Error(`execve ${file}: ${errnoName(number)} (${args.strings.length + variables.strings.length} strings)`);
}

function vector(texts: readonly string[]): StringVector {
  const strings = texts.map(cString);
  const pointers = new BigUint64Array(strings.length + 1);
  strings.forEach((text, at) => pointers[at] = addressOf(text));
  return { pointers: new Uint8Array(pointers.buffer), strings };
}
