import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { UserError } from "../../src/core/error.ts";
import { withSession } from "./world.ts";

const OWN = `export default (sp) => sp.registerTool({
  name: "own",
  description: "Does its own thing",
  parameters: { type: "object", properties: {} },
  execute: () => "own result",
});\n`;
const BAD = 'throw new Error("boom");\n';

const FAILING = [
  { name: "is missing", args: ["-e", "nowhere.ts"], why: "no such file" },
  { name: "throws", args: ["-e", "bad.ts"], why: "boom" },
  { name: "is no program", args: ["-e", "text.ts"], why: "text.ts" },
] as const;

for (const { name, args, why } of FAILING) {
  Deno.test(`an extension that -e names and that ${name} ends the start before any request`, async () => {
    const options = { replies: [{ text: "asked" }], args, files: { "bad.ts": BAD, "text.ts": "no program (" } };
    const error = await assertRejects(() => withSession(options, async () => {}), UserError);
    assertEquals(error.exitCode, 2);
    assertStringIncludes(error.why, why);
  });
}

Deno.test("an extension that -e names and that does not load any more is reported at a reload, and the session goes on", () =>
  withSession({ replies: [{ text: "on" }], args: ["-e", "own.ts"], files: { "own.ts": OWN } }, async (session) => {
    Deno.writeTextFileSync(`${session.ws}/own.ts`, BAD);
    await session.engine.reload();
    assert(session.events.some((event) => event.type === "notice" && event.message.includes("boom")));
    assertEquals(await session.say("go"), "on");
  }));

for (const how of ["--tools", "setting"] as const) {
  Deno.test(`a tool of an extension can be named in ${how === "setting" ? "the setting tools" : how}`, () =>
    withSession({
      replies: [{ calls: [{ name: "own", args: {} }] }, { text: "done", expect: ["own result"] }],
      files: { "own.ts": OWN },
      args: ["-e", "own.ts", ...how === "setting" ? [] : ["--tools", "read,own"]],
      ...(how === "setting" ? { settings: { tools: ["read", "own"] } } : {}),
    }, async ({ engine, say }) => {
      const active = engine.tools().filter((tool) => tool.active).map(({ name }) => name);
      assertEquals(active, ["read", "own"]);
      assertEquals(await say("go"), "done");
    }));
}

Deno.test("a name in --tools that neither the program nor an extension has ends the start", async () => {
  const options = { replies: [], files: { "own.ts": OWN }, args: ["-e", "own.ts", "--tools", "read,owm"] };
  const error = await assertRejects(() => withSession(options, async () => {}), UserError);
  assertEquals([error.exitCode, error.fix], [2, "Did you mean own?"]);
});

Deno.test("a skill that an extension names outside of the read scope is told of, with what grants it", async () => {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-skills-", dir: "/var/tmp" }));
  try {
    Deno.mkdirSync(`${folder}/review`);
    Deno.writeTextFileSync(`${folder}/review/SKILL.md`, "---\nname: review\ndescription: Reviews\n---\nLook.\n");
    const brings = `export default (sp) => sp.on("resources_discover", () => ({ skillPaths: ["${folder}"] }));\n`;
    const options = { replies: [], files: { "brings.ts": brings }, args: ["-e", "brings.ts"] };
    await withSession(options, ({ engine }) => {
      const told = engine.notices.find((notice) => notice.includes("review/SKILL.md")) ?? "";
      assertStringIncludes(told, `--skill ${folder}/review`);
      return Promise.resolve();
    });
    const granted = { ...options, args: [...options.args, "--skill", `${folder}/review`] };
    await withSession(granted, ({ engine }) => {
      assertStringIncludes(engine.compiled().full, "<name>review</name>");
      assertEquals(engine.notices, []);
      return Promise.resolve();
    });
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
