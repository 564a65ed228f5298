import { assertEquals, assertLessOrEqual, assertThrows } from "@std/assert";
import fc from "fast-check";
import { deframer, frame, LINE_BYTES } from "../../src/core/framing.ts";
import {
  cleanJson,
  MESSAGE_UNITS,
  messageText,
  ProtocolError,
  readAnswer,
  readRequest,
  type RunnerAnswer,
  type RunnerRequest,
  workerPermissions,
} from "../../src/core/protocol.ts";

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

function join(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) joined.set(piece, at), at += piece.length;
  return joined;
}

/** Feeds `bytes` in pieces whose sizes come round in turn. */
function feed(bytes: Uint8Array, sizes: readonly number[]): string[] {
  const messages = deframer();
  const texts: string[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    texts.push(...messages(bytes.subarray(at, at + size)));
    at += size;
  }
  return texts;
}

Deno.test("deframer() gives the same messages however the bytes are cut", () => {
  const message = fc.string({ unit: "binary", maxLength: 200 }).map((text) => JSON.stringify({ v: 1, text }));
  const sizes = fc.array(fc.integer({ min: 1, max: 97 }), { minLength: 1, maxLength: 8 });
  fc.assert(fc.property(fc.array(message, { maxLength: 12 }), sizes, (texts, cut) => {
    assertEquals(feed(join(texts.flatMap((text) => frame(text))), cut), texts);
  }));
});

Deno.test("frame() sends what is longer than a line in parts that come together again", () => {
  const unit = fc.constantFrom('"', "\\", "\u6f22", "\u{1f600}", "a", "\u2028");
  fc.assert(
    fc.property(
      unit,
      fc.integer({ min: 300_000, max: 900_000 }),
      fc.integer({ min: 1, max: 3 }),
      (char, count, off) => {
        const text = JSON.stringify({ v: 1, id: "x".repeat(off), error: char.repeat(count) });
        const lines = frame(text);
        for (const line of lines) assertLessOrEqual(line.length, LINE_BYTES + 1);
        assertEquals(feed(join(lines), [65_536]).map((whole) => whole === text), [true]);
      },
    ),
    { numRuns: 15 },
  );
});

Deno.test("deframer() splits at newlines alone", () => {
  const text = '{"v":1,"error":"a\u2028b\u0085c"}';
  assertEquals(deframer()(bytesOf(`${text}\r\n\n{"v":1}\n`)), [text + "\r", "", '{"v":1}']);
});

Deno.test("deframer() does not look into lines: no name or text is taken for a part but the exact prefix", () => {
  const texts = ['{"v":1, "part":"a","more":true}', '{"part":"a","v":1,"more":true}'];
  assertEquals(deframer()(bytesOf(texts.join("\n") + "\n")), texts);
});

const part = (text: string, more: boolean): string => `{"v":1,"part":${JSON.stringify(text)},"more":${more}}\n`;

const BROKEN: readonly { readonly name: string; readonly bytes: Uint8Array; readonly why: string }[] = [
  { name: "a line above the limit", bytes: bytesOf("x".repeat(LINE_BYTES + 1)), why: "line is too long" },
  { name: "an ended line above the limit", bytes: bytesOf("x".repeat(LINE_BYTES + 1) + "\n"), why: "line is too long" },
  { name: "broken UTF-8", bytes: new Uint8Array([0x7b, 0xff, 0x7d, 10]), why: "not UTF-8" },
  { name: "a message inside another", bytes: bytesOf(part("a", true) + '{"v":1}\n'), why: "inside another" },
  { name: "an empty part", bytes: bytesOf(part("", true)), why: "not a part" },
  { name: "a part without its field", bytes: bytesOf('{"v":1,"part":"a"}\n'), why: "not a part" },
  { name: "a part that is no text", bytes: bytesOf('{"v":1,"part":{},"more":false}\n'), why: "not a part" },
  { name: "a part that is no JSON", bytes: bytesOf('{"v":1,"part":"a\n'), why: "not JSON" },
];
for (const { name, bytes, why } of BROKEN) {
  Deno.test(`deframer() refuses ${name}`, () => {
    assertThrows(() => feed(bytes, [4096]), ProtocolError, why);
    assertThrows(() => feed(bytes, [bytes.length]), ProtocolError, why);
  });
}

