import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { compilePrompt, compileRound, compileStable, sectionTexts } from "../../src/prompt/compile.ts";
import type { PromptInputs, StableInputs } from "../../src/core/prompt.ts";
import { CONTINUATION, FINAL_ANSWER } from "../../src/prompt/text/text.ts";
import { PROMPTS } from "./golden_prompts.ts";
import { EVERYTHING, inputs, loaded, meta, tools } from "./sample.ts";

const plain = compilePrompt(inputs(), meta());

const ROUNDS: readonly {
  readonly row: string;
  readonly changes: Partial<PromptInputs>;
  readonly id: string;
  readonly text: string;
}[] = [
  {
    row: "R44",
    changes: { retryInstruction: "The edit failed twice.\r\nRead the file first." },
    id: "retry_instruction",
    text: "## Retry Instruction\nThe edit failed twice.\nRead the file first.",
  },
  {
    row: "R45",
    changes: { continuation: true },
    id: "recovery_continuation",
    text: `## Recovery Continuation\n${CONTINUATION}`,
  },
  { row: "", changes: { finalAnswer: true }, id: "final_answer", text: `## Final Answer\n${FINAL_ANSWER}` },
  {
    row: "R48",
    changes: { dynamicContext: "Caller's own" },
    id: "dynamic_context",
    text: "## Dynamic Context\nCaller's own",
  },
];
for (const { row, changes, id, text } of ROUNDS) {
  Deno.test(`compilePrompt() ${row} R31 R344 section ${id} is in the dynamic half and changes nothing else`, () => {
    const compiled = compilePrompt(inputs(changes), meta());
    assertEquals(sectionTexts(inputs(changes)).get(id), text);
    assertEquals(compiled.stable, plain.stable);
    assertEquals(compiled.dynamic, `${text}\n\n${plain.dynamic}`);
    const [now, before] = [compiled.manifest.fingerprints, plain.manifest.fingerprints];
    assertEquals(now.stable, before.stable);
    assertNotEquals(now.dynamic, before.dynamic);
    assertNotEquals(now.full, before.full);
    assert(!sectionTexts(inputs()).has(id));
  });
}

