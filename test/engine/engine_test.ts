import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { AgentEvent } from "../../src/core/event.ts";
import { defineExtension } from "../../src/hooks/api/api.ts";
import { buildContext } from "../../src/session/context.ts";
import { manifestsOf } from "../../src/session/manifests.ts";
import { withSession } from "./world.ts";

const extension = (factory: Parameters<typeof defineExtension>[0]) => ({
  extensions: [{ name: "test", factory: defineExtension(factory) }],
});
const read = { name: "read", args: { path: "a.txt" } };

Deno.test("a prompt goes through its stages in their order (K1), and a command through none R165 R166 R167 R168 R169 R180 R212 R218 R219", async () => {
  const log: string[] = [];
  const note = (name: string) => () => void log.push(name);
  await withSession({
    replies: [{ calls: [read] }, { text: "done", expect: ["the file was read"] }],
    files: { "a.txt": "a", ".sandpiper/prompts/look.md": "Look at $1." },
    args: ["--trust"],
    ...extension((sp) => {
      sp.registerCommand("hello", { description: "says hello", handler: note("command") });
      sp.on("input", (event) => void log.push(`input ${event.text}`));
      sp.on("before_agent_start", (event) => void log.push(`before_agent_start ${event.prompt}`));
      sp.on("context", note("context"));
      for (const name of ["agent_start", "turn_start", "turn_end", "agent_end"] as const) sp.on(name, note(name));
      sp.on("tool_call", note("tool_call"));
      sp.on("tool_execution_start", note("tool_execution_start"));
      sp.on("tool_execution_end", note("tool_execution_end"));
      sp.on("tool_result", () => {
        log.push("tool_result");
        return { content: [{ type: "text", text: "the file was read" }] };
      });
    }),
  }, async ({ engine, say }) => {
    assertEquals(await engine.prompt({ text: "/hello", source: "interactive" }), { kind: "command" });
    assertEquals(log, ["command"]); // no hook, no request
    assertEquals(await say("/look here"), "done");
    assertEquals(log.slice(1), [
      "input /look here",
      "before_agent_start Look at here.",
      "agent_start",
      "turn_start",
      "context",
      "tool_call",
      "tool_execution_start",
      "tool_execution_end",
      "tool_result",
      "turn_end",
      "turn_start",
      "context",
      "turn_end",
      "agent_end",
    ]);
  });
});

Deno.test("hooks may answer, change and add to a prompt, for that prompt alone R57 R177 R183 R184 R185 R186 R187 R188 R189 R446", () =>
  withSession({
    replies: [
      { text: "ahoy", expect: ["Say ahoy.", "from the hook", "first words"] },
      { text: "plain", expect: ["second words"] },
    ],
    ...extension((sp) => {
      let prompts = 0;
      sp.on("input", (event) => event.text === "ping" ? { action: "handled" } : { action: "continue" });
      sp.on("before_agent_start", (event) => {
        if (++prompts > 1) return undefined;
        return {
          systemPrompt: `${event.systemPrompt}\n\nSay ahoy.`,
          message: { customType: "note", content: "from the hook", display: false },
        };
      });
    }),
  }, async ({ engine, say, events }) => {
    assertEquals(await engine.prompt({ text: "ping", source: "interactive" }), { kind: "handled" });
    const base = engine.compiled().full;
    assertEquals(await say("first words"), "ahoy");
    assertEquals(engine.messages().map(({ role }) => role), ["user", "custom", "assistant"]);
    assertEquals(await say("second words"), "plain");
    assertEquals(engine.compiled().full, base);
    const [first, second] = manifests(events);
    assertEquals(first?.sections.some(({ id }) => id === "extension_prompt"), true);
    assertEquals(second?.sections.some(({ id }) => id === "extension_prompt"), false);
  }));

Deno.test("a session resumes with the messages that the next request would have had R324 R330 R331 R352", async () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync());
  const at = { ws: `${top}/ws`, home: `${top}/home` };
  try {
    let before: readonly unknown[] = [];
    await withSession(
      { at, replies: [{ calls: [read] }, { text: "one" }], files: { "a.txt": "a" } },
      async (session) => {
        await session.say("first");
        await session.engine.bash("echo typed", false);
        before = session.engine.messages();
        const { path } = session.engine.store();
        assert(path !== undefined);
        const lines = Deno.readTextFileSync(path).trim().split("\n").map((line) => JSON.parse(line));
        assertEquals(lines.some((line) => line.message?.role === "system"), false);
        assertEquals(manifestsOf(session.engine.store().entries()).length, 2);
      },
    );
    await withSession(
      { at, args: ["-c"], replies: [{ text: "two", expect: ["echo typed", "one"] }] },
      async (session) => {
        assertEquals(JSON.stringify(session.engine.messages()), JSON.stringify(before));
        assertEquals(await session.say("second"), "two");
        assertEquals(buildContext(session.engine.store()).messages.length, session.engine.messages().length);
      },
    );
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});

