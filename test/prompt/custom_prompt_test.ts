import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { UserError } from "../../src/core/error.ts";
import { compilePrompt } from "../../src/prompt/compile.ts";
import { buildCustomPrompt, type ToolRegistry } from "../../src/prompt/custom_prompt.ts";
import { applyHookPrompt } from "../../src/prompt/hook_prompt.ts";
import { compileSettled } from "../../src/prompt/settled.ts";
import { DEFINITIONS, EVERYTHING, inputs, meta } from "./sample.ts";

const ALL = inputs(EVERYTHING);
const REGISTRY: ToolRegistry = { tools: ALL.tools, definitions: DEFINITIONS };

Deno.test("buildCustomPrompt() R54 replaces the whole rendering and gets the tool registry and the task", () => {
  const seen: unknown[] = [];
  const settled = buildCustomPrompt(
    (registry, task) => {
      seen.push(registry, task);
      return `Do ${task} with ${registry.tools.map((tool) => tool.name).join("/")}\r\n`;
    },
    REGISTRY,
    "the accounts",
  );
  const { full, stable, dynamic, manifest } = compileSettled(settled, ALL, meta());
  assertEquals(full, "Do the accounts with read/bash/edit/write");
  assertEquals([stable, dynamic], [full, ""]);
  assertEquals(seen, [REGISTRY, "the accounts"]);
  assertEquals(manifest.sections.map(({ id, sources }) => `${id} ${sources[0]?.kind} ${sources[0]?.ref}`), [
    "custom_prompt caller prompt_builder",
  ]);
  assertEquals(manifest.hooks, []);
});

Deno.test("buildCustomPrompt() R54 R57 rounds and hooks still follow it", () => {
  const settled = buildCustomPrompt(() => "Mine", REGISTRY, "task");
  const base = compileSettled(settled, ALL, meta());
  const round = { ...ALL, retryInstruction: "Look again" };
  assertEquals(compileSettled(settled, round, meta()).full, "Mine\n\n## Retry Instruction\nLook again");
  const hooked = applyHookPrompt(base, `${base.full}\n\nMore`, ["x"]);
  const { full, stable } = compileSettled(hooked, round, meta());
  assertEquals([stable, full], ["Mine", "Mine\n\nMore\n\n## Retry Instruction\nLook again"]);
});

Deno.test("buildCustomPrompt() refuses a blank text; what a builder throws is the caller's", () => {
  const error = assertThrows(() => buildCustomPrompt(() => " \n", REGISTRY, "task"), UserError);
  assertStringIncludes(error.fix, "whole system prompt");
  assertThrows(() => {
    buildCustomPrompt(
      () => {
        throw new RangeError("mine");
      },
      REGISTRY,
      "task",
    );
  }, RangeError);
});

Deno.test("buildCustomPrompt() without a builder nothing of it is left", () => {
  assert(!compilePrompt(ALL, meta()).manifest.sections.some((section) => section.id === "custom_prompt"));
});