Deno.test("compilePrompt() R44 R45 several round sections stand in one order", () => {
  const both = inputs({ finalAnswer: true, retryInstruction: "R", continuation: true, dynamicContext: "D" });
  const headings = compilePrompt(both, meta()).dynamic.match(/^## .+$/gm);
  assertEquals(headings, ["## Recovery Continuation", "## Retry Instruction", "## Final Answer", "## Dynamic Context"]);
});

Deno.test("compilePrompt() R344 the clock changes the dynamic half only; R345 a file changes the stable one", () => {
  const later = compilePrompt(inputs({ runtime: { ...inputs().runtime, dateTime: "Sunday" } }), meta());
  assertEquals(later.manifest.fingerprints.stable, plain.manifest.fingerprints.stable);
  assertNotEquals(later.manifest.fingerprints.dynamic, plain.manifest.fingerprints.dynamic);
  const edited = compilePrompt(inputs({ contextFiles: [loaded("/a/AGENTS.md", "x")] }), meta());
  assertNotEquals(edited.manifest.fingerprints.stable, plain.manifest.fingerprints.stable);
  assertEquals(edited.manifest.fingerprints.dynamic, plain.manifest.fingerprints.dynamic);
});

Deno.test("compileRound() over a kept stable half equals compilePrompt(), R448 and a rebuild equals the first build", () => {
  const all = inputs({ ...EVERYTHING, retryInstruction: "Again" });
  const kept = compileStable(all);
  assertEquals(compileRound(kept, all, meta({ round: 3 })), compilePrompt(all, meta({ round: 3 })));
  assertEquals(compileStable(structuredClone(all)).sha256, kept.sha256);
});

Deno.test("compileStable() never looks at what may change within a session", () => {
  const guard = new Proxy<StableInputs>(inputs(EVERYTHING), {
    get(target, key) {
      const changing = [
        "runtime",
        "retryInstruction",
        "continuation",
        "finalAnswer",
        "withoutTools",
        "dynamicContext",
        "channel",
        "runtimeSkills",
        "memory",
      ];
      if (changing.includes(String(key))) throw new Error(`read ${String(key)}`);
      return Reflect.get(target, key);
    },
  });
  assertEquals(compileStable(guard).text, compileStable(inputs(EVERYTHING)).text);
});

Deno.test("compilePrompt() cuts a retry instruction over its budget and says so", () => {
  const { dynamic, manifest } = compilePrompt(inputs({ retryInstruction: "x".repeat(5000) }), meta());
  assertStringIncludes(dynamic, `## Retry Instruction\n${"x".repeat(2000)}\n\n`);
  assertEquals(manifest.diagnostics.map(({ code, section }) => `${code} ${section}`), [
    "section_truncated retry_instruction",
  ]);
  const entry = manifest.sections.find((section) => section.id === "retry_instruction");
  assertEquals((entry?.chars ?? 0) - (entry?.kept ?? 0), 3000);
});

const FULL = inputs(PROMPTS["everything"]);

/** Each input of the compiler, and the sections that another value of it alters; one that is not here is a type error. */
const ALTERS: Readonly<Record<keyof PromptInputs, readonly (readonly [Partial<PromptInputs>, ...string[]])[]>> = {
  profile: [], // alters no section, but which there are: below
  unlistedSkills: [], // for the manifest alone
  identity: [[{ identity: "compiler" }, "identity_base"]],
  systemOverride: [[
    { systemOverride: loaded("/x/SYSTEM.md", "OWN") },
    ...["identity_base", "system_override", "tools_list", "custom_tools_note", "guidelines", "docs_pointers"],
    ...["assistant_safety", "soul_core", "identity_core", "user_persona"], // the file owns all of these (K11)
  ]],
  appendSystem: [[{ appendSystem: [] }, "append_system"]],
  tools: [
    [{ tools: FULL.tools.filter(({ name }) => name !== "task") }, "tools_list", "task_orchestration"],
    [{ tools: [...FULL.tools, ...tools("subagent")] }, "tools_list", "task_orchestration"],
    [{ tools: FULL.tools.filter(({ name }) => name !== "plan_create") }, "tools_list", "plan_guidance"],
    [{ tools: FULL.tools.filter(({ name }) => name !== "todo_update") }, "tools_list", "todo_workflow"],
  ],
  contextFiles: [[{ contextFiles: [] }, "project_context"]],
  skills: [[{ skills: [] }, "skills_listing"]],
  docs: [[{ docs: [] }, "docs_pointers"]],
  environmentPolicy: [[{ environmentPolicy: ["Nothing is allowed."] }, "environment_policy"]],
  rules: [[{ rules: [] }, "rules"]],
  persona: [[{ persona: { mode: "sections" } }, "soul_core", "identity_core", "user_persona"]],
  scripts: [[
    { scripts: { file: loaded("/x/SCRIPTS.md", "none"), folder: "/x", editable: false } },
    "local_tool_notes",
  ]],
  blocks: [[{ blocks: [] }, "blocks"]],
  toolRecoveryPolicy: [[{ toolRecoveryPolicy: false }, "tool_recovery_policy"]],
  metadataMessages: [[{ metadataMessages: false }, "runtime_metadata"]],
  withoutBuiltIn: [], // alters nothing without a SYSTEM.md: test/engine/prompt_rows_test.ts
  budgets: [
    [{ budgets: { persona: { perSource: 10 } } }, "soul_core", "user_persona"],
    [{ budgets: { context: { total: 10 } } }, "project_context"],
    [{ budgets: { scripts: { perSource: 10 } } }, "local_tool_notes"],
    [{ budgets: { skills: { total: 200 } } }, "skills_listing"],
    [{ budgets: { skillsRuntime: { total: 100 } } }, "skills_runtime"],
  ],
  runtime: [[{ runtime: { ...FULL.runtime, cwd: "/elsewhere" } }, "runtime_facts"]],
  retryInstruction: [[{ retryInstruction: "Another" }, "retry_instruction"]],
  continuation: [[{ continuation: false }, "recovery_continuation"]],
  finalAnswer: [[{ finalAnswer: true }, "task_orchestration", "final_answer"]], // it is the end: no task is begun
  withoutTools: [[{ withoutTools: true }, "task_orchestration"]],
  todo: [[{ todo: [{ text: "Mend it", state: "pending" }] }, "todo_list"]],
  planning: [[{ planning: ["Write: nothing."] }, "plan_mode"]],
  dynamicContext: [[{ dynamicContext: "Another" }, "dynamic_context"]],
  channel: [[{ channel: { name: "other", blocks: [] } }, "channel_augment"]],
  runtimeSkills: [[{ runtimeSkills: [] }, "skills_runtime"]],
  memory: [[{ memory: { today: "2026-03-07", longTerm: ["Other"], recent: [] } }, "memory_summaries"]],
  agents: [[{ agents: [{ name: "look", description: "Looks" }] }, "task_orchestration"]],
};
for (const [name, rows] of Object.entries(ALTERS)) {
  for (const [changes, ...ids] of rows) {
    Deno.test(`compilePrompt() R31 R46 ${name} alters ${ids.join(", ")} and no other section`, () => {
      const [before, after] = [sectionTexts(FULL), sectionTexts({ ...FULL, ...changes })];
      const all = [...new Set([...before.keys(), ...after.keys()])];
      assertEquals(all.filter((id) => before.get(id) !== after.get(id)).toSorted(), ids.toSorted());
    });
  }
}

Deno.test("compilePrompt() R31 a profile leaves sections out and alters none that stays", () => {
  const whole = [...sectionTexts(FULL)];
  for (const profile of ["minimal", "none"] as const) {
    const fewer = [...sectionTexts({ ...FULL, profile })];
    assert(fewer.length > 0 && fewer.length < whole.length);
    assertEquals(fewer, whole.filter(([id]) => fewer.some(([other]) => other === id)), profile);
  }
});

Deno.test("compileRound() makes the dynamic half of the same inputs once, and of others anew", () => {
  const same = inputs();
  const stable = compileStable(same);
  const [first, second] = [compileRound(stable, same, meta()), compileRound(stable, same, meta())];
  const dynamicOf = ({ manifest }: typeof first) =>
    manifest.sections.filter(({ stability }) => stability === "dynamic");
  assert(dynamicOf(first).length > 0);
  assert(dynamicOf(first).every((section, at) => section === dynamicOf(second)[at]));
  assertEquals(second, first);
  const other = compileRound(stable, { ...same, finalAnswer: true }, meta());
  assertStringIncludes(other.dynamic, FINAL_ANSWER);
});
