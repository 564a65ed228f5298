import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { withSession } from "./world.ts";

const SKILL = "---\nname: shout\ndescription: Says it louder\n---\nWrite in capitals.\n";

Deno.test("a skill that the message or an earlier one holds is not to be read again X11", () =>
  withSession({
    replies: [{ text: "one" }, { text: "two" }, { text: "three" }],
    files: { ".sandpiper/skills/shout/SKILL.md": SKILL },
    args: ["--trust"],
  }, async ({ engine, say }) => {
    const sections = [];
    for (const text of ["/skill:shout hello", "/skill:shout again", "and $shout"]) {
      await say(text);
      sections.push(engine.compiled().dynamic);
    }
    for (const dynamic of sections) {
      assertStringIncludes(dynamic, "- shout (shout): Says it louder");
      assert(!dynamic.includes("Before you use"), dynamic);
      assert(!dynamic.includes("Write in capitals"), dynamic);
    }
    const [first, second] = engine.messages().filter(({ role }) => role === "user");
    assertStringIncludes(JSON.stringify(first), "Write in capitals");
    assertEquals(JSON.stringify(second).includes("Write in capitals"), false);
  }));
