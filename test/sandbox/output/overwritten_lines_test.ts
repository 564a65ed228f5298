import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { overwrittenLines } from "../../../src/sandbox/output/overwritten_lines.ts";
import { cpuMs } from "../../helpers/cpu.ts";

function all(pieces: readonly string[]): string {
  const lines = overwrittenLines();
  return pieces.map((piece) => lines.push(piece)).join("") + lines.end();
}

const CASES = [
  { name: "progress in its last state", text: "10%\r50%\r100% done\nnext\n", shown: "100% done\nnext\n" },
  { name: "a shorter text over a longer one", text: "downloading\rdone", shown: "doneloading" },
  { name: "a shorter text after the line was erased", text: "downloading\r\x1b[Kdone\n", shown: "done\n" },
  { name: "a line erased as a whole", text: "downloading\x1b[2K\rdone\n", shown: "done\n" },
  { name: "a line erased up to the cursor", text: "abc\x1b[1Kd\n", shown: "   d\n" },
  { name: "a spinner", text: "|\x08/\x08-\x08ok\n", shown: "ok\n" },
  { name: "backspace at the beginning", text: "\x08a", shown: "a" },
  { name: "line ends of two characters", text: "a\r\nb\r\n", shown: "a\nb\n" },
  { name: "a CR at the end", text: "a\r", shown: "a" },
  { name: "blanks that a program wrote", text: "a  \n  b", shown: "a  \n  b" },
  { name: "characters of two units", text: "😀😀😀\rab\n", shown: "ab😀\n" },
] as const;

for (const { name, text, shown } of CASES) {
  Deno.test(`overwrittenLines() gives ${name}`, () => {
    assertEquals(all([text]), shown);
  });
}

Deno.test("overwrittenLines() of pieces is what it is of the whole", () => {
  const part = fc.constantFrom(
    "ab",
    "c",
    "😀",
    "\r",
    "\n",
    "\x08",
    "\x1b[K",
    "\x1b[2K",
    "\x1b[1K",
    "é",
    "x".repeat(600),
    "😀".repeat(450),
  );
  fc.assert(fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
    assertEquals(all(parts), all([parts.join("")]));
  }));
});

Deno.test("overwrittenLines() without a CR changes nothing, however long a line is", () => {
  const text = "x".repeat(5000) + " \ny";
  assertEquals(all([text]), text);
});

Deno.test("overwrittenLines() lets nothing vanish behind a line that is too long, and takes linear time", () => {
  assertEquals(all(["x".repeat(1500) + "\rnew\n"]), "x".repeat(1500) + "\nnew\n");
  const begin = cpuMs();
  const lines = overwrittenLines();
  lines.push("x".repeat(900));
  for (let at = 0; at < 200; at++) lines.push("\x1b[2K\ra\x1b[1K".repeat(1000));
  assert(cpuMs() - begin < 20_000, `${cpuMs() - begin} ms`);
});
