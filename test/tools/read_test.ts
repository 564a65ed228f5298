import { assertEquals, assertStringIncludes } from "@std/assert";
import { read } from "../../tools/read.ts";
import { contextOf, run, textOfRun, world } from "../runner/workspace.ts";
import { cpuMs } from "../helpers/cpu.ts";

type Bytes = Uint8Array<ArrayBuffer>;
const utf8 = (text: string): Bytes => new TextEncoder().encode(text);
const lines = (count: number, width = 0): string =>
  Array.from({ length: count }, (_, i) => `line ${i + 1}${"x".repeat(width)}\n`).join("");

const CASES: readonly { name: string; content: string | number[]; args?: object; text: string; hasShell?: boolean }[] =
  [
    { name: "a whole file", content: "a\nb\n", text: "a\nb" },
    { name: "a file without a last newline", content: "a\nb", text: "a\nb" },
    { name: "an empty file", content: "", text: "(empty file)" },
    { name: "a file of one newline", content: "\n", text: "" },
    { name: "from an offset", content: "a\nb\nc\n", args: { offset: 2 }, text: "b\nc" },
    { name: "offset 0 as 1", content: "a\nb\n", args: { offset: 0 }, text: "a\nb" },
    {
      name: "a limit",
      content: "a\nb\nc\n",
      args: { limit: 2 },
      text: "a\nb\n\n[1 more lines in file. Use offset=3 to continue.]",
    },
    { name: "a limit that is exactly enough", content: "a\nb\n", args: { limit: 2 }, text: "a\nb" },
    {
      name: "offset and limit",
      content: "a\nb\nc\n",
      args: { offset: 2, limit: 1 },
      text: "b\n\n[1 more lines in file. Use offset=3 to continue.]",
    },
    {
      name: "an offset beyond the end",
      content: "a\nb\n",
      args: { offset: 3 },
      text: "error: Offset 3 is beyond end of file (2 lines total)",
    },
    { name: "CRLF", content: "a\r\nb\r\n", text: "a\nb" },
    { name: "a byte order mark", content: "\ufeffa\n", text: "a" },
    { name: "exactly 2000 lines without a notice", content: "x\n".repeat(2000), text: "x\n".repeat(2000).trimEnd() },
    {
      name: "2500 lines, the trailing newline not counted",
      content: lines(2500),
      text: lines(2000).trimEnd() + "\n\n[Showing lines 1-2000 of 2500. Use offset=2001 to continue.]",
    },
    {
      name: "more than 50KB",
      content: lines(1000, 100),
      args: { offset: 101 },
      text: lines(577, 100).split("\n").slice(100, 569).join("\n") +
        "\n\n[Showing lines 101-569 of 1000 (50.0KB limit). Use offset=570 to continue.]",
    },
    {
      name: "a line beyond the limit, with a shell",
      content: "a\n" + "x".repeat(60_000) + "\nb\n",
      args: { offset: 2 },
      hasShell: true,
      text: "[Line 2 is 58.6KB, exceeds 50.0KB limit. Use bash: sed -n '2p' 'f' | head -c 51200]",
    },
    {
      name: "a line beyond the limit, without a shell",
      content: "a\n" + "\u00e9".repeat(30_000) + "\nb\n",
      args: { offset: 2 },
      text: "\u00e9".repeat(25_600) +
        "\n\n[Line 2 is 58.6KB; only its first 50.0KB are shown. Use offset=3 for the next line.]",
    },
    {
      name: "bytes that are no UTF-8",
      content: [...utf8("a long enough line of caf"), 0xe9, 0x0a],
      text:
        "a long enough line of caf\ufffd\n\n[Bytes that are not UTF-8 are shown as \ufffd; edit keeps them as they are.]",
    },
    {
      name: "terminal controls",
      content: "a \x1b[31mred\x1b[0m line \u202e of text\rb\n",
      text: "a \u241b[31mred\u241b[0m line <U+202E> of text\u240db\n\n" +
        "[Control characters are shown as symbols, such as \u241b for ESC; edit takes them.]",
    },
    {
      name: "a program",
      content: [0x7f, 0x45, 0x4c, 0x46, 0, 1],
      text:
        "f is a binary file (ELF program or library, 6B) and not shown as text. Inspect it with a program made for its type",
    },
    {
      name: "unknown bytes",
      content: [1, 2, 0, 3],
      text: "f is a binary file (unknown type, 4B) and not shown as text. Inspect it with a program made for its type",
    },
    {
      name: "UTF-16",
      content: [0xff, 0xfe, 0x61, 0, 0x0a, 0, 0x62, 0],
      text: "a\nb\n\n[The file is UTF-16; edit works on UTF-8 only.]",
    },
  ];

