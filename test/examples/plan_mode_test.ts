import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { HostUi } from "../../src/core/host_actions.ts";
import { textOf } from "../../src/core/message.ts";
import { type Session, withSession } from "../engine/world.ts";
import { serveGated } from "../helpers/gated_server.ts";
import { callReply, textReply } from "../helpers/server.ts";
import { until } from "../helpers/until.ts";
import { example } from "./place.ts";

const args = ["-e", example("plan_mode.ts")];
const write = { name: "write", args: { path: "new.txt", content: "made" } };
const bash = { name: "bash", args: { command: "echo made > other.txt" } };

/** A person who answers questions from a list and is told what happens. */
function person(answers: readonly (string | undefined)[]) {
  const told: string[] = [];
  let asked = 0;
  const ui: HostUi = {
    select: (title, options) => {
      told.push(`${title} ${options.join("|")}`);
      return Promise.resolve(answers[asked++]);
    },
    confirm: () => Promise.resolve(false),
    input: () => Promise.resolve(undefined),
    notify: (message) => Promise.resolve(void told.push(message)),
    setStatus: (key, text) => Promise.resolve(void told.push(`${key}: ${text ?? "-"}`)),
  };
  return { ui, told };
}

function results({ engine }: Session): readonly string[] {
  return engine.messages().flatMap((one) => one.role === "toolResult" ? [textOf(one.content)] : []);
}

function activeTools({ engine }: Session): readonly string[] {
  return engine.tools().flatMap(({ name, active }) => active ? [name] : []);
}

Deno.test("plan_mode.ts: nothing is changed until the person approves, then everything is as before R446", async () => {
  const { ui, told } = person(["Go on planning", "Carry it out"]);
  await withSession({
    replies: [
      { calls: [write, bash], expect: ["# Plan mode"] },
      { text: "1. write new.txt" },
      { text: "1. write new.txt, at last", expect: ["# Plan mode"] },
      { calls: [write], expect: ["The plan is approved. Carry it out."] },
      { text: "done" },
    ],
    args,
    ui,
  }, async (session) => {
    const { engine, ws, say } = session;
    const before = activeTools(session);
    assertEquals(before, ["read", "bash", "edit", "write"]);
    await engine.prompt({ text: "/draft", source: "interactive" });
    assertEquals(activeTools(session), ["read", "grep", "find", "ls"]);
    assertEquals(await say("change it"), "1. write new.txt");
    assertEquals(results(session).length, 2);
    for (const result of results(session)) {
      assert(/Plan mode|not (?:available|active|found)|no tool/i.test(result), result);
    }
    assertEquals([...Deno.readDirSync(ws)], []);
    await until(() => told.filter((line) => line.startsWith("Carry out")).length === 1);
    assertEquals(await say("are you sure?"), "1. write new.txt, at last");
    await until(() => engine.messages().some((one) => one.role === "assistant" && textOf(one.content) === "done"));
    assertEquals(Deno.readTextFileSync(`${ws}/new.txt`), "made");
    assertEquals(activeTools(session), before);
    assert(!engine.compiled().full.includes("# Plan mode"));
    assertEquals(told, [
      "plan_mode: plan mode",
      "Plan mode: nothing is changed until you approve the plan",
      "Carry out the plan? Carry it out|Go on planning",
      "Carry out the plan? Carry it out|Go on planning",
      "plan_mode: -",
    ]);
  });
});

Deno.test("plan_mode.ts: without anybody to ask, /draft approve has the plan carried out and /draft off drops it", () =>
  withSession({
    replies: [
      { text: "a plan", expect: ["# Plan mode"] },
      { calls: [write] },
      { text: "done" },
      { calls: [bash] },
      { text: "free" },
    ],
    args,
  }, async (session) => {
    const { engine, ws, say, events } = session;
    const command = (text: string) => engine.prompt({ text, source: "interactive" });
    assertEquals(await command("/draft off"), { kind: "command" });
    await command("/draft");
    assertEquals(await say("plan it"), "a plan");
    await command("/draft approve");
    await engine.waitForIdle();
    assertEquals(Deno.readTextFileSync(`${ws}/new.txt`), "made");
    await command("/draft");
    await command("/draft off");
    assertEquals(await say("go"), "free");
    assertEquals(Deno.readTextFileSync(`${ws}/other.txt`), "made\n");
    const notices = events.flatMap((event) => event.type === "notice" ? [event.message] : []);
    assertStringIncludes(notices[0] ?? "", "/draft approve and /draft off end it");
  }));

Deno.test("plan_mode.ts: a resumed session is still planning", async () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-plan-" }));
  const at = { ws: `${top}/ws`, home: `${top}/home` };
  try {
    await withSession({ replies: [{ text: "a plan" }], args, at }, async ({ engine, say }) => {
      await engine.prompt({ text: "/draft", source: "interactive" });
      await say("plan it");
    });
    await withSession({
      replies: [{ calls: [write], expect: ["# Plan mode"] }, { text: "blocked" }],
      args: [...args, "--continue"],
      at,
    }, async (session) => {
      assertEquals(await session.say("write it"), "blocked");
      assertEquals([...Deno.readDirSync(at.ws)], []);
      assertEquals(activeTools(session), ["read", "grep", "find", "ls"]);
    });
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});

Deno.test("plan_mode.ts: what --tools leaves out is not switched on, and a tool that is gone at a resume holds nothing up", async () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-plan-" }));
  const at = { ws: `${top}/ws`, home: `${top}/home` };
  const plan = (text: string) => ({ engine }: Session) => engine.prompt({ text, source: "interactive" });
  try {
    await withSession(
      { replies: [{ text: "ok" }], args: [...args, "--tools", "read,write,ls"], at },
      async (session) => {
        await session.say("begin");
        await plan("/draft")(session);
        assertEquals(activeTools(session), ["read", "ls"]);
      },
    );
    await withSession(
      { replies: [{ text: "ok" }], args: [...args, "--tools", "read,bash", "--continue"], at },
      async (session) => {
        await plan("/draft off")(session);
        assertEquals(activeTools(session), ["read"]);
        assert(!session.engine.compiled().full.includes("# Plan mode"));
      },
    );
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});

Deno.test("plan_mode.ts: a run that is going on when planning begins changes nothing more", async () => {
  await using server = serveGated([[{ gate: "go" }, ...callReply(write, bash)], textReply("stopped")]);
  const model = ["-m", "wire", "--base-url", server.baseUrl];
  await withSession({ replies: [{ text: "" }], args: [...args, ...model] }, async (session) => {
    const run = session.say("change it");
    // The tools of a run are chosen when it starts: from its first request on it has them.
    const isUnderWay = () => session.events.some(({ type }) => type === "prompt_compiled");
    await until(isUnderWay);
    await session.engine.prompt({ text: "/draft", source: "interactive" });
    server.open("go");
    assertEquals(await run, "stopped");
    const plan = (name: string) => `Plan mode: ${name} is off until the user approves the plan. Go on planning`;
    assertEquals(results(session), [plan("write"), plan("bash")]);
    assertEquals([...Deno.readDirSync(session.ws)], []);
  });
});
