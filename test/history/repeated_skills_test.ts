import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import type { UserMessage } from "../../src/core/message.ts";
import { withoutRepeatedSkills } from "../../src/history/repeated_skills.ts";

const skill = (name: string): string =>
  `<skill name="${name}" location="/s/${name}">\nReferences are relative to /s/${name}.\n\nDo ${name}.\n</skill>`;
const user = (content: UserMessage["content"]): UserMessage => ({ role: "user", content, timestamp: 0 });
const textOf = (message: unknown): string => JSON.stringify(message);

Deno.test("a request has the instructions of each skill once, also in parts of a message X11", () => {
  const [first, again, parts] = [
    user(`${skill("a")}\n\nnow`),
    user(`${skill("a")}\n\nagain`),
    user([{ type: "text", text: `${skill("a")}${skill("b")}` }]),
  ];
  const messages = [first, again, parts];
  const sent = withoutRepeatedSkills(messages);
  assertStrictEquals(sent[0], first);
  assert(!textOf(sent[1]).includes("Do a.") && textOf(sent[1]).includes("again"));
  assert(!textOf(sent[2]).includes("Do a.") && textOf(sent[2]).includes("Do b."));
  // The same object in each request.
  assertEquals(withoutRepeatedSkills(messages).map((message, at) => message === sent[at]), [true, true, true]);
  // Another version of a skill is not repeated.
  const changed = user(skill("a").replace("Do a.", "Do A."));
  assertStrictEquals(withoutRepeatedSkills([first, changed])[1], changed);
});

Deno.test("a request without the earlier message has the instructions of a skill again X11", () => {
  const [a, b] = [user(skill("a")), user(skill("b"))];
  const both = user([{ type: "text", text: skill("a") }, { type: "text", text: skill("b") }]);
  const [, , repeated] = withoutRepeatedSkills([a, b, both]);
  assert(!textOf(repeated).includes("Do a.") && !textOf(repeated).includes("Do b."));
  const [, later] = withoutRepeatedSkills([b, both]);
  assert(textOf(later).includes("Do a.") && !textOf(later).includes("Do b."));
});
