import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { type Line, linesOf } from "../../../src/cli/rpc/lines.ts";

async function read(chunks: readonly Uint8Array[], maxBytes?: number): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const line of linesOf(ReadableStream.from(chunks), maxBytes ? { maxBytes } : {})) lines.push(line);
  return lines;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const CASES: readonly { name: string; chunks: readonly Uint8Array[]; lines: readonly Line[] }[] = [
  { name: "splits at LF", chunks: [bytes("a\nb\n")], lines: [{ text: "a" }, { text: "b" }] },
  { name: "drops one CR before LF", chunks: [bytes("a\r\nb\r\r\n")], lines: [{ text: "a" }, { text: "b\r" }] },
  {
    name: "keeps U+2028 and U+2029 inside a line",
    chunks: [bytes("a\u2028b\u2029c\n")],
    lines: [{ text: "a\u2028b\u2029c" }],
  },
  { name: "passes over empty lines", chunks: [bytes("\n \n\r\na\n\n")], lines: [{ text: "a" }] },
  { name: "takes what stands after the last LF", chunks: [bytes("a\nb")], lines: [{ text: "a" }, { text: "b" }] },
  {
    name: "goes on after bytes that are no UTF-8",
    chunks: [new Uint8Array([0xff, 10]), bytes("a\n")],
    lines: [{ error: "the line is not UTF-8" }, { text: "a" }],
  },
];
for (const { name, chunks, lines } of CASES) {
  Deno.test(`linesOf() ${name}`, async () => assertEquals(await read(chunks), [...lines]));
}

Deno.test("linesOf() passes over a line that is too long and goes on", async () => {
  const lines = await read([bytes("12345"), bytes("6789\nok\n123456789")], 8);
  const error = "the line has more than 8 bytes";
  assertEquals(lines, [{ error }, { text: "ok" }, { error }]);
});

Deno.test("linesOf() gives the same lines whatever the pieces", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.string({ unit: "binary", minLength: 1, maxLength: 20 }).map((text) =>
          `x${text.replaceAll("\n", "").replaceAll("\r", "")}`
        ),
      ),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      async (texts, sizes) => {
        const whole = bytes(texts.map((text) => text + "\n").join(""));
        const chunks: Uint8Array[] = [];
        for (let at = 0; at < whole.length;) {
          const size = sizes.next().value ?? 1;
          chunks.push(whole.subarray(at, at + size));
          at += size;
        }
        assertEquals(await read(chunks), texts.map((text) => ({ text: new TextDecoder().decode(bytes(text)) })));
      },
    ),
    { numRuns: 200 },
  ));
