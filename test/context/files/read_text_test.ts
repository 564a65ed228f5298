import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { readText } from "../../../src/context/files/read_text.ts";
import { inFolder } from "../world.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const CASES: readonly {
  readonly name: string;
  readonly content: Uint8Array;
  readonly text?: string;
  readonly note?: string;
}[] = [
  { name: "plain text", content: bytes("hé\n"), text: "hé\n" },
  { name: "nothing", content: bytes(""), text: "" },
  { name: "a byte order mark", content: new Uint8Array([0xef, 0xbb, 0xbf, 0x61]), text: "a" },
  { name: "CRLF, which the compiler normalises", content: bytes("a\r\nb"), text: "a\r\nb" },
  { name: "invalid UTF-8", content: new Uint8Array([0x61, 0xff, 0x62]), note: "UTF-8" },
  { name: "UTF-16", content: new Uint8Array([0xff, 0xfe, 0x61, 0x00]), note: "UTF-8" },
  { name: "NUL", content: bytes("a\0b"), note: "NUL" },
];
for (const { name, content, text, note } of CASES) {
  Deno.test(`readText() R348 ${text === undefined ? "refuses" : "reads"} ${name}`, () =>
    inFolder({ file: content }, (root) => {
      const read = readText(join(root, "file"));
      if (read.status === "loaded") assertEquals(read.text, text);
      else assertStringIncludes("note" in read ? read.note : "", note ?? "no note expected");
      assertEquals(read.status, text === undefined ? "read_error" : "loaded");
    }));
}

Deno.test("readText() reads the start of 100 GB, whole characters only, and tells the size", () =>
  inFolder({ file: "🙂".repeat(10) }, (root) => {
    const path = join(root, "file");
    Deno.truncateSync(path, 100 * 1024 ** 3);
    const began = performance.now();
    const read = readText(path, 18);
    assert(performance.now() - began < 10_000);
    assertEquals(read, {
      status: "loaded",
      text: "🙂".repeat(4),
      note: "It has 107374182400 bytes, of which the first 18 were read",
    });
  }));

Deno.test("readText() opens neither folders nor devices nor pipes", () =>
  inFolder({ "folder/": "" }, (root) => {
    assertEquals(readText(join(root, "folder")).status, "not_a_file");
    assertEquals(readText("/dev/zero").status, "not_a_file");
    const made = new Deno.Command("mkfifo", { args: [join(root, "pipe")] }).outputSync();
    assert(made.success);
    assertEquals(readText(join(root, "pipe")).status, "not_a_file");
  }));

Deno.test("readText() R347 tells what is missing from what cannot be read", () =>
  inFolder({ file: "x" }, (root) => {
    assertEquals(readText(join(root, "none")).status, "missing");
    assertEquals(readText(join(root, "file/below")).status, "missing");
    Deno.symlinkSync("loop", join(root, "loop"));
    assertEquals(readText(join(root, "loop")).status, "read_error");
    assertEquals(readText("a\0b").status, "read_error");
    assertEquals(readText("/" + "x/".repeat(3000)).status, "read_error");
  }));

Deno.test("readText() reads files of any size one after the other, whole characters only", () =>
  inFolder({}, (root) => {
    const sizes = [0, 1, 4096, 64 * 1024 - 1, 64 * 1024, 64 * 1024 + 1, 300_000, 5];
    const texts = sizes.map((size, at) => "äbc€".repeat(size / 4).slice(0, size) + at);
    texts.forEach((text, at) => Deno.writeTextFileSync(join(root, `${at}`), text));
    assertEquals(
      texts.map((_, at) => readText(join(root, `${at}`))),
      texts.map((text) => ({ status: "loaded" as const, text })),
    );
    // The end of the part that is read lies at every place of a character once.
    const whole = "€ä😀".repeat(10);
    Deno.writeTextFileSync(join(root, "cut"), whole);
    for (let bytes = 1; bytes < 40; bytes++) {
      const read = readText(join(root, "cut"), bytes);
      const left = new TextEncoder().encode(read.status === "loaded" ? read.text : "").length;
      assertEquals([read.status, whole.startsWith(read.status === "loaded" ? read.text : "?")], ["loaded", true]);
      assert(bytes - left >= 0 && bytes - left < 4);
    }
  }));
