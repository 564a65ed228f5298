import { assertEquals } from "@std/assert";
import { fileType } from "../../../tools/text/file_type.ts";

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (unit) => unit.charCodeAt(0));

const CASES = [
  { name: "an empty file", head: "", type: { type: "text" } },
  { name: "a program text", head: "MZ = 1; BM = 2\n", type: { type: "text" } },
  { name: "colours of a terminal", head: "\x1b[31mred\x1b[0m\n", type: { type: "text" } },
  { name: "Latin-1", head: "caf\xe9 au lait\n", type: { type: "text" } },
  { name: "a PDF without zero bytes", head: "%PDF-1.7\n", type: { type: "binary", name: "PDF document" } },
  { name: "gzip", head: "\x1f\x8b\x08\0\0", type: { type: "binary", name: "gzip archive" } },
  { name: "noise without zero bytes", head: "\x81\x92\xa3\xb4\xc5\xd6\xe7\xf8", type: { type: "binary" } },
  { name: "UTF-16", head: "\xfe\xff\0a", type: { type: "utf16", encoding: "utf-16be" } },
  { name: "a text that only begins like a picture", head: "GIF8 is a prefix\n", type: { type: "text" } },
  { name: "a WAV, which is RIFF too", head: "RIFF\0\0\0\0WAVE", type: { type: "binary" } },
] as const;
for (const { name, head, type } of CASES) {
  Deno.test(`fileType() knows ${name}`, () => assertEquals<unknown>(fileType(latin1(head)), type));
}
