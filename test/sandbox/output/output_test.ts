import { assert, assertEquals, assertMatch } from "@std/assert";
import * as fc from "fast-check";
import { stripControls } from "../../../src/core/support/text.ts";
import { type Captured, type CaptureOptions, openCapture } from "../../../src/sandbox/output/output.ts";
import { until } from "../../helpers/until.ts";

const encoder = new TextEncoder();

function withFolder<T>(work: (folder: string) => T): T {
  const folder = Deno.makeTempDirSync();
  const clean = (): void => Deno.removeSync(folder, { recursive: true });
  try {
    const result = work(folder);
    if (result instanceof Promise) return result.finally(clean) as T; // the same promise, with an end
    clean();
    return result;
  } catch (error) {
    clean();
    throw error;
  }
}

function capture(
  chunks: readonly Uint8Array<ArrayBuffer>[],
  options: Partial<CaptureOptions> & { folder: string },
): Captured {
  const opened = openCapture({ maxBytes: 51_200, maxLines: 2_000, ...options });
  for (const chunk of chunks) opened.write(chunk);
  return opened.finish();
}

Deno.test("openCapture() gives short output whole and makes no file", () =>
  withFolder((folder) => {
    assertEquals(capture([encoder.encode("one\n"), encoder.encode("two")], { folder }), {
      output: "one\ntwo",
      totalLines: 2,
      totalBytes: 7,
      notes: [],
    });
    assertEquals([...Deno.readDirSync(folder)], []);
  }));

Deno.test("openCapture() keeps the newest lines and stores all of them, readable by the owner alone", () =>
  withFolder((folder) => {
    const lines = Array.from({ length: 2_500 }, (_, i) => `line ${i + 1}\n`);
    const { fullOutputPath, ...rest } = capture(lines.map((line) => encoder.encode(line)), { folder });
    assertEquals(rest, {
      output: lines.slice(500).join(""),
      totalLines: 2_500,
      totalBytes: lines.join("").length,
      truncatedBy: "lines",
      notes: [],
    });
    assertMatch(fullOutputPath ?? "", /\/bash-[0-9a-f]{16}\.log$/);
    assertEquals(Deno.readTextFileSync(fullOutputPath ?? ""), lines.join(""));
    assertEquals((Deno.statSync(fullOutputPath ?? "").mode ?? 0) & 0o777, 0o600);
  }));

Deno.test("openCapture() keeps whole lines within the bytes", () =>
  withFolder((folder) => {
    const { output, truncatedBy } = capture([encoder.encode("x".repeat(60) + "\n" + "y".repeat(50) + "\nz\n")], {
      folder,
      maxBytes: 64,
    });
    assertEquals({ output, truncatedBy }, { output: "y".repeat(50) + "\nz\n", truncatedBy: "bytes" });
  }));

Deno.test("openCapture() keeps the end of a line that is too long, cut between characters", () =>
  withFolder((folder) => {
    const { output, truncatedBy, totalLines } = capture([encoder.encode("é".repeat(100))], { folder, maxBytes: 51 });
    assertEquals({ output, truncatedBy, totalLines }, { output: "é".repeat(25), truncatedBy: "bytes", totalLines: 1 });
  }));