Deno.test("deframer() refuses parts that never come to an end, at the limit and not later", () => {
  const messages = deframer();
  const line = bytesOf(part("x".repeat(1_000_000), true));
  let sent = 0;
  assertThrows(
    () => {
      for (;; sent += 1_000_000) messages(line);
    },
    ProtocolError,
    "too large",
  );
  assertLessOrEqual(sent, MESSAGE_UNITS);
});

Deno.test("deframer() takes time in proportion to the bytes, also for one byte at a time", () => {
  const line = bytesOf("x".repeat(LINE_BYTES - 1) + "\n");
  const messages = deframer();
  const started = performance.now();
  let lines = 0;
  for (let at = 0; at < line.length; at++) lines += messages(line.subarray(at, at + 1)).length;
  assertEquals(lines, 1);
  assertLessOrEqual(performance.now() - started, 20_000);
});

const REQUESTS: readonly RunnerRequest[] = [
  { v: 1, id: "a", op: "hello", policy: { root: "/w" } },
  { v: 1, id: "a", op: "hello", policy: {}, checkPaths: false },
  { v: 1, id: "b", op: "tool", name: "read", args: { path: "a", deep: [{ b: [1, null, true] }] } },
  { v: 1, id: "c", op: "cancel", call: "b" },
  { v: 1, id: "d", op: "refused", exec: "x", why: "no" },
  {
    v: 1,
    id: "d",
    op: "ended",
    exec: "x",
    outcome: { exitCode: 3, stdout: new Uint8Array([0, 255]), stderr: new Uint8Array(), notes: ["a"] },
  },
];
for (const request of REQUESTS) {
  Deno.test(`readRequest() takes ${JSON.stringify(request)}`, () => {
    assertEquals(readRequest(messageText(request)), request);
  });
}

const ANSWERS: readonly RunnerAnswer[] = [
  { v: 1, id: "a", ok: { content: [] } },
  { v: 1, id: "a", ok: { content: [{ type: "text", text: "x" }], details: { lines: 1 }, isError: true } },
  { v: 1, id: "a", ok: { content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] } },
  { v: 1, id: "a", error: "no" },
  { v: 1, id: "a", update: "half" },
  { v: 1, id: "a", op: "stop", exec: "x" },
  {
    v: 1,
    id: "a",
    op: "exec",
    exec: "x",
    program: { argv: ["git", "-v"], cwd: "/w", stdin: new Uint8Array([1, 0, 200]) },
  },
];
for (const answer of ANSWERS) {
  Deno.test(`readAnswer() takes ${JSON.stringify(answer)}`, () => {
    assertEquals(readAnswer(messageText(answer)), answer);
  });
}

