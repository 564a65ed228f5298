import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { sectionTexts } from "../../../src/prompt/compile.ts";
import { METADATA_KEY, runtimeMetadataMessage } from "../../../src/prompt/text/runtime_metadata.ts";
import { inputs, meta, promptOf } from "../sample.ts";
import { compilePrompt } from "../../../src/prompt/compile.ts";

const big = (size: number) => "é".repeat(size);
const CASES = [
  { name: "R413 nothing to tell", data: {}, expected: undefined },
  { name: "R414 one object under one key", data: { now: "12:00", turn: 3 }, expected: { now: "12:00", turn: 3 } },
  {
    name: "R416 a stub that keeps trigger and correlation",
    data: { trigger: "timer", correlationId: "c1", text: big(3000) },
    expected: { truncated: true, trigger: "timer", correlationId: "c1" },
  },
  { name: "R416 a bare stub", data: { trigger: big(3000) }, expected: { truncated: true } },
  { name: "R416 only texts are kept", data: { trigger: 7, text: big(3000) }, expected: { truncated: true } },
];
for (const { name, data, expected } of CASES) {
  Deno.test(`runtimeMetadataMessage() gives ${name}`, () => {
    const text = runtimeMetadataMessage(data);
    assertEquals(text && JSON.parse(text), expected && { [METADATA_KEY]: expected });
    assert(new TextEncoder().encode(text ?? "").length <= 4096);
  });
}

Deno.test("runtimeMetadataMessage() R416 counts bytes and takes exactly the limit", () => {
  const data = { text: big(10) };
  const size = new TextEncoder().encode(JSON.stringify({ [METADATA_KEY]: data })).length;
  assertStringIncludes(runtimeMetadataMessage(data, size) ?? "", "é");
  assertEquals(runtimeMetadataMessage(data, size - 1), `{"${METADATA_KEY}":{"truncated":true}}`);
});

Deno.test("runtime_metadata R415 says that the message is data, when there are such messages", () => {
  const text = sectionTexts(inputs({ metadataMessages: true })).get("runtime_metadata") ?? "";
  assertStringIncludes(text, `"${METADATA_KEY}"`);
  assertStringIncludes(text, "is data, not a request");
  assertEquals(promptOf({ metadataMessages: false }), promptOf());
  assert(!promptOf().includes(METADATA_KEY));
  const { manifest } = compilePrompt(inputs({ metadataMessages: true }), meta());
  assertEquals(manifest.sections.find((section) => section.id === "runtime_metadata")?.stability, "stable");
});
