import { assert, assertEquals } from "@std/assert";
import { splitFrontMatter } from "../../../src/context/files/front_matter.ts";

const CASES = [
  { name: "no block", text: "text", body: "text", isDraft: false },
  { name: "a block", text: "---\na: b\n---\ntext", body: "text", isDraft: false },
  { name: "a draft", text: "---\nstatus: draft\n---\ntext", body: "text", isDraft: true },
  { name: "a draft in capitals and quotes", text: "---\nStatus: 'Draft'\n---\n", body: "", isDraft: true },
  { name: "CRLF", text: "---\r\nstatus: draft\r\n---\r\ntext", body: "text", isDraft: true },
  { name: "a byte order mark", text: "\ufeff---\nstatus: draft\n---\ntext", body: "text", isDraft: true },
  { name: "another word", text: "---\nstatus: drafted\n---\ntext", body: "text", isDraft: false },
  { name: "a field below another", text: "---\nx:\n  status: draft\n---\ntext", body: "text", isDraft: false },
  { name: "a block that is not closed", text: "---\nstatus: draft\n", body: "---\nstatus: draft\n", isDraft: false },
  {
    name: "a block later on",
    text: "text\n---\nstatus: draft\n---\n",
    body: "text\n---\nstatus: draft\n---\n",
    isDraft: false,
  },
  { name: "an empty block", text: "---\n---\ntext", body: "text", isDraft: false },
  { name: "nothing after it", text: "---\na: b\n---", body: "", isDraft: false },
] as const;
for (const { name, text, body, isDraft } of CASES) {
  Deno.test(`splitFrontMatter() R379 R380 with ${name}`, () => assertEquals(splitFrontMatter(text), { body, isDraft }));
}

Deno.test("splitFrontMatter() takes no longer for a block that would keep a parser busy", () => {
  const bomb = ["a: &a [x,x]", ...[...Array(60)].map((_, at) => `k${at}: [*a,*a,*a,*a]`), "[".repeat(200_000)].join(
    "\n",
  );
  const before = performance.now();
  assertEquals(splitFrontMatter(`---\n${bomb}\nstatus: draft\n---\ntext`), { body: "text", isDraft: true });
  assert(performance.now() - before < 10_000);
});
