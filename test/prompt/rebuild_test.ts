import { assert, assertEquals } from "@std/assert";
import type { PromptInputs } from "../../src/core/prompt.ts";
import { compilePrompt, compileRound, compileStable } from "../../src/prompt/compile.ts";
import { PROMPTS } from "./golden_prompts.ts";
import { inputs, loaded, meta, tools } from "./sample.ts";

Deno.test("compilePrompt() R51 makes its parts in one order: skills, persona, notes, plan, todo, channel, memory, render", () => {
  const steps: string[] = [];
  compilePrompt(inputs(PROMPTS.everything), meta(), (step) => steps.push(step));
  const order = [
    "skills_listing",
    "identity_base",
    "soul_core",
    "identity_core",
    "user_persona",
    "local_tool_notes",
    "plan_guidance",
    "todo_workflow",
    "channel_augment",
    "memory_summaries",
    "render",
  ];
  assertEquals(steps.filter((step) => order.includes(step)), order);
  assertEquals([steps[0], steps.at(-1)], ["skills_listing", "render"]);
  assertEquals(new Set(steps).size, steps.length);
});

Deno.test("compilePrompt() R50 renders identity, skills, blocks, tools and rules from one value", () => {
  const { full } = compilePrompt(inputs(PROMPTS.everything), meta());
  for (const part of ["You are sandpiper", "<name>review</name>", "## House Style", "- deploy: Ship", "- Never push"]) {
    assert(full.includes(part), part);
  }
});

Deno.test("compilePrompt() R55 is one function: equal values give equal prompts, however they were made", () => {
  for (const [name, changes] of Object.entries(PROMPTS)) {
    const first = compilePrompt(inputs(changes), meta());
    const copy: PromptInputs = structuredClone(inputs(changes));
    assertEquals(compilePrompt(copy, meta()), first, name);
    assertEquals(compileRound(compileStable(copy), copy, meta()), first, name);
  }
});

/** What each event changes: a new base is compiled from what is then true. */
const EVENTS: readonly {
  readonly row: string;
  readonly event: string;
  readonly changes: Partial<PromptInputs>;
  readonly stable: boolean;
  readonly dynamic: boolean;
}[] = [
  { row: "R448", event: "a rebuild with nothing new", changes: {}, stable: false, dynamic: false },
  { row: "R440 R444", event: "other tools", changes: { tools: tools("read", "grep") }, stable: true, dynamic: false },
  {
    row: "R442",
    event: "an edited AGENTS.md",
    changes: { contextFiles: [loaded("/a/AGENTS.md", "b")] },
    stable: true,
    dynamic: false,
  },
  {
    row: "R443",
    event: "a skill that a hook added",
    changes: { skills: [{ name: "x", description: "d", path: "/x/SKILL.md" }] },
    stable: true,
    dynamic: false,
  },
  {
    row: "R345",
    event: "an edited SOUL.md",
    changes: { persona: { mode: "sections", soul: loaded("/a/SOUL.md", "b") } },
    stable: true,
    dynamic: false,
  },
  {
    row: "R344 R420",
    event: "a later clock",
    changes: { runtime: { ...inputs().runtime, dateTime: "later" } },
    stable: false,
    dynamic: true,
  },
  {
    row: "R126",
    event: "skills of a turn",
    changes: {
      runtimeSkills: [{ name: "X", slug: "x", description: "d", state: "explicit", reason: "$x" }],
    },
    stable: false,
    dynamic: true,
  },
  {
    row: "R405",
    event: "new memory",
    changes: { memory: { today: "2026-01-01", longTerm: ["a"] } },
    stable: false,
    dynamic: true,
  },
  { row: "R44", event: "a failed tool", changes: { retryInstruction: "Again" }, stable: false, dynamic: true },
];
const BASE = compilePrompt(inputs(), meta()).manifest.fingerprints;
for (const { row, event, changes, stable, dynamic } of EVENTS) {
  Deno.test(`compilePrompt() ${row} ${event} shows in the fingerprints where it should`, () => {
    const now = compilePrompt(inputs(changes), meta()).manifest.fingerprints;
    assertEquals([now.stable !== BASE.stable, now.dynamic !== BASE.dynamic], [stable, dynamic]);
    assertEquals(now.full !== BASE.full, stable || dynamic);
  });
}

Deno.test("compilePrompt() R258 R450 each round has a manifest of its own, with trigger and round", () => {
  const stable = compileStable(inputs());
  const rounds = [
    compileRound(stable, inputs(), meta({ trigger: "reload", round: 1 })),
    compileRound(stable, inputs({ retryInstruction: "Again" }), meta({ trigger: "round", round: 2 })),
    compileRound(stable, inputs(), meta({ trigger: "round", round: 3 })),
  ].map((compiled) => compiled.manifest);
  assertEquals(rounds.map(({ trigger, round }) => `${trigger} ${round}`), ["reload 1", "round 2", "round 3"]);
  const [first, second, third] = rounds.map((manifest) => manifest.fingerprints.dynamic);
  assert(first !== second && first === third);
});

Deno.test("compilePrompt() X12 X13 AGENTS.md is plain text, and the nearest one comes last", () => {
  const text = "---\nnot: fields\n---\nPlain";
  const contextFiles = [loaded("/AGENTS.md", text), loaded("/work/app/AGENTS.md", "Nearest")];
  const { full } = compilePrompt(inputs({ contextFiles }), meta());
  assert(full.includes(`## /AGENTS.md\n\n${text}\n\n## /work/app/AGENTS.md\n\nNearest\n\n`));
});
