import { assertEquals } from "@std/assert";
import { promptTitle } from "../../src/core/message.ts";

Deno.test("promptTitle() names files and skills without their text, in one line", () => {
  const skill = '<skill name="review" location="/s/SKILL.md">\nReferences are relative to /s.\n\nBody\n</skill>';
  const cases: Readonly<Record<string, string>> = {
    [`${skill}\n\nthe diff\nof today`]: "/skill:review the diff of today",
    [skill]: "/skill:review",
    [skill.slice(0, 70)]: "/skill:review",
    ['Explain\n<file name="/ws/src/a.ts">\nconst a = 1;\n</file>\nto me']: "Explain @a.ts to me",
    ['compare <file name="/a">1</file><file name="/b">2</file>']: "compare @a @b",
    "what is <in> a.txt?": "what is <in> a.txt?",
    '<skill name="x">': '<skill name="x">',
    "": "",
  };
  for (const [text, title] of Object.entries(cases)) assertEquals(promptTitle(text), title);
});
