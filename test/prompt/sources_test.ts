import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { PromptInputs } from "../../src/core/prompt.ts";
import { compilePrompt } from "../../src/prompt/compile.ts";
import { TOOLS } from "../../tools/mod.ts";
import { PERSONA, PROMPTS } from "./golden_prompts.ts";
import { inputs, loaded, meta, promptOf, tools } from "./sample.ts";

/** Each source of text, and the inputs in which it says `text` and nothing else differs. */
const SOURCES: Readonly<Record<string, (text: string) => Partial<PromptInputs>>> = {
  "SYSTEM.md": (text) => ({ systemOverride: loaded("/a/SYSTEM.md", text) }),
  "APPEND_SYSTEM.md": (text) => ({ appendSystem: [loaded("/a/APPEND_SYSTEM.md", text)] }),
  "AGENTS.md": (text) => ({ contextFiles: [loaded("/a/AGENTS.md", text)] }),
  "SOUL.md": (text) => ({ persona: { ...PERSONA, soul: loaded("/a/SOUL.md", text) } }),
  "IDENTITY.md": (text) => ({ persona: { ...PERSONA, identity: loaded("/a/IDENTITY.md", text) } }),
  "USER.md": (text) => ({ persona: { ...PERSONA, user: loaded("/a/USER.md", text) } }),
  "SCRIPTS.md": (text) => ({
    scripts: { file: loaded("/a/SCRIPTS.md", text), folder: "/a/scripts", editable: true },
  }),
  "a tool's snippet": (text) => ({ tools: [...tools("read"), { name: "deploy", snippet: text, origin: "extension" }] }),
  "a tool's guideline": (text) => ({
    tools: [...tools("read"), { name: "deploy", guidelines: [text], origin: "extension" }],
  }),
  "a skill's description": (text) => ({ skills: [{ name: "x", description: text, path: "/x/SKILL.md" }] }),
  "a turn's skill": (text) => ({
    runtimeSkills: [{ name: "X", slug: "x", description: "d", state: "explicit", reason: "$x", body: text }],
  }),
  "a rule": (text) => ({ rules: [text] }),
  "a block": (text) => ({ blocks: [{ title: "House Style", content: text }] }),
  "a caller's context": (text) => ({ dynamicContext: text }),
  "a retry instruction": (text) => ({ retryInstruction: text }),
  "a memory": (text) => ({ memory: { today: "2026-03-07", longTerm: [text], recent: [] } }),
};

for (const [name, source] of Object.entries(SOURCES)) {
  Deno.test(`compilePrompt() R26 no line of ${name} outlives it`, () => {
    assertStringIncludes(promptOf(source("ONLY-THERE")), "ONLY-THERE");
    // Compiled after it, so that whatever was kept of it would show.
    for (const full of [promptOf(source("other")), promptOf()]) assert(!full.includes("ONLY-THERE"), full);
  });

  Deno.test(`compilePrompt() R29 ${name} reads the same with other line ends and space around it`, () => {
    const plain = compilePrompt(inputs(source("one\ntwo\nthree")), meta());
    const odd = compilePrompt(inputs(source("\ufeff\r\n \t one\r\ntwo\rthree \r\n\r\n")), meta());
    assertEquals(odd.full, plain.full);
    assertEquals(odd.manifest.fingerprints, plain.manifest.fingerprints);
    const prints = ({ manifest }: typeof odd): unknown =>
      manifest.sections.map(({ id, sha256, sources }) => [id, sha256, sources.map((source) => source.sha256)]);
    assertEquals(prints(odd), prints(plain));
    assert(!odd.full.includes("\r"));
  });
}

for (const { name, promptSnippet } of TOOLS) {
  Deno.test(`compilePrompt() R26 without ${name} nothing is said of it`, () => {
    const others = TOOLS.filter((tool) => tool.name !== name);
    const said = (from: typeof TOOLS): Set<string> =>
      new Set(
        promptOf({
          tools: from.map((tool) => ({ name: tool.name, snippet: tool.promptSnippet, origin: "builtin" })),
        }).split("\n"),
      );
    const [all, without] = [said(TOOLS), said(others)];
    assert(all.has(`- ${name}: ${promptSnippet}`), [...all].join("\n"));
    assert(!without.has(`- ${name}: ${promptSnippet}`));
    const listed = [...without].filter((line) => others.some((other) => line.startsWith(`- ${other.name}: `)));
    assertEquals(listed.length, others.length);
  });
}

Deno.test("compilePrompt() R49 safety is in the stable half of full and minimal, and of no other", () => {
  for (const profile of ["full", "minimal"] as const) {
    for (const changes of [{}, PROMPTS.everything ?? {}]) {
      const { stable, dynamic, manifest } = compilePrompt(inputs({ ...changes, profile }), meta());
      assertStringIncludes(stable, "## Safety\n- ");
      assert(!dynamic.includes("## Safety"));
      const entry = manifest.sections.find(({ id }) => id === "assistant_safety");
      assertEquals(entry?.stability, "stable");
    }
  }
  assert(!compilePrompt(inputs({ profile: "none" }), meta()).full.includes("## Safety"));
});

/** The inputs that each step is made from. Tools and profile are looked at by nearly all of them. */
const STEPS: readonly (keyof PromptInputs)[] = [
  "skills",
  "persona",
  "scripts",
  "channel",
  "memory",
];

Deno.test("compilePrompt() R51 looks at skills, persona, notes, channel and memory in this order", () => {
  const looked: string[] = [];
  const watched = new Proxy(inputs(PROMPTS.everything), {
    get(target, key, receiver) {
      const name = String(key);
      if (STEPS.some((step) => step === name) && !looked.includes(name)) looked.push(name);
      return Reflect.get(target, key, receiver);
    },
  });
  compilePrompt(watched, meta());
  assertEquals(looked, [...STEPS]);
});
