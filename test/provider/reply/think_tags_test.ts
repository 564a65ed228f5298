import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { createThinkSplitter } from "../../../src/provider/reply/think_tags.ts";

function split(parts: readonly string[], complete = true): { thinking: string; text: string } {
  const splitter = createThinkSplitter();
  const found = [...parts.map((part) => splitter.push(part)), splitter.finish(complete)];
  return { thinking: found.map((part) => part.thinking).join(""), text: found.map((part) => part.text).join("") };
}

const CASES: readonly { name: string; reply: string; thinking: string; text: string }[] = [
  { name: "no tag", reply: "a < b <think>c</think>", thinking: "", text: "a < b <think>c</think>" },
  { name: "a tag at the start", reply: " \n<think>a</think>\n\nb", thinking: "a", text: "b" },
  { name: "the longer name", reply: "<thinking>a</think></thinking>b", thinking: "a</think>", text: "b" },
  { name: "Gemini's name", reply: "<thought>a</thought>b", thinking: "a", text: "b" },
  { name: "something like a tag", reply: "<thin>a</thin>", thinking: "", text: "<thin>a</thin>" },
  { name: "only the beginning of a tag", reply: "<thi", thinking: "", text: "<thi" },
];
for (const { name, reply, thinking, text } of CASES) {
  Deno.test(`createThinkSplitter() handles ${name}, wherever it is cut`, () => {
    fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 5 })), (sizes) => {
      const parts: string[] = [];
      let rest = reply;
      for (const size of sizes) parts.push(rest.slice(0, size)), rest = rest.slice(size);
      assertEquals(split([...parts, rest]), { thinking, text });
    }));
  });
}

Deno.test("createThinkSplitter() gives a tag that never closes back as text, unless the reply broke off", () => {
  const whole = createThinkSplitter();
  assertEquals(whole.push("<think>abc"), { thinking: "abc", text: "" });
  assertEquals(whole.finish(true), { thinking: "", text: "<think>abc", isUnclosed: true });
  const broken = createThinkSplitter();
  broken.push("<think>abc</th");
  assertEquals(broken.finish(false), { thinking: "</th", text: "", isUnclosed: false });
});
