import { assert, assertEquals } from "@std/assert";
import type { PromptInputs, ScriptNotes } from "../../src/core/prompt.ts";
import { compilePrompt, sectionTexts } from "../../src/prompt/compile.ts";
import { planGuidance, TODO_LIST, TODO_WORKFLOW, TOOL_RECOVERY } from "../../src/prompt/text/text.ts";
import { inputs, loaded, meta, tools } from "./sample.ts";

const sectionOf = (id: string, changes: Partial<PromptInputs>) => sectionTexts(inputs(changes)).get(id);
const list = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join("\n");

function notes(text: string, changes: Partial<ScriptNotes> = {}): Partial<PromptInputs> {
  return { scripts: { file: loaded("/w/SCRIPTS.md", text), folder: "/w/scripts", editable: true, ...changes } };
}
const ADD =
  "Put a script worth keeping into /w/scripts and add an entry to /w/SCRIPTS.md: name, path, what it does, how to " +
  "call it.";
const BRACKETS = "----- BEGIN SCRIPTS.md -----\n- seed\n----- END SCRIPTS.md -----";

const NOTES: readonly { readonly name: string; readonly changes: Partial<PromptInputs>; readonly lines?: string[] }[] =
  [
    {
      name: "R384 R387 holds the file, where scripts go, the entry's form, and bash",
      changes: notes("- seed"),
      lines: ["These scripts are at hand; run them with bash.", ADD, BRACKETS],
    },
    {
      name: "R387 does not speak of bash where it is not active",
      changes: { ...notes("- seed"), tools: tools("read", "write") },
      lines: ["These scripts are known here.", ADD, BRACKETS],
    },
    {
      name: "R387 asks for no new scripts where nothing can be written",
      changes: { ...notes("- seed"), tools: tools("read") },
      lines: ["These scripts are known here.", BRACKETS],
    },
    {
      name: "R387 has the entry shown to the user where the notes cannot be changed",
      changes: notes("- seed", { editable: false }),
      lines: [
        "These scripts are at hand; run them with bash.",
        ADD.replace("add an entry to", "show the user its entry for"),
        BRACKETS,
      ],
    },
    {
      name: "R386 says that an empty file has no notes",
      changes: notes("\n"),
      lines: [ADD, "No notes are available yet."],
    },
    { name: "R385 is absent without a file", changes: {} },
    {
      name: "is absent when the file cannot be read",
      changes: notes("", { file: { path: "/w/S", status: "read_error" } }),
    },
  ];
for (const { name, changes, lines } of NOTES) {
  Deno.test(`local_tool_notes ${name}`, () =>
    assertEquals(sectionOf("local_tool_notes", changes), lines && ["## Local Scripts", ...lines].join("\n")));
}

const BY_TOOL = [
  { row: "R388", id: "plan_guidance", tool: "plan_create", text: `## Plan\n${list(planGuidance("plan_create"))}` },
  { row: "R388", id: "plan_guidance", tool: "todo", text: `## Plan\n${list(planGuidance("todo"))}` },
  { row: "R393", id: "todo_workflow", tool: "todo", text: `## Todo\n${list(TODO_LIST)}` },
  { row: "R393", id: "todo_workflow", tool: "todo_update", text: `## Todo\n${list(TODO_WORKFLOW)}` },
];
for (const { row, id, tool, text } of BY_TOOL) {
  Deno.test(`${id} ${row} appears with ${tool}, and not otherwise`, () => {
    assertEquals(sectionOf(id, { tools: tools("read", tool) }), text);
    assertEquals(sectionOf(id, { tools: tools("read") }), undefined);
    assertEquals(sectionOf(id, { tools: tools(tool), profile: "minimal" }), undefined);
  });
}

Deno.test("tool_recovery_policy R47 R250 is in the stable half when its flag is set, and only then", () => {
  const { stable, manifest } = compilePrompt(inputs({ toolRecoveryPolicy: true }), meta());
  assert(stable.includes(`## Tool Recovery Policy\n${list(TOOL_RECOVERY)}\n\n`));
  assertEquals(manifest.sections.find((section) => section.id === "tool_recovery_policy")?.stability, "stable");
  assertEquals([
    sectionOf("tool_recovery_policy", {}),
    sectionOf("tool_recovery_policy", { toolRecoveryPolicy: false }),
  ], [
    undefined,
    undefined,
  ]);
});

Deno.test("task_orchestration R46 R257 is in the dynamic half of rounds that can start tasks", () => {
  const active = { tools: tools("read", "task") };
  const { stable, dynamic } = compilePrompt(inputs(active), meta());
  assert(dynamic.startsWith("## Task Orchestration\n- Use task for work that stands on its own"));
  assert(!stable.includes("Task Orchestration"));
  const own = { name: "helper", origin: "extension", isTask: true } as const;
  assert(
    sectionOf("task_orchestration", { tools: [own, ...tools("subagent")] })?.includes("Use helper or subagent for"),
  );
  for (
    const changes of [
      {},
      { ...active, finalAnswer: true },
      { ...active, withoutTools: true },
      { tools: [{ name: "task", origin: "extension", isTask: false } as const] },
    ]
  ) assertEquals(sectionOf("task_orchestration", changes), undefined);
});

Deno.test("blocks R50 R52 stand in the order of appending; an empty one leaves nothing", () => {
  const block = (title: string, content: string) => ({ title, content });
  const blocks = [
    block("Zeta", "last letter\r\nfirst"),
    block("Gone", " \n"),
    block("", "untitled"),
    block("Alpha", "second"),
  ];
  assertEquals(
    sectionOf("blocks", { blocks }),
    "## Zeta\nlast letter\nfirst\n\n## Context\nuntitled\n\n## Alpha\nsecond",
  );
  assertEquals(sectionOf("blocks", { blocks: [] }), undefined);
  const entry = compilePrompt(inputs({ blocks }), meta()).manifest.sections.find((section) => section.id === "blocks");
  assertEquals(entry?.sources.map((source) => source.ref), ["blocks:1", "blocks:2", "blocks:3"]);
  assert(!JSON.stringify(entry).includes("Zeta"));
});
