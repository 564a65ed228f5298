import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Engine } from "../../src/core/engine.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import { isObject, type JsonObject } from "../../src/core/json.ts";
import { textOf } from "../../src/core/message.ts";
import { textReply } from "../helpers/server.ts";
import { until } from "../helpers/until.ts";
import { withServer } from "./wire.ts";
import { type Session, withSession } from "./world.ts";
import { runningProcesses } from "../helpers/processes.ts";

/** A call of `task` with these arguments. */
const task = (args: object) => ({ name: "task", args: { description: "a part", ...args } });
const TOOLS = ["--tools", "read,bash,edit,write,task"];

/** Results of calls of the agent itself, in order. */
function results(
  { events }: Session,
  name = "task",
): { readonly text: string; readonly isError: boolean; readonly details: JsonObject }[] {
  return events.flatMap((event) =>
    event.type === "tool_execution_end" && event.toolName === name
      ? [{ text: textOf(event.result.content), isError: event.isError, details: event.result.details ?? {} }]
      : []
  );
}

/** What is told of a sub-agent, unwrapped. */
function inside({ events }: Session, agentId: string): AgentEvent[] {
  return events.flatMap((event) => event.type === "subagent_event" && event.agentId === agentId ? [event.event] : []);
}

Deno.test("task: a sub-agent writes in its scope, is denied outside of it by the kernel, and its facts are counted", () =>
  withSession({
    args: TOOLS,
    files: { "a/one.txt": "1\n", "b/two.txt": "2\n" },
    replies: [
      { calls: [task({ prompt: "Child: write both", write: ["a"] })] },
      {
        conversation: "Child: write both",
        calls: [{ name: "bash", args: { command: "echo new > a/new.txt; echo bad > b/two.txt; echo bad > top.txt" } }, {
          name: "write",
          args: { path: "b/tool.txt", content: "bad" },
        }],
      },
      { conversation: "Child: write both", text: "Wrote a/new.txt.", usage: { input: 10, output: 5, costUsd: 0.25 } },
      { text: "All done." },
    ],
  }, async (session) => {
    assertEquals(await session.say("go"), "All done.");
    const { ws } = session;
    assertEquals(Deno.readTextFileSync(`${ws}/a/new.txt`), "new\n");
    assertEquals(Deno.readTextFileSync(`${ws}/b/two.txt`), "2\n");
    assertEquals([...Deno.readDirSync(ws)].map(({ name }) => name).sort(), ["a", "b"]);
    const [{ text, isError, details } = { text: "", isError: true, details: {} }] = results(session);
    assert(!isError);
    assert(text.startsWith("Wrote a/new.txt.\n\n[Sub-agent a1, counted by the program]"), text);
    assertStringIncludes(text, "- created a/new.txt");
    assertStringIncludes(text, `- write ${ws}/b/tool.txt`);
    const facts = details["subAgent"];
    assert(isObject(facts));
    assertEquals([facts["agentId"], facts["ending"], facts["scope"]], ["a1", "done", {
      write: [`${ws}/a`],
      run: true,
      net: [],
    }]);
    const kept = Deno.readTextFileSync(String(facts["sessionFile"]));
    assertStringIncludes(kept, "Child: write both");
    assertStringIncludes(kept, `"toolCallId":"call_1_1"`);
    assertMatch(String(facts["sessionFile"]), /\/agents\/[^/]+\.jsonl$/);
    const settled = session.events.findLast((event) => event.type === "agent_settled");
    assert(settled?.type === "agent_settled");
    assertEquals([settled.totals.cost, settled.totals.turns], [0.25, 4]);
    assert(inside(session, "a1").some(({ type }) => type === "tool_execution_end"));
  }));