Deno.test("openCapture() decodes and strips what is cut anywhere, in the text and in the file", () => {
  const part = fc.constantFrom("plain ", "é", "😀", "\x1b[31m", "\x1b]0;t\x07", "\r\n", "\n", "\x9b1m", "\u202e", "\0");
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 60 }),
      fc.array(fc.nat(40), { minLength: 1, maxLength: 8 }),
      (parts, cuts) => {
        withFolder((folder) => {
          const whole = encoder.encode(parts.join(""));
          const chunks: Uint8Array<ArrayBuffer>[] = [];
          for (let at = 0, i = 0; at < whole.length; i++) {
            const size = 1 + (cuts[i % cuts.length] ?? 0);
            chunks.push(whole.slice(at, at + size));
            at += size;
          }
          const expected = stripControls(parts.join(""));
          const all = capture(chunks, { folder });
          assertEquals(all.output, expected);
          const cut = capture(chunks, { folder, maxBytes: 16 });
          const stored = cut.fullOutputPath === undefined ? cut.output : Deno.readTextFileSync(cut.fullOutputPath);
          assertEquals(stored, expected);
          assertEquals(expected.endsWith(cut.output), true);
          assertEquals(cut.totalBytes, encoder.encode(expected).length);
        });
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("openCapture() replaces bytes that are no UTF-8", () =>
  withFolder((folder) => {
    assertEquals(capture([new Uint8Array([97, 0xff, 98, 0xc3])], { folder }).output, "a\ufffdb\ufffd");
  }));

Deno.test("openCapture() stops the file at its cap and says so", () =>
  withFolder((folder) => {
    const { fullOutputPath, notes } = capture(Array.from({ length: 10 }, () => encoder.encode("0123456789")), {
      folder,
      maxBytes: 20,
      spillBytes: 64,
    });
    assertEquals(Deno.statSync(fullOutputPath ?? "").size, 64);
    assertEquals(notes, ["The file holds only the first 64B of the output."]);
  }));

Deno.test("openCapture() still gives the newest output when the file cannot be made", () =>
  withFolder((folder) => {
    const result = capture([encoder.encode("a\n".repeat(50))], { folder: folder + "/missing", maxBytes: 20 });
    assertEquals(result.output, "a\n".repeat(10));
    assertEquals(result.fullOutputPath, undefined);
    assertMatch(result.notes.join(), /could not be stored/);
  }));

Deno.test("openCapture() shows the newest output now and then, and never after its end", () =>
  withFolder(async (folder) => {
    const seen: string[] = [];
    const opened = openCapture({
      maxBytes: 51_200,
      maxLines: 2_000,
      folder,
      tailEveryMs: 20,
      onTail: (tail) => seen.push(tail),
    });
    const begin = performance.now();
    let writes = 0;
    const write = (): void => opened.write(encoder.encode(`${++writes}\n`));
    write();
    write();
    await until(() => (write(), seen.length >= 5));
    opened.finish();
    const most = (performance.now() - begin) / 20 + 1;
    const shown = seen.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    assertEquals(seen.length, shown);
    assert(shown <= most, `${shown} updates for ${writes} writes`);
    assertMatch(seen[0] ?? "", /^1\n2\n/);
  }));

for (const [name, text] of [["plain", "some line of output\n"], ["coloured", "\x1b[32mgrün\x1b[0m line\n"]] as const) {
  Deno.test(`openCapture() takes a flood of ${name} output in bounded memory and little time`, () =>
    withFolder((folder) => {
      const chunk = encoder.encode(text.repeat(Math.floor(65_536 / text.length)));
      const opened = openCapture({ maxBytes: 51_200, maxLines: 2_000, folder, spillBytes: 1_048_576 });
      const before = Deno.memoryUsage().rss;
      const begin = performance.now();
      for (let i = 0; i < 15 * 16; i++) opened.write(chunk);
      const { output, totalBytes } = opened.finish();
      const ms = performance.now() - begin;
      assert(totalBytes > 9e6 && output.length <= 51_200);
      assert(ms < 20_000, `${ms} ms`);
      assert(Deno.memoryUsage().rss - before < 64e6, `${(Deno.memoryUsage().rss - before) / 1e6} MB more`);
    }));
}

Deno.test("openCapture() keeps a flood of tiny pieces in bounded memory", () =>
  withFolder((folder) => {
    const opened = openCapture({ maxBytes: 51_200, maxLines: 2_000, folder });
    // A pipe hands every piece over in a buffer of its own, far larger than the piece.
    for (let i = 0; i < 20_000; i++) opened.write(new Uint8Array(65_536).fill(97).subarray(0, 2));
    assertEquals(opened.finish().totalBytes, 40_000);
  }));

Deno.test("openCapture() shows progress as one line, while it goes on and at the end, wherever it is cut", () =>
  withFolder(async (folder) => {
    const tails: string[] = [];
    const opened = openCapture({
      maxBytes: 51_200,
      maxLines: 2_000,
      folder,
      onTail: (tail) => tails.push(tail),
      tailEveryMs: 1,
    });
    const pieces = ["begun\n10%", "\r50", "%\r\x1b[3", "2m\x1b[K7", "5%"];
    for (const piece of pieces) opened.write(encoder.encode(piece));
    await until(() => tails.at(-1) === "begun\n75%");
    opened.write(encoder.encode("\r100%\r\ndone\n"));
    const { output, totalLines } = opened.finish();
    assertEquals({ output, totalLines }, { output: "begun\n100%\ndone\n", totalLines: 3 });
  }));