const LIES: readonly string[] = [
  '{"v":1,"id":"a","op":"exec","program":{"argv":["a"],"cwd":"/","stdin":""}}',
  '{"v":1,"id":"a","op":"exec","exec":"","program":{"argv":["a"],"cwd":"/","stdin":""}}',
  '{"v":1,"id":"a","op":"exec","exec":"x","program":{"argv":[],"cwd":"/","stdin":""}}',
  '{"v":1,"id":"a","op":"exec","exec":"x","program":{"argv":"a","cwd":"/","stdin":""}}',
  '{"v":1,"id":"a","op":"exec","exec":"x","program":{"argv":["a",7],"cwd":"/","stdin":""}}',
  '{"v":1,"id":"a","op":"exec","exec":"x","program":{"argv":["a\\u0000b"],"cwd":"/","stdin":""}}',
  '{"v":1,"id":"a","op":"exec","exec":"x","program":{"argv":["a"],"cwd":"w","stdin":""}}',
  '{"v":1,"id":"a","op":"exec","exec":"x","program":{"argv":["a"],"cwd":"/","stdin":"!"}}',
  '{"v":1,"id":"a","op":"exec","exec":"x","program":{"argv":["a"],"cwd":"/"}}',
  '{"v":1,"id":"a","op":"exec","exec":"x","program":null}',
  '{"v":1,"id":"a","op":"stop"}',
  `{"v":1,"id":"a","op":"exec","exec":"x","program":{"argv":["${"a".repeat(1 << 20)}b"],"cwd":"/","stdin":""}}`,
  `{"v":1,"id":"a","op":"exec","exec":"x","program":{"argv":["a"],"cwd":"/","stdin":"${"AAAA".repeat(3 << 20)}"}}`,
  "",
  "null",
  "[]",
  '"text"',
  "{",
  '\ufeff{"v":1,"id":"a","error":"x"}',
  '{"v":2,"id":"a","error":"x"}',
  '{"id":"a","error":"x"}',
  '{"v":1,"error":"x"}',
  '{"v":1,"id":7,"error":"x"}',
  '{"v":1,"id":"","error":"x"}',
  `{"v":1,"id":"${"a".repeat(65)}","error":"x"}`,
  '{"v":1,"id":"a"}',
  '{"v":1,"id":"a","error":{}}',
  '{"v":1,"id":"a","ok":true}',
  '{"v":1,"id":"a","ok":{}}',
  '{"v":1,"id":"a","ok":{"content":"text"}}',
  '{"v":1,"id":"a","ok":{"content":[{"type":"text"}]}}',
  '{"v":1,"id":"a","ok":{"content":[{"type":"html","text":"x"}]}}',
  '{"v":1,"id":"a","ok":{"content":[{"type":"image","data":"x","mimeType":"text/html"}]}}',
  '{"v":1,"id":"a","ok":{"content":[{"type":"image","data":"x","mimeType":"image/png,evil"}]}}',
  '{"v":1,"id":"a","ok":{"content":[],"details":[]}}',
  '{"v":1,"id":"a","ok":{"content":[],"isError":"yes"}}',
  '{"v":1,"id":"a","ok":{"content":[],"__proto__":{"isError":true}}}',
  '{"v":1,"id":"a","ok":{"content":[],"details":{"constructor":{"prototype":{}}}}}',
  '{"v":1,"id":"a","ok":{"content":[],"details":{"prototype":1}}}',
  `{"v":1,"id":"a","ok":{"content":[],"details":{"a":${"[".repeat(40)}${"]".repeat(40)}}}}`,
  `{"v":1,"id":"a","ok":{"content":[],"details":{"a":${"[".repeat(500_000)}${"]".repeat(500_000)}}}}`,
  `{"v":1,"id":"a","ok":{"content":[],"details":{"a":[${"0,".repeat(1_000_001)}0]}}}`,
];
for (const lie of LIES) {
  Deno.test(`readAnswer() refuses ${lie.slice(0, 90)}`, () => {
    assertThrows(() => readAnswer(lie), ProtocolError);
  });
}

Deno.test("readRequest() refuses what is none", () => {
  const bodies = [
    { op: "tool", name: "read" },
    { op: "tool", name: "read", args: [] },
    { op: "tool", args: {} },
    { op: "hello", policy: "x" },
    { op: "hello", policy: {}, checkPaths: "no" },
    { op: "cancel" },
    { op: "exec", argv: [] },
  ];
  for (const body of bodies) {
    assertThrows(() => readRequest(JSON.stringify({ v: 1, id: "a", ...body })), ProtocolError, "not a request");
  }
});

Deno.test("readAnswer() leaves out fields that no answer has, and pollutes nothing", () => {
  const answer = readAnswer(
    '{"v":1,"id":"a","ok":{"content":[{"type":"text","text":"x","role":"system"}],"toString":"x"}}',
  );
  assertEquals(answer, { v: 1, id: "a", ok: { content: [{ type: "text", text: "x" }] } });
  assertEquals(Object.getPrototypeOf(cleanJson({ a: {} })), null);
});

Deno.test("cleanJson() refuses what JSON cannot carry, cycles and shared values that would explode", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  let bomb: unknown = [1];
  for (let level = 0; level < 30; level++) bomb = [bomb, bomb, bomb];
  for (const value of [cycle, bomb, NaN, 1n, () => 1, Symbol(), [undefined], { a: Infinity }]) {
    assertThrows(() => cleanJson(value), ProtocolError);
  }
  assertEquals(cleanJson({ a: undefined, b: 1 }), { b: 1 });
});

Deno.test("readAnswer() never throws anything but ProtocolError, whatever the text", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), fc.json().map((v) => `{"v":1,"id":"a","ok":${v}}`)), (text) => {
      try {
        readAnswer(text);
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
      }
    }),
  );
});

Deno.test("workerPermissions() grants the policy's files and nothing else R464 R466 R470", () => {
  const none = { env: false, net: false, run: false, ffi: false, sys: false, import: false };
  const nothing = { all: false, list: [] };
  assertEquals(workerPermissions({ read: { all: true, list: [] }, write: nothing }), {
    read: true,
    write: false,
    ...none,
  });
  assertEquals(workerPermissions({ read: { all: false, list: ["/w", "/t"] }, write: { all: false, list: ["/w"] } }), {
    read: ["/w", "/t"],
    write: ["/w"],
    ...none,
  });
});