Deno.test("task: of two whose write scopes overlap the second is refused, however the places are named; readers never are", () =>
  withSession({
    args: TOOLS,
    files: { "a/in/x.txt": "1", "b/y.txt": "2", "top.txt": "3" },
    replies: [
      {
        calls: [
          task({ prompt: "first of a", write: ["a"] }),
          task({ prompt: "the same", write: ["a/"] }),
          task({ prompt: "nested", write: ["b", "a/in"] }),
          task({ prompt: "around", write: ["."] }),
          task({ prompt: "a link", write: ["link"] }),
          task({ prompt: "a second name", write: ["a/../twin.txt"] }),
          task({ prompt: "a reader", read: ["a"] }),
          task({ prompt: "second of b", write: ["b"] }),
          task({ prompt: "outside", write: ["../other"] }),
          task({ prompt: "protected", write: [".git/hooks"] }),
          task({ prompt: "missing", write: ["none/deep"] }),
          task({ prompt: "after it", write: ["top.txt"] }),
        ],
      },
      ...["first of a", "a reader", "second of b", "after it"].map((conversation) => ({
        conversation,
        text: conversation,
      })),
      { text: "end" },
    ],
  }, async (session) => {
    const { ws } = session;
    Deno.symlinkSync("a", `${ws}/link`);
    Deno.linkSync(`${ws}/b/y.txt`, `${ws}/twin.txt`);
    Deno.mkdirSync(`${ws}/.git/hooks`, { recursive: true });
    const end = await session.say("go");
    assertEquals(end, "end", JSON.stringify(session.engine.messages().at(-1)));
    const last = session.engine.messages().flatMap((message) => message.role === "toolResult" ? [message] : []);
    assertEquals(
      last.map(({ isError, content }) =>
        isError ? textOf(content).replaceAll(ws, "WS").replace(/\/\S*other/, "OTHER").split(". ")[0] : "ran"
      ),
      [
        "ran",
        "Nothing was started: a1 writes WS/a",
        "Nothing was started: WS/a/in overlaps WS/a, which a1 writes",
        "Nothing was started: WS overlaps WS/a, which a1 writes",
        "Nothing was started: a1 writes WS/a",
        "Nothing was started: WS/twin.txt has other names (hard links)",
        "ran",
        "ran",
        "Nothing was started: OTHER is outside your own write scope (WS)",
        "Nothing was started: WS/.git/hooks lies in a repository's own folder, which is protected",
        "Nothing was started: nothing is at WS/none/deep",
        "ran",
      ],
    );
  }));

/** A provider whose every child conversation lasts until it is stopped. */
const SLOW = { conversation: "slow", text: "never", delayMs: 60_000 };

Deno.test("task: stopping the run stops its sub-agents, and so does closing the session", async () => {
  for (const how of ["abort", "close"] as const) {
    await withSession({
      args: TOOLS,
      replies: [{ calls: [task({ prompt: "slow one" }), task({ prompt: "slow two" })] }, SLOW, SLOW, { text: "end" }],
    }, async (session) => {
      const run = session.say("go");
      await until(() => session.events.filter(({ type }) => type === "subagent_start").length === 2);
      await session.engine[how]();
      await run;
      const ends = session.events.flatMap((event) => event.type === "subagent_end" ? [event.ending] : []);
      assertEquals(ends, ["aborted", "aborted"]);
    });
  }
});

Deno.test("task: what sub-agents use up counts into the run that started them, and its limits end them", () =>
  withSession({
    args: [...TOOLS, "--max-cost", "1"],
    replies: [
      { calls: [task({ prompt: "costly" })], usage: { input: 1, output: 1, costUsd: 0.5 } },
      {
        conversation: "costly",
        calls: [{ name: "read", args: { path: "a.txt" } }],
        usage: { input: 1, output: 1, costUsd: 0.6 },
      },
      { conversation: "costly", text: "must not be asked for", usage: { input: 1, output: 1, costUsd: 0.6 } },
      { text: "must not be asked for either", usage: { input: 1, output: 1, costUsd: 0.1 } },
    ],
    files: { "a.txt": "a" },
  }, async (session) => {
    await session.say("go");
    const end = session.events.find((event) => event.type === "subagent_end");
    assert(end?.type === "subagent_end");
    assertEquals([end.ending, end.limit, end.totals?.cost], ["limit", "parent", 0.6]);
    const settled = session.events.findLast((event) => event.type === "agent_settled");
    assert(settled?.type === "agent_settled");
    assertEquals(settled.totals.cost, 1.1);
    assertEquals(session.engine.state().totals.cost, 1.1);
    const { events } = session;
    assertEquals(
      events.findLast((event) => event.type === "agent_end" && event.ending === "limit") !== undefined,
      true,
    );
  }));

Deno.test("task: a sub-agent starts another one, which starts none", () =>
  withSession({
    args: TOOLS,
    replies: [
      { calls: [task({ prompt: "first level", write: ["a/"] })] },
      {
        conversation: "first level",
        calls: [task({ prompt: "second level", write: ["a/b/"] }), task({ prompt: "too wide", write: ["."] })],
      },
      { conversation: "second level", calls: [task({ prompt: "third level" })] },
      { conversation: "second level", text: "second is done" },
      { conversation: "first level", text: "first is done" },
      { text: "end" },
    ],
  }, async (session) => {
    await session.say("go");
    const starts = session.events.flatMap((event) => event.type === "subagent_start" ? [event.agentId] : []);
    assertEquals(starts, ["a1", "a1.1"]);
    const deep = inside(session, "a1.1").flatMap((event) =>
      event.type === "message_end" && event.message.role === "toolResult" ? [textOf(event.message.content)] : []
    );
    assertMatch(deep[0] ?? "", /^Tool "task" is not active/);
    const wide = inside(session, "a1").flatMap((event) =>
      event.type === "tool_execution_end" ? [textOf(event.result.content)] : []
    );
    assertStringIncludes(wide.join("\n"), "is outside your own write scope");
  }));

