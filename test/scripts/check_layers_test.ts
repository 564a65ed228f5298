import { assertEquals } from "@std/assert";
import { allowed, importsOf, layerOf, violations } from "../../scripts/check_layers.ts";

const RULES = [
  // What of the past is sent, what a turn adds to the prompt, and what the wire carries know nothing of each other.
  { from: "src/history/rolling.ts", to: "src/agent/recovery.ts", ok: false, row: "R303" },
  { from: "src/history/convert.ts", to: "src/provider/chat_messages.ts", ok: false, row: "R303" },
  { from: "src/agent/recovery.ts", to: "src/history/rolling.ts", ok: false, row: "R303" },
  { from: "src/agent/recovery.ts", to: "src/provider/chat_request.ts", ok: false, row: "R303" },
  { from: "src/provider/chat_request.ts", to: "src/history/convert.ts", ok: false, row: "R303" },
  { from: "src/provider/chat_request.ts", to: "src/agent/recovery.ts", ok: false, row: "R303" },
  // Skills are found and chosen by others: the compiler gets what is to be said of them.
  { from: "src/prompt/skills_prompt.ts", to: "src/context/skill_selection.ts", ok: false, row: "R127" },
  { from: "src/agent/run.ts", to: "src/core/message.ts", ok: true },
  { from: "src/agent/run.ts", to: "src/provider/mod.ts", ok: false },
  { from: "src/prompt/compile.ts", to: "src/agent/run.ts", ok: false },
  { from: "src/core/text.ts", to: "src/agent/run.ts", ok: false },
  { from: "src/cli/engine/engine.ts", to: "src/sandbox/shell/shell.ts", ok: true },
  { from: "src/cli/engine/engine.ts", to: "tools/mod.ts", ok: true },
  { from: "src/cli/engine/engine.ts", to: "tools/read.ts", ok: false },
  { from: "src/cli/engine/engine.ts", to: "src/runner/files.ts", ok: false },
  { from: "src/runner/dispatch.ts", to: "tools/mod.ts", ok: true },
  { from: "src/runner/dispatch.ts", to: "src/sandbox/policy/policy.ts", ok: false },
  { from: "tools/read.ts", to: "tools/truncate.ts", ok: true },
  { from: "tools/read.ts", to: "src/runner/files.ts", ok: false },
  { from: "main.ts", to: "src/runner/process.ts", ok: true },
] as const;

for (const { from, to, ok, ...more } of RULES) {
  const row = "row" in more ? more.row : "R30";
  Deno.test(`allowed() ${ok ? "lets" : "does not let"} ${from} import ${to} ${row}`, () => {
    assertEquals(allowed(layerOf(from) ?? "", layerOf(to) ?? "", to), ok);
  });
}

Deno.test("importsOf() sees static, dynamic and type imports and no comments", () => {
  const source = `import { a } from "./a.ts";\nimport type { B } from "../b.ts";\nexport { c } from "./c.ts";
const d = await import("./d.ts");\n// import "./no.ts"\nimport "./e.ts";\nimport x from "npm:x";`;
  assertEquals(importsOf(source).sort(), ["../b.ts", "./a.ts", "./c.ts", "./d.ts", "./e.ts"]);
});

Deno.test("violations() finds none in this repository R30 R127 R303", () => {
  assertEquals(violations(new URL("../..", import.meta.url).pathname), []);
});
