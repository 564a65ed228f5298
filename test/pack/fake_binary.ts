import { PACKED, PLAIN } from "../../src/pack/carrier.ts";

/** What `deno compile` would append: its content counts for nothing here. */
const APPENDED = 300;

/** The bytes of an ELF file with modules and an appended part as in the binary, and of nothing that could run. */
export function fakeElf(end = PLAIN): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(64);
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
  new DataView(header.buffer).setBigUint64(0x28, 64n, true);
  const modules = new TextEncoder().encode(`const mark = "${PACKED}";${end}`);
  const appended = new Uint8Array(APPENDED).fill(7);
  const trailer = new DataView(appended.buffer, APPENDED - 16);
  trailer.setUint32(0, 0x501e, true);
  trailer.setBigUint64(8, BigInt(APPENDED), true);
  return new Uint8Array([...header, ...modules, ...appended]);
}

/** The same as macOS and Windows know programs: an archive lies at its end. */
export function fakeOther(): Uint8Array<ArrayBuffer> {
  const bytes = fakeElf();
  bytes.set([0x4d, 0x5a, 0x90, 0x00]);
  return bytes;
}
