// Classic BPF as seccomp(2) takes it, assembled from lines with named jump targets (linux/filter.h, linux/seccomp.h).

/** One line: an instruction whose jumps name labels (absent: the next line), or a label. */
export type BpfLine =
  | { readonly label: string }
  | { readonly code: number; readonly k: number; readonly yes?: string; readonly no?: string };

const LOAD_WORD_AT = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP_IF_ANY_BIT = 0x45;
const KEEP_BITS = 0x54;
const RETURN = 0x06;

/** Loads the call's number. */
export function loadCall(): BpfLine {
  return { code: LOAD_WORD_AT, k: 0 };
}

/** Loads the mark of the architecture whose numbering the call uses. */
export function loadArchitecture(): BpfLine {
  return { code: LOAD_WORD_AT, k: 4 };
}

/** Loads the low half of an argument: nearly all that are looked at are ints, of which the kernel reads no more. */
export function loadArgument(index: number): BpfLine {
  return { code: LOAD_WORD_AT, k: 16 + 8 * index };
}

/** Loads the high half of an argument, for sizes and addresses. */
export function loadHighHalf(index: number): BpfLine {
  return { code: LOAD_WORD_AT, k: 20 + 8 * index };
}

/** Keeps some bits of what is loaded. */
export function keepBits(k: number): BpfLine {
  return { code: KEEP_BITS, k };
}

/** Compares what is loaded. */
export function ifEqual(k: number, yes?: string, no?: string): BpfLine {
  return jump(JUMP_IF_EQUAL, k, yes, no);
}

/** Compares what is loaded, unsigned. */
export function ifAtLeast(k: number, yes?: string, no?: string): BpfLine {
  return jump(JUMP_IF_AT_LEAST, k, yes, no);
}

/** Tests what is loaded for any of some bits. */
export function ifAnyBit(k: number, yes?: string, no?: string): BpfLine {
  return jump(JUMP_IF_ANY_BIT, k, yes, no);
}

function jump(code: number, k: number, yes?: string, no?: string): BpfLine {
  return { code, k, ...(yes === undefined ? {} : { yes }), ...(no === undefined ? {} : { no }) };
}

/** Ends the filter: the call goes on. */
export function allow(): BpfLine {
  return { code: RETURN, k: 0x7fff0000 };
}

/** Ends the filter: the call fails with an errno. */
export function fail(errno: number): BpfLine {
  return { code: RETURN, k: 0x00050000 | errno };
}

/** Ends the filter: the call waits for whoever holds the filter's listener, and fails with ENOSYS where nobody does. */
export function leaveToHost(): BpfLine {
  return { code: RETURN, k: 0x7fc00000 };
}

/** Ends the filter and the process. */
export function kill(): BpfLine {
  return { code: RETURN, k: 0x80000000 };
}

/** The bytes of a `struct sock_filter[]`; throws for an unknown label or a jump that is too far or backwards. */
export function assemble(lines: readonly BpfLine[]): Uint8Array<ArrayBuffer> {
  const places = new Map<string, number>();
  const instructions: Extract<BpfLine, { code: number }>[] = [];
  for (const line of lines) {
    if ("code" in line) instructions.push(line);
    else if (places.has(line.label)) throw new Error(`BPF: label ${line.label} stands twice`);
    else places.set(line.label, instructions.length);
  }
  const bytes = new Uint8Array(instructions.length * 8);
  const view = new DataView(bytes.buffer);
  instructions.forEach(({ code, k, yes, no }, at) => {
    const distance = (label: string | undefined): number => {
      if (label === undefined) return 0;
      const gap = (places.get(label) ?? NaN) - at - 1;
      if (!(gap >= 0 && gap <= 255)) throw new Error(`BPF: no way from ${at} to ${label}`);
      return gap;
    };
    view.setUint16(at * 8, code, true);
    view.setUint8(at * 8 + 2, distance(yes));
    view.setUint8(at * 8 + 3, distance(no));
    view.setUint32(at * 8 + 4, k >>> 0, true);
  });
  return bytes;
}
