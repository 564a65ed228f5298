// What holds for a sub-agent because it holds for the session around it: stops, answers of a person, guards, plans, trials.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { PermissionAnswer } from "../../src/core/event.ts";
import { textOf } from "../../src/core/message.ts";
import { until } from "../helpers/until.ts";
import { brought } from "./brought.ts";
import { type Session, withSession } from "./world.ts";

const task = (args: object) => ({ name: "task", args: { description: "a part", ...args } });
const bash = (command: string) => ({ name: "bash", args: { command } });
const write = (path: string, content = "made\n") => ({ name: "write", args: { path, content } });
const TOOLS = ["--tools", "read,bash,edit,write,task"];

/** Results of a sub-agent's own calls, in order. */
function inside({ events }: Session, agentId: string): { readonly text: string; readonly isError: boolean }[] {
  return events.flatMap((event) =>
    event.type === "subagent_event" && event.agentId === agentId && event.event.type === "message_end" &&
      event.event.message.role === "toolResult"
      ? [{ text: textOf(event.event.message.content), isError: event.event.message.isError }]
      : []
  );
}

const text = (path: string): string => Deno.readTextFileSync(path);
const names = (folder: string): string[] => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();

Deno.test("task: a stop while a command of a sub-agent runs ends the command and everything that it started", () =>
  withSession({
    args: TOOLS,
    files: { "a/x.txt": "x" },
    replies: [
      { calls: [task({ prompt: "runs long", write: ["a"] })] },
      {
        conversation: "runs long",
        calls: [
          bash("(while :; do echo x >> a/alive; sleep 0.05; done) & while :; do echo x >> a/alive; sleep 0.05; done"),
        ],
      },
      { conversation: "runs long", text: "never" },
      { text: "never" },
    ],
  }, async (session) => {
    const { engine, ws } = session;
    const size = (): number => names(`${ws}/a`).includes("alive") ? Deno.statSync(`${ws}/a/alive`).size : 0;
    const run = session.say("go");
    await until(() => size() > 0);
    await engine.abort();
    await run;
    const ends = session.events.flatMap((event) => event.type === "subagent_end" ? [event.ending] : []);
    assertEquals(ends, ["aborted"]);
    assertEquals(inside(session, "a1").map(({ isError }) => isError), [true]);
    const settled = session.events.findLast((event) => event.type === "agent_end");
    assertEquals(settled?.type === "agent_end" && settled.ending, "aborted");
    // Whoever wrote would have done so several times by the end of a command that begins afterwards.
    const left = size();
    await engine.bash("sleep 0.5", true);
    assertEquals(size(), left);
  }));