for (const { name, content, args, text, hasShell } of CASES) {
  Deno.test(`read shows ${name} R451`, async () => {
    using w = world(() => hasShell ? { run: { all: true, list: [] } } : {});
    Deno.writeFileSync(`${w.root}/f`, typeof content === "string" ? utf8(content) : new Uint8Array(content));
    assertEquals(await textOfRun(read, { path: "f", ...args }, contextOf(w.policy)), text);
  });
}

Deno.test("read tells by details what it cut", async () => {
  using w = world();
  Deno.writeTextFileSync(`${w.root}/f`, lines(2001));
  const { details } = await read.run({ path: "f" }, contextOf(w.policy));
  const { length } = lines(2000);
  assertEquals(details, {
    truncation: {
      truncated: true,
      truncatedBy: "lines",
      totalLines: 2001,
      outputLines: 2000,
      outputBytes: length - 1,
      firstLineExceedsLimit: false,
      maxLines: 2000,
      maxBytes: 51200,
    },
  });
});

const IMAGES = [
  { mimeType: "image/png", bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0] },
  { mimeType: "image/jpeg", bytes: [0xff, 0xd8, 0xff, 0xe0] },
  { mimeType: "image/gif", bytes: [...utf8("GIF89a")] },
  { mimeType: "image/webp", bytes: [...utf8("RIFF\0\0\0\0WEBP")] },
];
for (const { mimeType, bytes } of IMAGES) {
  Deno.test(`read gives ${mimeType} as an image, whatever its name`, async () => {
    using w = world();
    const image = new Uint8Array(100_000);
    image.set(bytes);
    Deno.writeFileSync(`${w.root}/f.txt`, image);
    const { content } = await read.run({ path: "f.txt" }, contextOf(w.policy));
    const [note, picture] = content;
    assertEquals(note, { type: "text", text: `Read image file [${mimeType}]` });
    if (picture?.type !== "image") throw new Error("no image");
    assertEquals(picture.mimeType, mimeType);
    assertEquals(Uint8Array.from(atob(picture.data), (unit) => unit.charCodeAt(0)), image);
  });
}

Deno.test("read a picture that is too large is a sentence", async () => {
  using w = world();
  const image = new Uint8Array(4_000_000);
  image.set(IMAGES[0]?.bytes ?? []);
  Deno.writeFileSync(`${w.root}/f.png`, image);
  assertStringIncludes(
    await textOfRun(read, { path: "f.png" }, contextOf(w.policy)),
    "is an image (image/png, 3.8MB), larger",
  );
});

Deno.test("read a sparse file of 300 GB, a FIFO and /dev/zero end at once", async () => {
  using w = world();
  Deno.writeTextFileSync(`${w.root}/sparse`, "start\n");
  Deno.truncateSync(`${w.root}/sparse`, 300 * 1024 ** 3);
  run("mkfifo", `${w.root}/fifo`);
  const context = contextOf(w.policy);
  const start = cpuMs();
  assertStringIncludes(
    await textOfRun(read, { path: "sparse" }, context),
    "is a binary file (unknown type, 307200.0MB)",
  );
  assertStringIncludes(await textOfRun(read, { path: "fifo" }, context), "is a FIFO");
  assertStringIncludes(await textOfRun(read, { path: "/dev/zero" }, context), "Denied");
  assertEquals(cpuMs() - start < 20_000, true);
});

Deno.test("read a text of 300 MB: counting ends early and says so, memory stays bounded", async () => {
  using w = world();
  // Text at the front, then a hole: what is behind the limit is never looked at.
  Deno.writeTextFileSync(`${w.root}/log`, lines(5000, 100));
  Deno.truncateSync(`${w.root}/log`, 300 * 1024 ** 2);
  const context = contextOf(w.policy);
  const before = Deno.memoryUsage().rss;
  assertStringIncludes(
    await textOfRun(read, { path: "log", offset: 4990, limit: 2 }, context),
    "[more than 10 more lines in file. Use offset=4992 to continue.]",
  );
  assertEquals(
    await textOfRun(read, { path: "log", offset: 9000 }, context),
    "error: Line 9000 lies beyond the first 256.0MB of log (300.0MB), where reading by lines ends. " +
      "Use a command that seeks, such as tail -c",
  );
  assertEquals(Deno.memoryUsage().rss - before < 150 * 1024 ** 2, true);
});

Deno.test("read ends when it is aborted", async () => {
  using w = world();
  Deno.writeTextFileSync(`${w.root}/log`, lines(5000, 100));
  Deno.truncateSync(`${w.root}/log`, 250 * 1024 ** 2);
  const ending = new AbortController();
  const outcome = textOfRun(read, { path: "log", offset: 5000 }, { ...contextOf(w.policy), signal: ending.signal });
  setTimeout(() => ending.abort(), 1);
  assertEquals(await outcome, "error: Operation aborted");
});