Deno.test("a typed command runs in the tools' scope, and !! keeps it from the model R201 R205", () =>
  withSession({
    replies: [{ text: "ok", expect: ["seen by all"] }],
    files: { "a.txt": "seen by all" },
  }, async ({ engine, say, home }) => {
    Deno.writeTextFileSync(`${home}/secret`, "PRIVATE");
    const open = await engine.bash("cat a.txt", false);
    assertStringIncludes(open.output, "seen by all");
    const hidden = await engine.bash(`cat ${home}/secret; echo HIDDEN`, true);
    assertEquals(hidden.output.includes("PRIVATE"), false);
    assertEquals(await say("go"), "ok");
    const roles = engine.messages().map(({ role }) => role);
    assertEquals(roles, ["bashExecution", "bashExecution", "user", "assistant"]);
  }));

Deno.test("tools chosen during a run count from the next prompt on R230 R440 R441 R447", () =>
  withSession({
    replies: [{ calls: [read] }, { text: "one" }, { text: "two" }],
    files: { "a.txt": "a" },
    ...extension((sp) => {
      sp.on("tool_call", async () => void await sp.setActiveTools(["bash"]).catch(() => {}));
    }),
  }, async ({ engine, say, events }) => {
    await say("first");
    await say("second");
    const [first, second, third] = manifests(events);
    assertEquals(first?.tools, second?.tools);
    assertEquals(third?.tools.names, ["bash"]);
    assertEquals(third?.trigger, "tools");
    assertEquals(engine.setActiveTools(["read", "nonsense"]), ["read"]);
    assertEquals(engine.tools().filter(({ active }) => active).map(({ name }) => name), ["read"]);
  }));

Deno.test("an extension's tool is in prompt and request while it is active R64 R65 R231 R444", () =>
  withSession({
    replies: [{ calls: [{ name: "dice", args: { sides: "six" } }, { name: "dice", args: { sides: 6 } }] }, {
      text: "4",
    }],
    ...extension((sp) => {
      sp.registerTool({
        name: "dice",
        description: "Rolls a die with many words",
        promptSnippet: "Roll a die",
        promptGuidelines: ["Roll only when asked"],
        parameters: { type: "object", properties: { sides: { type: "integer" } }, required: ["sides"] },
        execute: () => Promise.resolve({ content: [{ type: "text", text: "rolled 4" }] }),
      });
    }),
  }, async ({ engine, say }) => {
    assertStringIncludes(engine.compiled().full, "- dice: Roll a die\n");
    assertStringIncludes(engine.compiled().full, "- Roll only when asked\n");
    assertEquals(await say("roll"), "4");
    const results = engine.messages().flatMap((message) => message.role === "toolResult" ? [message] : []);
    assertEquals(results.map(({ isError }) => isError), [true, false]);
    engine.setActiveTools(["read"]);
    assertEquals(engine.compiled().full.includes("dice"), false);
  }));

Deno.test("a denial that is allowed makes another policy, which prompt and manifest show R454 R480", () =>
  withSession({
    replies: [{ calls: [{ name: "read", args: { path: "../outside/b.txt" } }] }, {
      text: "got it",
      expect: ["OUTSIDE"],
    }],
    ask: () => Promise.resolve("session" as const),
  }, async ({ ws, say, events }) => {
    const outside = `${ws}/../outside`;
    Deno.mkdirSync(outside);
    Deno.writeTextFileSync(`${outside}/b.txt`, "OUTSIDE");
    assertEquals(await say("read it"), "got it");
    const types = events.map(({ type }) => type).filter((type) => type.startsWith("permission"));
    assertEquals(types, ["permission_request", "permission_decision"]);
    const [first, second] = manifests(events);
    assert(!JSON.stringify(first?.policy).includes("/outside"));
    assert(JSON.stringify(second?.policy).includes("/outside"));
    assert(first?.fingerprints.stable !== second?.fingerprints.stable);
  }));

function manifests(events: readonly AgentEvent[]) {
  return events.flatMap((event) => event.type === "prompt_compiled" ? [event.manifest] : []);
}
