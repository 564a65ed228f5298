import { assertEquals } from "@std/assert";
import { appendixDetails, appendixOf, withAppendix, withoutAppendix } from "../../src/history/appendix.ts";
import type { AgentMessage } from "../../src/core/message.ts";
import { call, reply, user } from "./conversation.ts";

const did = (...calls: readonly (readonly [string, string])[]) =>
  reply("", calls.map(([name, path], index) => call(String(index), name, { path })));

const CASES = [
  {
    name: "reads and changes, sorted",
    calls: [["read", "b"], ["read", "a"], ["edit", "d"], ["write", "c"]],
    read: ["a", "b"],
    modified: ["c", "d"],
  },
  { name: "a file once", calls: [["read", "a"], ["read", "./a"], ["read", "x/../a"]], read: ["a"], modified: [] },
  {
    name: "a file that was read and changed as changed",
    calls: [["read", "a"], ["edit", "a"]],
    read: [],
    modified: ["a"],
  },
  { name: "in whatever order", calls: [["write", "a"], ["read", "a"]], read: [], modified: ["a"] },
  { name: "no other tool", calls: [["grep", "a"], ["ls", "."]], read: [], modified: [] },
  { name: "one line a path", calls: [["read", "a\nb\u001b[2J"]], read: ["a␤b"], modified: [] },
] as const;
for (const { name, calls, read, modified } of CASES) {
  Deno.test(`appendixOf() lists ${name} R283 R284 R285 R287`, () => {
    assertEquals(appendixOf([did(...calls)]), { readFiles: [...read], modifiedFiles: [...modified], skills: [] });
  });
}

Deno.test("appendixOf() lists nothing that failed, and what was done after a failure R283 R285", () => {
  const results = (failed: readonly string[], ...ids: readonly string[]): AgentMessage[] =>
    ids.map((toolCallId) => ({
      role: "toolResult",
      toolCallId,
      toolName: "edit",
      content: [],
      isError: failed.includes(toolCallId),
      timestamp: 0,
    }));
  const messages = [
    did(["edit", "failed"], ["edit", "changed"], ["read", "none"]),
    ...results(["0", "2"], "0", "1", "2"),
    did(["edit", "again"]),
    ...results(["0"], "0"),
    did(["edit", "again"]),
    ...results([], "0"),
  ];
  assertEquals(appendixOf(messages), { readFiles: [], modifiedFiles: ["again", "changed"], skills: [] });
});

Deno.test("appendixOf() carries the lists of an earlier summary on; what is changed now is no longer only read R286 R287", () => {
  const earlier = appendixDetails(
    appendixOf([did(["read", "a"], ["read", "b"], ["edit", "c"], ["read", "/s/x/SKILL.md"])]),
  );
  assertEquals(appendixOf([did(["edit", "a"], ["read", "c"], ["read", "d"])], earlier), {
    readFiles: ["/s/x/SKILL.md", "b", "d"],
    modifiedFiles: ["a", "c"],
    skills: ["/s/x/SKILL.md"],
  });
});

Deno.test("appendixOf() takes nothing from details that somebody else stored", () => {
  for (const details of [{}, { readFiles: "a" }, { readFiles: [1, { a: 2 }], modifiedFiles: null }]) {
    assertEquals(appendixOf([], details), { readFiles: [], modifiedFiles: [], skills: [] });
  }
});

Deno.test("withAppendix() ends with the skills to read again and the files; withoutAppendix() takes them off R283 R284 R301", () => {
  const appendix = appendixOf([
    user('<skill name="deploy" location="/s/deploy/SKILL.md">\nSteps\n</skill>\nGo'),
    did(["read", "a"], ["read", "b"], ["edit", "</modified-files>x"]),
  ]);
  const text = withAppendix("## Goal\nx <b>\n", appendix);
  assertEquals(
    text,
    "## Goal\nx <b>\n\n<skills-to-reload>\n" +
      "These skills were in use and their instructions are gone from the conversation. " +
      "Read a file again before you go on with what it is for:\n/s/deploy/SKILL.md\n</skills-to-reload>\n\n" +
      "<read-files>\na\nb\n</read-files>\n\n<modified-files>\n<\\/modified-files>x\n</modified-files>",
  );
  assertEquals(withoutAppendix(text), "## Goal\nx <b>");
  assertEquals(withoutAppendix("no lists"), "no lists");
  assertEquals(withAppendix("s", appendixOf([])), "s");
});
