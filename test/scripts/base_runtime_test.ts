import { assertEquals } from "@std/assert";
import { elfPart } from "../../scripts/build/base_runtime.ts";

/** The head of a 64-bit ELF file whose section headers end at byte 200, and what somebody appended. */
function program(marks: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(300);
  bytes.set(marks);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0x28, 72n, true);
  view.setUint16(0x3a, 64, true);
  view.setUint16(0x3c, 2, true);
  return bytes;
}

Deno.test("elfPart() is a program without what was appended to it, and nothing for another kind of file", () => {
  assertEquals(elfPart(program([0x7f, 0x45, 0x4c, 0x46, 2, 1]))?.length, 200);
  assertEquals(elfPart(program([0xcf, 0xfa, 0xed, 0xfe])), undefined); // Mach-O
  assertEquals(elfPart(program([0x7f, 0x45, 0x4c, 0x46, 1, 1])), undefined); // 32 bits
  assertEquals(elfPart(new Uint8Array(3)), undefined);
});
