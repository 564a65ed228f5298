import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { routeCall } from "../../src/agent/tool_call.ts";
import { dispatch } from "../../src/runner/dispatch.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { readSkillAt } from "../../tools/mod.ts";
import { WHOLE_TOOLS } from "../../tools/table.ts";
import { defineTool } from "../../scripts/docs/define_tool.ts";
import { type SearchWorkspace, searchWorkspace, shown } from "../helpers/search_workspace.ts";

/** A call from the model's side to the runner's, as a session makes it. */
async function call(workspace: SearchWorkspace, args: JsonObject): Promise<string> {
  const places = new Map(["a", "b", "out", "gone"].map((slug) => [slug, `${workspace.root}/skills/${slug}/SKILL.md`]));
  places.set("out", "/etc/hostname");
  const tool = readSkillAt(() => places);
  const routed = await routeCall(
    { type: "toolCall", id: "1", name: tool.name, arguments: args },
    new Map([[tool.name, tool]]),
  );
  if (routed.kind === "answered") return shown(routed.result);
  return shown(await dispatch(WHOLE_TOOLS, { name: tool.name, args: routed.call.arguments }, workspace.context));
}

Deno.test("read_skill gives the instructions of a slug, without the block before them R133 R134", async () => {
  using workspace = searchWorkspace({
    "skills/a/SKILL.md": "\ufeff---\r\nname: a\r\ndescription: d\r\n---\r\n\r\n# Do it\r\n---\r\nWell\x1b[31m.\r\n",
    "skills/b/SKILL.md": "---\nname: b\n---\n",
  });
  const text = `References are relative to ${workspace.root}/skills/a.\n\n# Do it\n---\nWell\u241b[31m.`;
  for (const slug of ["a", "$a", "skill:a", "/skill:a", " a "]) assertEquals(await call(workspace, { slug }), text);
  assertStringIncludes(await call(workspace, { slug: "b" }), "no instructions");
});

Deno.test("read_skill takes the place from the host and never from the model R146", async () => {
  using workspace = searchWorkspace({ "skills/a/SKILL.md": "A", "secret/x": "KEY" });
  const path = `${workspace.root}/secret/x`;
  assertStringIncludes(await call(workspace, { slug: "a", path }), "A");
  assertStringIncludes(await call(workspace, { slug: "x", path }), 'there is no skill "x"; there is a, b, out, gone');
  assertStringIncludes(await call(workspace, { slug: "out" }), "outside the read scope");
  assertStringIncludes(await call(workspace, { slug: "gone" }), "ERROR");
  assertStringIncludes(await call(workspace, { path }), "slug: is required");
});

Deno.test("read_skill cuts long instructions and says how to go on, and refuses what is no text", async () => {
  using workspace = searchWorkspace({
    "skills/a/SKILL.md": "x".repeat(80_000),
    "skills/b/SKILL.md": "x".repeat(1024 * 1024 + 1),
  });
  const text = await call(workspace, { slug: "a" });
  assertEquals([text.length < 73_000, text.includes("[Cut after 72000 characters. Open skills/a/SKILL.md")], [
    true,
    true,
  ]);
  assertStringIncludes(await call(workspace, { slug: "b" }), "Open parts of it with read");
});

Deno.test("readSkillAt() shows the model a slug and nothing else", async () => {
  assertEquals((await defineTool(readSkillAt(() => new Map()))).parameters, {
    type: "object",
    properties: { slug: { type: "string", description: "As the prompt lists it" } },
    required: ["slug"],
  });
  await assertRejects(async () => await readSkillAt(() => new Map()).prepare?.({ slug: "a" }), Error, "there is none");
});
