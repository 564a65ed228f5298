import { assertEquals, assertThrows } from "@std/assert";
import { parseConfineRequest, parseExecRequest } from "../../../src/sandbox/launcher/request.ts";
import { encodeFrame, LONGEST_FRAME, readFrame } from "../../../src/sandbox/confine/launch.ts";

import fc from "fast-check";

/** A pipe that gives its bytes in pieces of the given sizes. */
function pipe(
  bytes: Uint8Array<ArrayBuffer>,
  pieces: readonly number[],
): { read: (b: Uint8Array<ArrayBuffer>) => number | null; rest: () => Uint8Array } {
  let at = 0;
  let turn = 0;
  return {
    read: (buffer) => {
      if (at === bytes.length) return null;
      const size = Math.min(buffer.length, bytes.length - at, Math.max(1, pieces[turn++ % pieces.length] ?? 1));
      buffer.set(bytes.subarray(at, at + size));
      at += size;
      return size;
    },
    rest: () => bytes.subarray(at),
  };
}

Deno.test("readFrame() gives back what encodeFrame() took, however it arrives, and leaves what follows", () => {
  fc.assert(fc.property(
    fc.jsonValue(),
    fc.uint8Array({ maxLength: 40 }),
    fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 }),
    (value, rest, pieces) => {
      const frame = encodeFrame(value);
      const bytes = new Uint8Array(frame.length + rest.length);
      bytes.set(frame);
      bytes.set(rest, frame.length);
      const source = pipe(bytes, pieces);
      assertEquals(JSON.stringify(readFrame(source.read)), JSON.stringify(value));
      assertEquals([...source.rest()], [...rest]);
    },
  ));
});

Deno.test("readFrame() throws for every frame that is cut", () => {
  const frame = encodeFrame({ a: "ä", b: [1, 2, 3] });
  for (let length = 0; length < frame.length; length++) {
    assertThrows(() => readFrame(pipe(frame.slice(0, length), [7]).read), Error, "the frame ends");
  }
});

Deno.test("readFrame() and encodeFrame() bound the size before they make room for it", () => {
  const huge = new TextEncoder().encode((LONGEST_FRAME + 1).toString(16).padStart(8, "0"));
  assertThrows(() => readFrame(pipe(huge, [8]).read), Error, "too long");
  assertThrows(() => encodeFrame("x".repeat(LONGEST_FRAME)), Error, "too long");
});

Deno.test("parseConfineRequest() and parseExecRequest() take nothing but their own shape", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    assertThrows(() => parseConfineRequest(value));
    assertThrows(() => parseExecRequest(value));
  }));
});

Deno.test("parseConfineRequest() and parseExecRequest() take no field that they do not know, and no kernel's part", () => {
  const confine = { cwd: "/", limits: { fileBytes: 1, openFiles: 1, tasks: 1 }, kernel: null };
  const exec = { argv: ["x"], env: {}, cwd: "/", stdin: "null", mergeOutput: false };
  assertEquals<unknown>(parseConfineRequest(confine), confine);
  const odd = [{ ...confine, extra: 1 }, { ...confine, limits: { ...confine.limits, extra: 1 } }];
  for (const order of odd) assertThrows(() => parseConfineRequest(order), Error, '"extra" that is not known');
  for (const kernel of [undefined, {}, { apart: [], landlock: {}, seccomp: "BgAAAAAA/38=" }]) {
    assertThrows(() => parseConfineRequest({ ...confine, kernel }), Error, "another system");
  }
  assertThrows(() => parseExecRequest({ ...exec, extra: 1 }), Error, '"extra" that is not known');
});

Deno.test("parseExecRequest() keeps a variable called __proto__ as a variable", () => {
  const text = '{"argv":["x"],"env":{"__proto__":"1"},"cwd":"/","stdin":"null","mergeOutput":false}';
  const order = parseExecRequest(JSON.parse(text));
  assertEquals(Object.entries(order.env), [["__proto__", "1"]]);
  assertEquals(Object.getPrototypeOf(order.env), null);
});
