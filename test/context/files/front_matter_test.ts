import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { extractYaml } from "@std/front-matter";
import fc from "fast-check";
import { parseFrontMatter, readPlain } from "../../../src/context/files/front_matter.ts";

const FIELDS: readonly { readonly name: string; readonly block: string; readonly fields: Record<string, unknown> }[] = [
  { name: "plain lines", block: "name: a\ndescription: Does it", fields: { name: "a", description: "Does it" } },
  { name: "quoted values", block: `name: "a"\ndescription: 'b: c'`, fields: { name: "a", description: "b: c" } },
  { name: "a flag", block: "disable-model-invocation: true", fields: { "disable-model-invocation": true } },
  { name: "a folded text", block: "description: >\n  one\n  two", fields: { description: "one two\n" } },
  { name: "a nested map", block: "metadata:\n  a: b", fields: { metadata: { a: "b" } } },
  { name: "a comment", block: "name: a # why", fields: { name: "a" } },
  {
    name: "an unquoted second colon",
    block: "name: a\ndescription: Use this: always",
    fields: { name: "a", description: "Use this: always" },
  },
];
for (const { name, block, fields } of FIELDS) {
  Deno.test(`parseFrontMatter() R118 reads ${name}`, async () => {
    for (const end of ["\n", "\r\n"]) {
      const parsed = await parseFrontMatter(`---\n${block}\n---\nBody\n---\n`.replaceAll("\n", end));
      assertEquals("fields" in parsed && { ...parsed.fields }, fields);
    }
  });
}

const BROKEN = [
  { name: "no block", text: "# Title", says: "does not begin" },
  { name: "a block without end", text: "---\nname: a\n", says: "does not begin" },
  { name: "broken YAML", text: "---\nname: [\n---\n", says: "not valid YAML" },
  { name: "a list", text: "---\n- a\n---\n", says: "no fields" },
  { name: "a very long block", text: `---\n${"a: b\n".repeat(5000)}---\n`, says: "longer than" },
  { name: "deep nesting", text: `---\na: ${"[".repeat(8000)}\n---\n`, says: "not valid YAML" },
  { name: "the same key twice", text: "---\na: b\na: c\n---\n", says: "not valid YAML" },
];
for (const { name, text, says } of BROKEN) {
  Deno.test(`parseFrontMatter() R123 refuses ${name} with the reason`, async () => {
    const parsed = await parseFrontMatter(text);
    assertStringIncludes("error" in parsed ? parsed.error : "accepted", says);
  });
}

Deno.test("parseFrontMatter() aliases that multiply end quickly and give no text", async () => {
  const levels = [..."bcdefghijklmnop"].map((name, at) =>
    `${name}: [${Array(9).fill(`*${"abcdefghijklmno"[at]}`).join(", ")}]`
  );
  const text = `---\na: &a [x]\n${
    levels.map((line) => line.replace(": ", `: &${line[0]} `)).join("\n")
  }\ndescription: *p\n---\n`;
  const began = performance.now();
  const parsed = await parseFrontMatter(text);
  assert(performance.now() - began < 10_000);
  assert("error" in parsed || typeof parsed.fields.description !== "string");
});

Deno.test("readPlain() reads nothing otherwise than the YAML parser does", () => {
  const value = fc.string({ unit: fc.constantFrom(..."ab :#'\"-[]{}&*!|>%@`,~?.\t\\é0"), maxLength: 12 });
  const key = fc.constantFrom("name", "a-b", "__proto__", "x1", "No", "a b", "-");
  const line = fc.tuple(key, value).map(([key, value]) => `${key}: ${value}`);
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 3 }), (lines) => {
      const plain = readPlain(lines.join("\n"));
      if (plain) assertEquals({ ...plain }, extractYaml(`---\n${lines.join("\n")}\n---\n`).attrs);
    }),
    { numRuns: 3000 },
  );
  for (const word of ["true", "yes", "null", "Null", "No", "on", "~", "nan", "Infinity", "e1", "NULL", "False"]) {
    const plain = readPlain(`a: ${word}`);
    if (plain) assertEquals({ ...plain }, extractYaml(`---\na: ${word}\n---\n`).attrs);
  }
});
