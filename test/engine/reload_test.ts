import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { dirname } from "@std/path";
import { UserError } from "../../src/core/error.ts";
import { isInside } from "../../src/core/policy.ts";
import type { ExtensionApi } from "../../src/hooks/api/api.ts";
import { brought } from "./brought.ts";
import { type SessionOptions, withSession } from "./world.ts";

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

const settingsOf = (home: string): string => `${home}/.sandpiper/agent/settings.json`;

Deno.test("reload() reads the settings anew: what the prompt and the next run take from them, and no more R443", () =>
  withSession({
    replies: [{ calls: [{ name: "read", args: { path: "a.txt" } }] }, { text: "as far as I got" }],
    files: { "a.txt": "alpha" },
    settings: { identity: "assistant" },
  }, async ({ engine, say, home, events }) => {
    const { policy, model } = engine.state();
    const before = engine.compiled().full;
    Deno.writeTextFileSync(
      settingsOf(home),
      JSON.stringify({
        identity: "compiler",
        limits: { maxTurns: 1 },
        permissions: { write: ["/"], net: true },
        model: "another",
        frobnicate: 1,
      }),
    );
    assertEquals(engine.compiled().full, before);
    await engine.reload();
    assert(engine.compiled().full !== before);
    // What tools may do, and who answers, is what the session was started with.
    assertEquals([engine.state().policy, engine.state().model], [policy, model]);
    assertEquals(events.flatMap((one) => one.type === "notice" ? [/frobnicate/.test(one.message)] : []), [true]);
    assertEquals(await say("go"), "as far as I got");
    const ended = events.find((event) => event.type === "agent_end");
    assertEquals(ended?.type === "agent_end" && ended.limit, "maxTurns");
  }));

Deno.test("reload() with settings that cannot be used says so and leaves everything as it is", () =>
  withSession(
    { replies: [{ text: "one" }], files: { "AGENTS.md": "OLD RULES" } },
    async ({ engine, say, ws, home }) => {
      const before = engine.compiled().full;
      Deno.writeTextFileSync(`${ws}/AGENTS.md`, "NEW RULES");
      Deno.writeTextFileSync(settingsOf(home), '{"limits": "none"}');
      await assertRejects(() => engine.reload(), UserError, '"limits"');
      assertEquals(engine.compiled().full, before);
      assertEquals(await say("go"), "one");
      Deno.removeSync(settingsOf(home));
      await engine.reload();
      assertStringIncludes(engine.compiled().full, "NEW RULES");
    },
  ));

Deno.test("a reload finds configuration directories that were created since, and tools can read the skills in them R442", () =>
  withSession({
    replies: [
      { text: "one" },
      { calls: [{ name: "read", args: { path: "~/.sandpiper/agent/skills/late/SKILL.md" } }] },
      { text: "two", expect: ["# late", "USERS APPEND", "PROJECT SYSTEM", "Template text."] },
      { text: "three" },
    ],
    args: ["--trust"],
  }, async ({ engine, say, ws, home }) => {
    const own = `${home}/.sandpiper/agent`;
    await say("first");
    Deno.mkdirSync(`${own}/skills/late`, { recursive: true });
    Deno.writeTextFileSync(`${own}/skills/late/SKILL.md`, skill("late"));
    Deno.writeTextFileSync(`${own}/APPEND_SYSTEM.md`, "USERS APPEND");
    Deno.mkdirSync(`${ws}/.sandpiper/prompts`, { recursive: true });
    Deno.writeTextFileSync(`${ws}/.sandpiper/SYSTEM.md`, "PROJECT SYSTEM");
    Deno.writeTextFileSync(`${ws}/.sandpiper/prompts/t.md`, "Template text.");
    await engine.reload();
    assertEquals(await say("/t"), "two");
    assertStringIncludes(engine.compiled().full, "PROJECT SYSTEM");
  }));

Deno.test("a project's directory that was created since is not trusted by a reload", () =>
  withSession({ replies: [{ text: "one" }], files: { "a.txt": "a" } }, async ({ engine, ws, events }) => {
    Deno.mkdirSync(`${ws}/.sandpiper/skills/late`, { recursive: true });
    Deno.writeTextFileSync(`${ws}/.sandpiper/skills/late/SKILL.md`, skill("late"));
    Deno.writeTextFileSync(`${ws}/.sandpiper/SYSTEM.md`, "PROJECT SYSTEM");
    await engine.reload();
    const { full } = engine.compiled();
    assertEquals([full.includes("PROJECT SYSTEM"), full.includes("<name>late</name>")], [false, false]);
    const notices = events.flatMap((event) => event.type === "notice" ? [event.message] : []);
    assertEquals(notices.filter((notice) => notice.includes("nobody has trusted it")).length, 1);
  }));

Deno.test("a reload opens no place that a link of a skills directory leads to", () =>
  withSession({ replies: [{ text: "one" }] }, async ({ engine, home }) => {
    Deno.mkdirSync(`${home}/.ssh`);
    Deno.mkdirSync(`${home}/.agents`);
    Deno.symlinkSync(`${home}/.ssh`, `${home}/.agents/skills`);
    const before = JSON.stringify(engine.state().policy);
    await engine.reload();
    assertEquals(JSON.stringify(engine.state().policy), before);
  }));

/** A place for a session whose SANDPIPER_HOME is `own`, relative to its parent; removed afterwards. */
async function withOwnHome(
  own: string,
  work: (place: Pick<SessionOptions, "at" | "env">, own: string) => Promise<void>,
): Promise<void> {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-engine-" }));
  try {
    const at = { ws: `${top}/ws`, home: `${top}/home` };
    await work({ at, env: { SANDPIPER_HOME: `${top}/${own}` } }, `${top}/${own}`);
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
}

Deno.test("a reload finds skills in a SANDPIPER_HOME outside the home that was created since, and tools can read them R442", () =>
  withOwnHome("own/agent", (place, own) =>
    withSession({
      replies: [
        { text: "one" },
        { calls: [{ name: "read", args: { path: `${own}/skills/late/SKILL.md` } }] },
        { text: "two", expect: ["# late"] },
      ],
      ...place,
    }, async ({ engine, say }) => {
      await say("first");
      Deno.mkdirSync(`${own}/skills/late`, { recursive: true });
      Deno.writeTextFileSync(`${own}/skills/late/SKILL.md`, skill("late"));
      Deno.writeTextFileSync(`${own}/settings.json`, "{}");
      await engine.reload();
      assertStringIncludes(engine.compiled().full, `<location>${own}/skills/late/SKILL.md</location>`);
      assertEquals(await say("second"), "two");
      const { denyRead } = engine.state().policy;
      assert(denyRead.some((path) => isInside(`${own}/settings.json`, path)), JSON.stringify(denyRead));
    })));

Deno.test("a reload opens no skills of a SANDPIPER_HOME that has become a link since", () =>
  withOwnHome(
    "own/agent",
    (place, own) =>
      withSession({ replies: [{ text: "one" }], ...place }, async ({ engine, home }) => {
        Deno.mkdirSync(`${home}/private/skills`, { recursive: true });
        Deno.mkdirSync(dirname(own));
        Deno.symlinkSync(`${home}/private`, own);
        const before = JSON.stringify(engine.state().policy);
        await engine.reload();
        assertEquals(JSON.stringify(engine.state().policy), before);
      }),
  ));
