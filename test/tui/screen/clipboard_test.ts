import { assertEquals } from "@std/assert";
import { clipboardReader, clipboardSequence } from "../../../src/tui/screen/clipboard.ts";

const ST = "\x1b\\";
const answer = (status: string, payload = "") => `\x1b]5522;type=read:status=${status}${payload}${ST}`;
const data = (text: string) => answer("DATA:mime=aW1hZ2UvcG5n", `;${btoa(text)}`);

function opened() {
  const written: string[] = [];
  const keys: string[] = [];
  return { written, keys, reader: clipboardReader((text) => keys.push(text), (text) => written.push(text)) };
}

const text = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes);

Deno.test("clipboardReader() puts a picture together, however it is cut, and hands keys on", async () => {
  for (const size of [1, 7, 1000]) {
    const { written, keys, reader } = opened();
    const picture = reader.read();
    const said = `a\x1b[?5522;2$yb${answer("OK")}${data("pic")}c${data("ture")}${answer("DONE")}d`;
    // The terminal's own order: nothing but keys may be cut right behind an ESC, which would be a key.
    const pieces = size === 1 ? said.replaceAll("\x1b", "\0\x1b").split("\0").flatMap(cutBehindTwo) : cut(said, size);
    for (const piece of pieces) reader.push(piece);
    assertEquals(text(await picture), "picture");
    assertEquals(keys.join(""), "abcd");
    assertEquals(written, ["\x1b[?5522$p", `\x1b]5522;type=read;${btoa("image/png")}${ST}`]);
  }
});

Deno.test("clipboardReader() gives nothing where the terminal knows no such question, forbids it or sends no base64", async () => {
  const known = "\x1b[?5522;2$y";
  for (
    const said of ["\x1b[?5522;0$y", `${known}${answer("EPERM")}`, `${known}${answer("DATA", ";***")}${answer("DONE")}`]
  ) {
    const { keys, reader } = opened();
    const picture = reader.read();
    reader.push(said);
    assertEquals([await picture, keys], [undefined, []]);
  }
});

Deno.test("clipboardReader() ends where nothing answers, and takes a late answer for no keys", async () => {
  const { keys, reader } = opened();
  assertEquals(await reader.read(), undefined);
  reader.push(`x${answer("OK")}${data("late")}\x1b`);
  assertEquals(keys, ["x\x1b"]);
});

Deno.test("clipboardReader() ends a picture that is too large to be sent", async () => {
  const { reader } = opened();
  const picture = reader.read();
  reader.push("\x1b[?5522;2$y");
  for (let sent = 0; sent < 7_000_000; sent += 1_000_000) reader.push(data("x".repeat(1_000_000)));
  assertEquals(await picture, undefined);
});

Deno.test("clipboardSequence() carries any text", () => {
  assertEquals(clipboardSequence("é\x07"), "\x1b]52;c;w6kH\x07");
});

function cut(said: string, size: number): string[] {
  // As a pipe does, but not right behind an ESC.
  const pieces: string[] = [];
  for (let at = 0; at < said.length;) {
    let end = Math.min(said.length, at + size);
    if (said[end - 1] === "\x1b") end++;
    pieces.push(said.slice(at, end));
    at = end;
  }
  return pieces;
}

function cutBehindTwo(piece: string): string[] {
  return piece.startsWith("\x1b") ? [piece.slice(0, 2), ...piece.slice(2)] : [...piece];
}
