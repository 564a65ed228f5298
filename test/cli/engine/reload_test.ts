import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { ExtensionApi } from "../../../src/hooks/api.ts";
import { brought } from "./brought.ts";
import { withSession } from "./world.ts";

const skill = (name: string) => `---\nname: ${name}\ndescription: Does ${name}\n---\n# ${name}\n`;

Deno.test("files count as they were at the start until a reload reads them anew R125 R163 R225 R442 R443 R445 R450", async () => {
  const reasons: string[] = [];
  await withSession({
    replies: [{ text: "one", expect: ["OLD RULES"] }, { text: "two", expect: ["OLD RULES"] }, {
      text: "three",
      expect: ["NEW RULES", "Brought: now."],
    }],
    files: {
      "AGENTS.md": "OLD RULES",
      "more/skills/alpha/SKILL.md": skill("alpha"),
      "more/prompts/brought.md": "Brought: $1.",
    },
    args: ["--trust"],
    ...brought((sp) =>
      sp.on("resources_discover", ({ reason, cwd }) => {
        reasons.push(reason);
        return { skillPaths: [`${cwd}/more/skills`], promptPaths: [`${cwd}/more/prompts`], themePaths: ["/nowhere"] };
      })
    ),
  }, async ({ engine, say, ws, events }) => {
    assertStringIncludes(engine.compiled().full, `<location>${ws}/more/skills/alpha/SKILL.md</location>`);
    await say("first");
    const before = engine.compiled().full;
    Deno.writeTextFileSync(`${ws}/AGENTS.md`, "NEW RULES");
    Deno.mkdirSync(`${ws}/more/skills/beta`);
    Deno.writeTextFileSync(`${ws}/more/skills/beta/SKILL.md`, skill("beta"));
    assertEquals(engine.compiled().full, before);
    await say("second");
    await engine.reload();
    assertEquals(await say("/brought now"), "three");
    const { full } = engine.compiled();
    assertEquals([full.includes("OLD RULES"), full.includes("<name>beta</name>")], [false, true]);
    assertEquals(reasons, ["startup", "reload"]);
    const triggers = events.flatMap((event) => event.type === "prompt_compiled" ? [event.manifest.trigger] : []);
    assertEquals(triggers, ["startup", "prompt", "reload"]);
  });
});

Deno.test("a tool that comes or goes while the session runs is in the next prompt, and in none before R66 R444 R447", async () => {
  const box: { api?: ExtensionApi; remove?: () => void } = {};
  const tool = {
    name: "dice",
    description: "Rolls a die",
    promptGuidelines: ["Roll only when asked"],
    parameters: { type: "object", properties: {} },
    execute: () => "4",
  };
  await withSession({
    replies: [
      { calls: [{ name: "read", args: { path: "a.txt" } }] },
      { text: "one" },
      { text: "two", expect: ["Roll only when asked"] },
      { text: "three" },
    ],
    files: { "a.txt": "a" },
    ...brought((sp) => {
      box.api = sp;
      sp.on("tool_call", () => void (box.remove ??= sp.registerTool(tool)));
    }),
  }, async ({ engine, say, events }) => {
    await say("first");
    await say("second");
    assert(engine.compiled().full.includes("- dice: "));
    box.remove?.();
    await say("third");
    const names = events.flatMap((event) =>
      event.type === "prompt_compiled" ? [event.manifest.tools.names.includes("dice")] : []
    );
    assertEquals(names, [false, false, true, false]);
    assertEquals(engine.compiled().full.includes("dice"), false);
  });
});
