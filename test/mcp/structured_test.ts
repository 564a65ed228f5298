import { assertEquals } from "@std/assert";
import { unsaid } from "../../src/mcp/results.ts";

const LONG = Array.from({ length: 300 }, (_, i) => `value ${i}`);
const CASES = [
  { name: "content without text", structured: { a: 1 }, texts: [], said: false },
  { name: "its own JSON", structured: { a: [1, "b"] }, texts: ['{"a":[1,"b"]}'], said: true },
  {
    name: "its own JSON, indented",
    structured: { rows: LONG },
    texts: [JSON.stringify({ rows: LONG }, null, 2)],
    said: true,
  },
  { name: "a wrapped text", structured: { result: 'line one\n"two"' }, texts: ['line one\n"two"'], said: true },
  {
    name: "a wrapped list in several texts",
    structured: { result: ["alpha", "beta"] },
    texts: ["alpha", "beta"],
    said: true,
  },
  { name: "a wrapped long list", structured: { result: LONG }, texts: [JSON.stringify(LONG)], said: true },
  { name: "a short text", structured: { result: "ok" }, texts: ["ok"], said: true },
  { name: "a short number", structured: { result: 4 }, texts: ["2 + 2 = 4"], said: true },
  { name: "a sign", structured: { result: "%" }, texts: ["%"], said: true },
  { name: "a word that begins with it", structured: { result: "ok" }, texts: ["okay"], said: false },
  { name: "a sentence about it", structured: { rows: [{ city: "Bern" }] }, texts: ["Found 1 row"], said: false },
  { name: "a word that says less", structured: { ok: false, n: 7 }, texts: ["Nothing"], said: false },
  { name: "part of it", structured: { a: "alpha", b: "beta" }, texts: ["alpha"], said: false },
  { name: "too much to look for", structured: { rows: LONG }, texts: [LONG.join(" ")], said: false },
] as const;
for (const { name, structured, texts, said } of CASES) {
  Deno.test(`unsaid() ${said ? "is nothing" : "is all"} beside ${name}`, () => {
    assertEquals(unsaid(structured, texts), said ? undefined : JSON.stringify(structured));
  });
}

Deno.test("unsaid() is nothing where there is nothing", () => {
  assertEquals([unsaid(undefined, []), unsaid(null, ["x"])], [undefined, undefined]);
});
