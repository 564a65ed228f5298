import { assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import type { Edit } from "../../tools/editing/arguments.ts";
import { edit } from "../../tools/edit.ts";
import { read } from "../../tools/read.ts";
import { contextOf, textOfRun, world } from "../runner/workspace.ts";
import { cpuMs } from "../helpers/cpu.ts";

/** What a file holds after edits, or the error, with the file untouched. Texts are `[old, new]`. */
const CASES: readonly {
  name: string;
  before: string;
  edits: readonly (readonly [string, string])[];
  after?: string;
  error?: string;
}[] = [
  { name: "one exact text", before: "a\nb\nc\n", edits: [["b", "x"]], after: "a\nx\nc\n" },
  { name: "several, out of order", before: "a\nb\nc\n", edits: [["c", "3"], ["a", "1"]], after: "1\nb\n3\n" },
  { name: "all against the original", before: "a b", edits: [["a", "b"], ["b", "a"]], after: "b a" },
  { name: "neighbours that touch", before: "ab", edits: [["a", "1"], ["b", "2"]], after: "12" },
  { name: "a deletion", before: "a\nb\nc\n", edits: [["b\n", ""]], after: "a\nc\n" },
  { name: "a text with replacement patterns", before: "a", edits: [["a", "$& $1 $$"]], after: "$& $1 $$" },
  {
    name: "CRLF kept and given to new lines",
    before: "a\r\nb\r\n",
    edits: [["a\nb", "a\nx\nb2"]],
    after: "a\r\nx\r\nb2\r\n",
  },
  { name: "CRLF in the old text", before: "a\nb\n", edits: [["a\r\nb", "c\r\nd"]], after: "c\nd\n" },
  {
    name: "mixed line ends of untouched lines",
    before: "a\r\nb\nc\r\nd\re\n",
    edits: [["c", "x"]],
    after: "a\r\nb\nx\r\nd\re\n",
  },
  {
    name: "mixed line ends inside the old text",
    before: "a\r\nb\nc\r\nd\n",
    edits: [["a\nb\nc\nd", "a\nb\nX\nd"]],
    after: "a\r\nb\nX\r\nd\n",
  },
  {
    name: "a new line takes the ending of its place",
    before: "a\nb\r\nc\n",
    edits: [["b\n", "b\nnew\n"]],
    after: "a\nb\r\nnew\r\nc\n",
  },
  {
    name: "a new line after the last, which has no end",
    before: "a\r\nb",
    edits: [["b", "b\nc"]],
    after: "a\r\nb\r\nc",
  },
  { name: "a byte order mark kept", before: "\ufeffa\nb\n", edits: [["a\n", "x\n"]], after: "\ufeffx\nb\n" },
  { name: "emoji that share a half", before: "\u{1f600}!", edits: [["\u{1f600}", "\u{1f601}"]], after: "\u{1f601}!" },
  {
    name: "exact beats its look-alike",
    before: "'a'\n\u2018a\u2019\n",
    edits: [["'a'", "x"]],
    after: "x\n\u2018a\u2019\n",
  },
  {
    name: "never half of what was one character",
    before: "of\ufb01ce\n",
    edits: [["off", "X"]],
    error: "Cannot edit f: the old text was not found.",
  },
  {
    name: "controls as read shows them",
    before: "\x1b[31mred\x1b[0m \u241b\n",
    edits: [["\u241b[31mred\u241b[0m", "\u241b[32mgreen\u241b[0m"]],
    after: "\x1b[32mgreen\x1b[0m \u241b\n",
  },
  {
    name: "a lone carriage return as read shows it",
    before: "a\rb\x07\n",
    edits: [["a\u240db", "c"]],
    after: "c\x07\n",
  },
  {
    name: "symbols that are symbols",
    before: "press \u241b\n",
    edits: [["press \u241b", "hit \u241b"]],
    after: "hit \u241b\n",
  },

  {
    name: "a text that is not there R483",
    before: "a\n",
    edits: [["zebra", "x"]],
    error: "Cannot edit f: the old text was not found. Read the file and copy",
  },
  {
    name: "a text that differs in indentation",
    before: "if x:\n    a\n    b\n",
    edits: [["  a\n  b", "c"]],
    error: 'Lines 2-3 differ only in indentation. As JSON it is "    a\\n    b": use exactly that',
  },
  {
    name: "a text that goes on differently",
    before: "a\nbee\nc\nd\n",
    edits: [["bee\nc\nx", "y"]],
    error: "Its first line is there at line 2, but line 4 differs",
  },
  {
    name: "a text that occurs twice R484",
    before: "a\na\n",
    edits: [["a", "x"]],
    error: "Cannot edit f: the old text occurs 2 times. Add surrounding lines until it occurs once",
  },
  { name: "a text that overlaps itself R484", before: "aaa\n", edits: [["aa", "x"]], error: "occurs 2 times" },
  {
    name: "blanks at line ends that differ, and shows what is there R483",
    before: "a  \nb\t\nc  \n",
    edits: [["a\nb\n", "x\ny\n"]],
    error: 'Lines 1-2 differ only in quotes, dashes or blanks. As JSON it is "a  \\nb\\t\\n": use exactly that',
  },
  {
    name: "blanks at the ends of the old text's lines R483",
    before: "a\nb\n",
    edits: [["a  \nb  ", "x\ny"]],
    error: 'As JSON it is "a\\nb"',
  },
  {
    name: "quotes and dashes that only look the same R483",
    before: "say \u201chi\u201d \u2013 it\u2019s\nmore\n",
    edits: [['say "hi" - it\'s', "done"]],
    error:
      "Line 1 has text that differs: the file has left double quotes (U+201C), has right double quotes (U+201D), " +
      "has en dashes (U+2013), has right single quotes (U+2019). As JSON it is " +
      '"say \u201chi\u201d \u2013 it\u2019s": use exactly that',
  },
  { name: "letters of another case R483", before: "Total\n", edits: [["total", "sum"]], error: "was not found" },
  {
    name: "odd spaces R483",
    before: "a\u00a0b\u3000c\n",
    edits: [["a b c", "d"]],
    error: "the file has no-break spaces (U+00A0), has ideographic spaces (U+3000). As JSON it is " +
      String.raw`"a\u00a0b\u3000c": use exactly that`,
  },
  {
    name: "a usual space where the old text has a no-break space R483",
    before: "a b\n",
    edits: [["a\u00a0b", "d"]],
    error: 'the file has no no-break spaces (U+00A0). As JSON it is "a b"',
  },
  {
    name: "accents that the file keeps apart (NFD) R483",
    before: "cafe\u0301\n",
    edits: [["caf\u00e9", "tea"]],
    error: "differs: the file has letters and their accents as separate characters (NFD). As JSON it is " +
      String.raw`"cafe\u0301": use exactly that`,
  },
  {
    name: "accents that the old text keeps apart (NFC in the file) R483",
    before: "caf\u00e9\n",
    edits: [["cafe\u0301", "tea"]],
    error: 'the file has letters with their accents as one character (NFC). As JSON it is "caf\u00e9"',
  },
  {
    name: "compatibility forms R483",
    before: "\uff21\uff22\uff23\uff08\uff11\uff09\n",
    edits: [["ABC(1)", "x"]],
    error: "\uff21\uff22\uff23",
  },
  {
    name: "a near text that is too long to show",
    before: `${"a \n".repeat(1000)}`,
    edits: [["a\n".repeat(900), "x"]],
    error: "read them and copy the text exactly",
  },
  {
    name: "overlapping edits",
    before: "abc\n",
    edits: [["ab", "x"], ["bc", "y"]],
    error: "Cannot edit f: edits[0] and edits[1] overlap. Merge them into one edit",
  },
  {
    name: "overlap told in the order given",
    before: "abc\n",
    edits: [["bc", "y"], ["ab", "x"]],
    error: "edits[0] and edits[1] overlap",
  },
  { name: "an empty old text", before: "a\n", edits: [["", "x"]], error: "the old text is empty" },
  { name: "an old text of blanks that is not there", before: "a\n", edits: [["\t \t", "x"]], error: "was not found" },
  { name: "no edits", before: "a\n", edits: [], error: "edits must hold at least one replacement" },
  { name: "no change", before: "a\n", edits: [["a", "a"]], error: "No changes made to f" },
  {
    name: "one wrong of two changes nothing",
    before: "a\nb\n",
    edits: [["a", "x"], ["z", "y"]],
    error: "edits[1].oldText was not found",
  },
  { name: "an empty file", before: "", edits: [["a", "b"]], error: "was not found" },
];

for (const { name, before, edits, after, error } of CASES) {
  Deno.test(`edit ${error ? "refuses" : "replaces"} ${name}`, async () => {
    using w = world();
    Deno.writeTextFileSync(`${w.root}/f`, before);
    const list: Edit[] = edits.map(([oldText, newText]) => ({ oldText, newText }));
    const text = await textOfRun(edit, { path: "f", edits: list }, contextOf(w.policy));
    if (error) assertStringIncludes(text, error);
    else assertEquals(text, `Successfully replaced ${edits.length} block${edits.length === 1 ? "" : "s"} in f.`);
    assertEquals(
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(Deno.readFileSync(`${w.root}/f`)),
      after ?? before,
    );
    assertEquals([...Deno.readDirSync(w.root)].length, 1);
  });
}

Deno.test("edit: the near match in an error, used as it stands, is the text that is there R483", async () => {
  using w = world();
  const context = contextOf(w.policy);
  const attempt = (oldText: string) => textOfRun(edit, { path: "f", edits: [{ oldText, newText: "x" }] }, context);
  for (const { before, edits: [[old] = [""]] } of CASES.filter(({ error }) => error?.includes('"'))) {
    Deno.writeTextFileSync(`${w.root}/f`, before);
    const [, json = '""'] = /As JSON it is (".*"): use exactly that/.exec(await attempt(old)) ?? [];
    assertStringIncludes(await attempt(JSON.parse(json)), "Successfully replaced");
  }
});

Deno.test("edit leaves every other byte as it is, whatever the file holds", async () => {
  using w = world();
  const context = contextOf(w.policy);
  const byte = fc.oneof(fc.constantFrom(0x0a, 0x0d, 0x20, 0x09, 0x80, 0xc3, 0xa9, 0xef, 0xbb, 0xbf, 0x1b), fc.nat(255));
  const bytes = fc.array(byte, { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(bytes, bytes, fc.constantFrom("\n", "\r\n"), async (front, back, end) => {
      const utf8 = new TextEncoder();
      const marked = (inner: string): Uint8Array<ArrayBuffer> =>
        new Uint8Array([...front, ...utf8.encode(`\n<<${end}${inner}${end}>>${end}`), ...back]);
      // Two bytes that say UTF-16 are another matter.
      fc.pre(!(front[0] === 0xff && front[1] === 0xfe) && !(front[0] === 0xfe && front[1] === 0xff));
      Deno.writeFileSync(`${w.root}/f`, marked("old \u00e9"));
      const edits = [{ oldText: "<<\nold \u00e9\n>>", newText: "<<\nnew \u{1f600}\n>>" }];
      await edit.run({ path: "f", edits }, context);
      assertEquals(Deno.readFileSync(`${w.root}/f`), marked("new \u{1f600}"));
    }),
    { numRuns: 150 },
  );
});

Deno.test("edit refuses UTF-16 and names bytes that are no text", async () => {
  using w = world();
  const context = contextOf(w.policy);
  const attempt = async (bytes: number[], oldText: string): Promise<string> => {
    Deno.writeFileSync(`${w.root}/f`, new Uint8Array(bytes));
    return await textOfRun(edit, { path: "f", edits: [{ oldText, newText: "x" }] }, context);
  };
  assertStringIncludes(await attempt([0xff, 0xfe, 0x61, 0], "a"), "it is UTF-16 text");
  assertStringIncludes(await attempt([0x61, 0xe9, 0x62], "a\ufffdb"), "leave them out of the old text");
  assertEquals(await attempt([0x61, 0xe9, 0x62], "b"), "Successfully replaced 1 block in f.");
  assertEquals(Deno.readFileSync(`${w.root}/f`), new Uint8Array([0x61, 0xe9, 0x78]));
});

Deno.test("edit and read of one file at the same time: no lost update, no empty read", async () => {
  using w = world();
  const context = contextOf(w.policy);
  Deno.writeTextFileSync(`${w.root}/f`, Array.from({ length: 50 }, (_, i) => `line ${i};\n`).join(""));
  Deno.symlinkSync("f", `${w.root}/alias`);
  const texts = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      i % 2 === 0 ? textOfRun(read, { path: "f" }, context) : textOfRun(edit, {
        path: i % 3 ? "f" : "alias",
        edits: [{ oldText: `line ${i >> 1};`, newText: `done ${i >> 1};` }],
      }, context)),
  );
  // Each read sees exactly the edits that were asked for before it.
  for (const [i, text] of texts.entries()) {
    if (i % 2 === 0) assertEquals([text.match(/done/g)?.length ?? 0, text.split("\n").length], [i / 2, 50]);
  }
  assertEquals(Deno.readTextFileSync(`${w.root}/f`).match(/done/g)?.length, 50);
});

