import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { stripControls } from "../../../src/core/support/text.ts";
import { stripStream } from "../../../src/sandbox/output/strip_stream.ts";
import { cpuMs } from "../../helpers/cpu.ts";

function inPieces(pieces: readonly string[]): string {
  const stream = stripStream();
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end();
}

const CASES = [
  { name: "a colour cut in its parameters", pieces: ["a\x1b[3", "1mred\x1b", "[0m!"], text: "ared!" },
  { name: "a title cut in its payload", pieces: ["\x1b]0;ti", "tle", "\x07after"], text: "after" },
  { name: "a title ended by a cut terminator", pieces: ["\x1b]0;title\x1b", "\\after"], text: "after" },
  { name: "a picture in many pieces", pieces: ["\x1bPq", "#0;2;0", "~~@@", "\x1b\\done"], text: "done" },
  { name: "CR and LF in two pieces", pieces: ["one\r", "\ntwo\r", "three"], text: "one\ntwo\nthree" },
  { name: "an eight-bit introducer", pieces: ["a\x9b", "31mb"], text: "ab" },
  { name: "an unfinished end", pieces: ["text\x1b[12"], text: "text12" },
] as const;

for (const { name, pieces, text } of CASES) {
  Deno.test(`stripStream() strips ${name}`, () => assertEquals(inPieces(pieces), text));
}

Deno.test("stripStream() of any pieces equals stripControls() of the whole", () => {
  const part = fc.constantFrom(
    ..."\x1b \x1b[ \x1b] \x1bP \x9b \x9d \x90 \x07 \x1b\\ \r \n \r\n 3 ; m q a é 😀 \x1b( ! \x9f \\ [ ]".split(" "),
    " ",
  );
  fc.assert(
    fc.property(
      fc.array(fc.array(part, { maxLength: 6 }).map((parts) => parts.join("")), { maxLength: 12 }),
      (pieces) => {
        assertEquals(inPieces(pieces), stripControls(pieces.join("")));
      },
    ),
    { numRuns: 3000 },
  );
});

Deno.test("stripStream() takes linear time for introducers without end", () => {
  const hostile = "\x9d".repeat(200_000) + "\x07";
  const begin = cpuMs();
  const stream = stripStream();
  for (let i = 0; i < 5; i++) stream.push(hostile);
  for (let i = 0; i < 20_000; i++) stream.push("\x1b]payload");
  assert(cpuMs() - begin < 20_000, `${cpuMs() - begin} ms`);
});