Deno.test("task: an answer for once is for that call, one for the session ends with the sub-agent where only it was narrow", async () => {
  const answers: PermissionAnswer[] = ["once", "session", "no"];
  const asked: unknown[] = [];
  await withSession({
    args: TOOLS,
    files: { "a/x.txt": "x", "b/one.txt": "1\n", "b/two.txt": "2\n" },
    ask: ({ agentId, denial: { target } }) => {
      asked.push([agentId, target.replace(/.*\/ws\//, "")]);
      return Promise.resolve(answers.shift() ?? "no");
    },
    replies: [
      { calls: [task({ prompt: "the first", write: ["a"] })] },
      { conversation: "the first", calls: [write("b/one.txt", "once\n")] },
      { conversation: "the first", calls: [write("b/one.txt", "session\n")] },
      { conversation: "the first", calls: [write("b/one.txt", "again\n")] },
      { conversation: "the first", text: "done" },
      { calls: [task({ prompt: "the next", write: ["a"] })] },
      { conversation: "the next", calls: [write("b/one.txt", "next\n")] },
      { conversation: "the next", text: "done" },
      { text: "end" },
    ],
  }, async (session) => {
    const { engine, ws } = session;
    const { write: before } = engine.state().policy;
    assertEquals(await session.say("go"), "end");
    assertEquals(asked, [["a1", "b/one.txt"], ["a1", "b/one.txt"], ["a2", "b/one.txt"]]);
    assertEquals(inside(session, "a1").map(({ isError }) => isError), [false, false, false]);
    assertEquals(inside(session, "a2").map(({ isError }) => isError), [true]);
    assertEquals(text(`${ws}/b/one.txt`), "again\n");
    assertEquals(engine.state().policy.write, before);
  });
});

Deno.test("task: an extension sees a sub-agent's calls before they run, and what it blocks does not run", async () => {
  const seen: string[] = [];
  await withSession({
    args: TOOLS,
    files: { "a/x.txt": "x" },
    ...brought((sp) =>
      sp.on("tool_call", ({ toolName, input }) => {
        seen.push(toolName);
        const { command } = input as { readonly command?: string };
        return command?.includes("forbidden") ? { block: true, reason: "not this one" } : undefined;
      })
    ),
    replies: [
      { calls: [task({ prompt: "is guarded", write: ["a"] })] },
      { conversation: "is guarded", calls: [bash("echo forbidden > a/bad.txt"), write("a/good.txt")] },
      { conversation: "is guarded", text: "done" },
      { text: "end" },
    ],
  }, async (session) => {
    assertEquals(await session.say("go"), "end");
    assertEquals(seen, ["task", "bash", "write"]);
    const [blocked, written] = inside(session, "a1");
    assertEquals([blocked?.isError, written?.isError], [true, false]);
    assertStringIncludes(blocked?.text ?? "", "not this one");
    assertEquals(names(`${session.ws}/a`), ["good.txt", "x.txt"]);
  });
});

Deno.test("task: while a session plans no sub-agent writes, and nobody is asked for one", async () => {
  const asked: string[] = [];
  await withSession({
    args: TOOLS,
    files: { "a/x.txt": "x\n" },
    ask: ({ denial: { kind } }) => {
      asked.push(kind);
      return Promise.resolve("session");
    },
    replies: [
      {
        calls: [
          task({ prompt: "would write", write: ["a"] }),
          task({ prompt: "only looks" }),
        ],
      },
      {
        conversation: "only looks",
        calls: [
          bash("echo bad > a/new.txt; echo bad >> a/x.txt; cat a/x.txt"),
          { name: "read", args: { path: "../b.txt" } },
          write("a/tool.txt"),
        ],
      },
      { conversation: "only looks", text: "looked" },
      { text: "a plan" },
      { calls: [task({ prompt: "after the plan", write: ["a"] })] },
      { conversation: "after the plan", calls: [write("a/planned.txt")] },
      { conversation: "after the plan", text: "written" },
      { text: "carried out" },
    ],
  }, async (session) => {
    const { engine, ws } = session;
    Deno.writeTextFileSync(`${ws}/../b.txt`, "b");
    await engine.startPlan();
    assertEquals(await session.say("go"), "a plan");
    const [refused, looked] = engine.messages().flatMap((one) => one.role === "toolResult" ? [one] : []);
    assert(refused && looked);
    assertEquals([refused.isError, looked.isError], [true, false]);
    assertMatch(textOf(refused.content), /^Nothing was started: /);
    const [ran, ...denied] = inside(session, "a2");
    assertMatch(ran?.text ?? "", /^x$/m);
    assertEquals(denied.map(({ isError }) => isError), [true, true]);
    assertEquals([names(`${ws}/a`), text(`${ws}/a/x.txt`), asked], [["x.txt"], "x\n", []]);
    await engine.answerPlan({ kind: "accept" });
    assertEquals(text(`${ws}/a/planned.txt`), "made\n");
  });
});

Deno.test("task: in a trial a sub-agent works in the copy, and what it changed is in the patch", () =>
  withSession({
    args: TOOLS,
    files: { "a/x.txt": "x\n", "b/y.txt": "y\n" },
    replies: [
      { calls: [task({ prompt: "tries it", write: ["a"] })] },
      { conversation: "tries it", calls: [bash("pwd; echo more >> a/x.txt; echo bad >> b/y.txt"), write("a/new.txt")] },
      { conversation: "tries it", text: "tried" },
      { text: "end" },
    ],
  }, async (session) => {
    const { engine, ws } = session;
    const { folder } = await engine.beginTrial();
    assertEquals(await session.say("go"), "end");
    const start = session.events.find((event) => event.type === "subagent_start");
    assertEquals(start?.type === "subagent_start" && start.scope.write, [`${folder}/a`]);
    assertStringIncludes(inside(session, "a1")[0]?.text ?? "", folder);
    assertEquals([names(`${ws}/a`), text(`${ws}/a/x.txt`)], [["x.txt"], "x\n"]);
    const { files, patch } = await engine.trialChanges();
    assertEquals(files.map(({ path, kind }) => [path, kind]), [["a/new.txt", "created"], ["a/x.txt", "changed"]]);
    assertStringIncludes(patch, "+more\n");
    assert((await engine.endTrial()).isDone);
    assertEquals([text(`${ws}/a/x.txt`), text(`${ws}/a/new.txt`), text(`${ws}/b/y.txt`)], [
      "x\nmore\n",
      "made\n",
      "y\n",
    ]);
  }));