Deno.test("edit waits for a read that takes several steps, and the next read for it", async () => {
  using w = world();
  const context = contextOf(w.policy);
  // Each edit turns three bytes far behind into newlines: the size stays, the count of lines tells how many were made.
  Deno.writeTextFileSync(`${w.root}/f`, "text\n".repeat(200_000) + "<1><3><5><7><9>\n");
  const texts = await Promise.all(
    Array.from(
      { length: 10 },
      (_, i) =>
        i % 2 === 0
          ? textOfRun(read, { path: "f", offset: 2, limit: 1 }, context)
          : textOfRun(edit, { path: "f", edits: [{ oldText: `<${i}>`, newText: "\n\n\n" }] }, context),
    ),
  );
  assertEquals(
    texts.filter((_, i) => i % 2 === 0),
    [0, 1, 2, 3, 4].map((edits) => `text\n\n[${199_999 + 3 * edits} more lines in file. Use offset=3 to continue.]`),
  );
});

Deno.test("edit of a small file is quick, a large one stays so", async () => {
  using w = world();
  const context = contextOf(w.policy);
  Deno.writeTextFileSync(`${w.root}/big`, "some line of text\n".repeat(500_000) + "end\n");
  const start = cpuMs();
  const { details } = await edit.run({ path: "big", edits: [{ oldText: "end", newText: "END" }] }, context);
  assertEquals(cpuMs() - start < 10_000, true);
  assertEquals(details?.["firstChangedLine"], 500_001);
});