Deno.test("task: a denial of a sub-agent is asked about at the one desk, and names it; undo takes its changes back", async () => {
  const asked: unknown[] = [];
  await withSession({
    args: TOOLS,
    files: { "a/one.txt": "1\n", "b/two.txt": "2\n" },
    ask: ({ agentId, agentDescription, denial: { kind, target } }) => {
      asked.push([agentId, agentDescription, kind, target.replace(/.*\/ws\//, "")]);
      return Promise.resolve("session" as const);
    },
    replies: [
      { calls: [task({ prompt: "asks", write: ["a"] })] },
      {
        conversation: "asks",
        calls: [{ name: "write", args: { path: "b/two.txt", content: "changed\n" } }, {
          name: "write",
          args: { path: "../out.txt", content: "no" },
        }],
      },
      { conversation: "asks", text: "asked" },
      { text: "end" },
    ],
  }, async (session) => {
    await session.say("go");
    const { ws, engine } = session;
    assertEquals(asked, [["a1", "a part", "write", "b/two.txt"]]);
    assertEquals(Deno.readTextFileSync(`${ws}/b/two.txt`), "changed\n");
    const outcome = await engine.undo();
    assertEquals(outcome.steps.map(({ path, action }) => [path, action]), [["b/two.txt", "restore"]]);
    assertEquals(Deno.readTextFileSync(`${ws}/b/two.txt`), "2\n");
  });
});

Deno.test("task: an agent's file narrows, is told to the model where task is active, and its answer has its schema", () =>
  withSession({
    args: TOOLS,
    files: { "a/one.txt": "1\n" },
    replies: [
      {
        calls: [
          task({ prompt: "look around", agent: "explore" }),
          task({ prompt: "explore writes", agent: "explore", write: ["a"] }),
          task({ prompt: "judge it", agent: "review" }),
          task({ prompt: "nobody", agent: "nobody" }),
        ],
        expect: ["Agent explore: Finds out"],
      },
      {
        conversation: "look around",
        calls: [{ name: "read", args: { path: "a/one.txt" } }, { name: "bash", args: { command: "true" } }],
        expect: ["You are the agent explore."],
      },
      { conversation: "look around", text: "found" },
      { conversation: "judge it", text: "looks fine" },
      { conversation: "judge it", text: '{"verdict":"good","findings":[]}' },
      { text: "end" },
    ],
  }, async (session) => {
    await session.say("go");
    const texts = session.engine.messages().flatMap((message) =>
      message.role === "toolResult" ? [textOf(message.content)] : []
    );
    assertMatch(texts[0] ?? "", /^found\n/);
    assertMatch(texts[1] ?? "", /the agent explore changes nothing, and .*\/a was named/);
    assertMatch(texts[2] ?? "", /^\{"verdict":"good","findings":\[\]\}\n/);
    assertMatch(texts[3] ?? "", /there is no agent "nobody". There is build, explore, review/);
    const calls = inside(session, "a1").flatMap((event) =>
      event.type === "message_end" && event.message.role === "toolResult" ? [event.message.isError] : []
    );
    assertEquals(calls, [false, true]);
    const start = session.events.find((event) => event.type === "subagent_start");
    assert(start?.type === "subagent_start");
    assertEquals([start.agent, start.scope], ["explore", { write: [], run: false, net: [] }]);
  }));

Deno.test("task is off until it is named: nothing of it is in the first request, and then its schema and agents are", async () => {
  const answers = ["one", "two"].map((text) => ({ events: textReply(text) }));
  const asked = async (
    options: { readonly settings?: object; readonly args?: readonly string[] },
    before: (engine: Engine) => void = () => {},
  ): Promise<string> => {
    let request = "";
    await withServer(answers, options, async ({ engine, say, server }) => {
      before(engine);
      await say("go");
      request = JSON.stringify(server.requests[0]);
    });
    return request;
  };
  const off = await asked({});
  assertEquals([`"name":"task"`, "Agent explore", "Task Orchestration"].filter((part) => off.includes(part)), []);
  const ways = [
    await asked({ args: ["--tools", "read,task"] }),
    await asked({ settings: { tools: ["read", "task"] } }),
    // As /tools +task does.
    await asked({}, (engine) => void engine.setActiveTools([...active(engine), "task"])),
  ];
  for (const on of ways) {
    assertEquals([`"name":"task"`, "Agent explore", "Task Orchestration"].filter((part) => !on.includes(part)), []);
  }
});

const active = (engine: Engine): string[] => engine.tools().flatMap(({ name, active }) => active ? [name] : []);

Deno.test("task: a reader takes the runner of one that has ended, and one beside it has its own", () =>
  withSession({
    args: ["--tools", "read,task"],
    files: { "a.txt": "a" },
    replies: [
      ...["one", "two"].map((prompt) => ({ calls: [task({ prompt: `reader ${prompt}`, agent: "explore" })] })),
      { calls: ["three", "four"].map((prompt) => task({ prompt: `reader ${prompt}`, agent: "explore" })) },
      ...["one", "two", "three", "four"].flatMap((name) => [
        { conversation: `reader ${name}`, calls: [{ name: "read", args: { path: "a.txt" } }] },
        { conversation: `reader ${name}`, text: "read" },
      ]),
      { text: "end" },
    ],
  }, async (session) => {
    const seen: number[] = [];
    session.engine.subscribe((event) => {
      if (event.type === "subagent_end") seen.push(children());
    });
    assertEquals(await session.say("go"), "end");
    // What other tests of this process left may end meanwhile: there can be fewer.
    const [one = 0, two = 0, ...more] = seen;
    assert(two <= one && Math.max(...more) <= one + 1, seen.join(" "));
  }));

/** Processes that this one has started. */
function children(): number {
  return runningProcesses().filter(({ parent }) => parent === Deno.pid).length;
}

Deno.test("--agent narrows the session itself, for what is granted later and in a trial, too", async () => {
  const { withNamedAgent } = await import("../../src/engine/resources/agents.ts");
  const { openTools } = await import("../../src/engine/tools/tools_host.ts");
  const { configure } = await import("../../src/config/config.ts");
  const { parseCommandLine } = await import("../../src/config/options/parse.ts");
  const home = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-agent-" }));
  Deno.mkdirSync(`${home}/ws`);
  const world = { env: { HOME: home, PATH: "/usr/bin:/bin" }, cwd: `${home}/ws`, home, stdinIsTerminal: true };
  const config = configure(parseCommandLine(["--agent", "explore"]), {
    ...world,
    stdoutIsTerminal: true,
    mayRun: true,
  });
  const named = await withNamedAgent(config);
  const tools = openTools(named, false);
  try {
    const { write, run, net } = tools.policy;
    assertEquals([write.list, run.all, net.all], [[], false, false]);
    assertEquals(tools.active.map(({ name }) => name), ["read", "grep", "find", "ls"]);
    assertEquals(tools.known.some(({ name }) => name === "task" || name === "bash"), false);
  } finally {
    await tools.close();
    Deno.removeSync(home, { recursive: true });
  }
});

Deno.test("task: a model names no cassette: the program would read that file, which the model may not", () =>
  withSession({
    args: TOOLS,
    replies: [
      {
        calls: ["replay:SECRET", " replay:SECRET", "gpt-5,replay:SECRET", "gpt-5, replay:SECRET"].map((model) =>
          task({ prompt: "Child", model })
        ),
      },
      { text: "end" },
    ],
  }, async (session) => {
    await session.say("go");
    assertEquals(
      results(session).map(({ text }) => text.split(":")[0]),
      ["Nothing was started", "Nothing was started", "Nothing was started", "Nothing was started"],
    );
    assertEquals(results(session).some(({ text }) => text.includes("Cannot")), false);
    assertEquals(session.events.some(({ type }) => type === "subagent_start"), false);
  }));

Deno.test("task: tools that a person took from the session are not to be had by way of a sub-agent", () =>
  withSession({
    args: ["--no-session"],
    replies: [
      {
        calls: [
          task({ prompt: "Child runs", tools: ["bash", "read"] }),
          task({ prompt: "Child builds", agent: "build" }),
          task({ prompt: "Child looks", tools: ["read", "grep"] }),
        ],
      },
      { conversation: "Child builds", calls: [{ name: "bash", args: { command: "echo ran" } }] },
      { conversation: "Child builds", text: "built" },
      { conversation: "Child runs", calls: [{ name: "bash", args: { command: "echo ran" } }] },
      { conversation: "Child runs", text: "run" },
      { conversation: "Child looks", calls: [{ name: "grep", args: { pattern: "x", path: "." } }] },
      { conversation: "Child looks", text: "looked" },
      { text: "end" },
    ],
  }, async (session) => {
    session.engine.setActiveTools(["read", "edit", "write", "task"]);
    await session.say("go");
    const texts = results(session).map(({ text }) => text);
    assert(texts.some((text) => text.startsWith('Nothing was started: there is no tool "bash" to give')), texts.join());
    assert(texts.some((text) => text.startsWith("looked")), texts.join());
    const ended = ["a1", "a2", "a3"].flatMap((id) => inside(session, id)).filter((event) =>
      event.type === "tool_execution_end" && !event.isError
    );
    assertEquals(ended.map((event) => event.type === "tool_execution_end" && event.toolName), ["grep"]);
  }));
