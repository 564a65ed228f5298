/** A system call as a filter sees it. */
export interface Call {
  readonly number: number;
  readonly architecture: number;
  readonly args?: readonly number[];
}

/** Runs a classic BPF program as the kernel would (linux/filter.h) and gives what it returns. */
export function runFilter(program: Uint8Array<ArrayBuffer>, call: Call): number {
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength);
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, call.architecture, true);
  (call.args ?? []).forEach((value, at) => data.setBigUint64(16 + 8 * at, BigInt.asUintN(64, BigInt(value)), true));
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const code = view.getUint16(at * 8, true);
    const k = view.getUint32(at * 8 + 4, true);
    const jump = (taken: boolean): void => {
      at += view.getUint8(at * 8 + (taken ? 2 : 3));
    };
    if (code === 0x20) accumulator = data.getUint32(k, true);
    else if (code === 0x54) accumulator = (accumulator & k) >>> 0;
    else if (code === 0x15) jump(accumulator === k);
    else if (code === 0x35) jump(accumulator >= k);
    else if (code === 0x45) jump((accumulator & k) !== 0);
    else if (code === 0x06) return k;
    else throw new Error(`instruction ${code.toString(16)} at ${at}`);
  }
  throw new Error("the program ended without a verdict");
}
