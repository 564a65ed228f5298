import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { UserError } from "../../src/core/error.ts";
import { compileOverride, compilePrompt } from "../../src/prompt/compile.ts";
import { buildCustomPrompt } from "../../src/prompt/custom_prompt.ts";
import type { PromptBuilderInput } from "../../src/prompt/prompt_builder.ts";
import { applyHookPrompt } from "../../src/prompt/hook_prompt.ts";
import { DEFINITIONS, EVERYTHING, inputs, meta } from "./sample.ts";

const ALL = inputs(EVERYTHING);
const INPUT: PromptBuilderInput = {
  tools: ALL.tools,
  definitions: DEFINITIONS,
  prompt: "the accounts",
  systemPrompt: "Compiled",
  signal: new AbortController().signal,
};

Deno.test("buildCustomPrompt() R54 replaces the whole rendering and gets the tool registry and the task", async () => {
  const seen: unknown[] = [];
  const settled = await buildCustomPrompt(
    (input) => {
      seen.push(input);
      return `Do ${input.prompt} with ${input.tools.map((tool) => tool.name).join("/")}\r\n`;
    },
    INPUT,
  );
  const { full, stable, dynamic, manifest } = compileOverride(settled, ALL, meta());
  assertEquals(full, "Do the accounts with read/bash/edit/write");
  assertEquals([stable, dynamic], [full, ""]);
  assertEquals(seen, [INPUT]);
  assertEquals(manifest.sections.map(({ id, sources }) => `${id} ${sources[0]?.kind} ${sources[0]?.ref}`), [
    "custom_prompt caller prompt_builder",
  ]);
  assertEquals(manifest.hooks, []);
});

Deno.test("buildCustomPrompt() R54 R57 rounds and hooks still follow it", async () => {
  const settled = await buildCustomPrompt(() => Promise.resolve("Mine"), INPUT);
  const base = compileOverride(settled, ALL, meta());
  const round = { ...ALL, retryInstruction: "Look again" };
  assertEquals(compileOverride(settled, round, meta()).full, "Mine\n\n## Retry Instruction\nLook again");
  const hooked = applyHookPrompt(base, `${base.full}\n\nMore`, ["x"]);
  const { full, stable } = compileOverride(hooked, round, meta());
  assertEquals([stable, full], ["Mine", "Mine\n\nMore\n\n## Retry Instruction\nLook again"]);
});

Deno.test("buildCustomPrompt() R54 refuses a blank text and what is none; what a builder throws is the caller's", async () => {
  // As a program without types might.
  const wrong: readonly (() => string)[] = [() => " \n", () => undefined as unknown as string];
  for (const builder of wrong) {
    const error = await assertRejects(() => buildCustomPrompt(builder, INPUT), UserError);
    assertStringIncludes(error.fix, "whole system prompt");
  }
  const throws = () => {
    throw new RangeError("mine");
  };
  await assertRejects(() => buildCustomPrompt(throws, INPUT), RangeError);
});

Deno.test("buildCustomPrompt() without a builder nothing of it is left", () => {
  assert(!compilePrompt(ALL, meta()).manifest.sections.some((section) => section.id === "custom_prompt"));
});
