// Who answers a sub-agent: its parent's connection, what stands in there, and what a recording keeps of it.
import { assertEquals } from "@std/assert";
import { textOf } from "../../src/core/message.ts";
import { callReply, textReply } from "../helpers/server.ts";
import { type Session, withSession } from "./world.ts";

const task = (args: object) => ({ name: "task", args: { description: "a part", ...args } });
const write = (path: string, content: string) => ({ name: "write", args: { path, content } });
const TOOLS = ["--tools", "read,write,task"];

/** First lines of what the calls of the agent itself gave: the last message of each sub-agent. */
function answers({ engine }: Session): readonly string[] {
  return engine.messages().flatMap((message) =>
    message.role === "toolResult" ? [textOf(message.content).split("\n")[0] ?? ""] : []
  );
}

Deno.test("--record says of each reply which sub-agent it answers, so that the cassette plays the same again", async () => {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-record-" }));
  const file = `${folder}/run.jsonl`;
  const files = { "a/x.txt": "x", "b/x.txt": "x" };
  // All of them are told the same, and it is what the person said: no words tell them apart.
  const same = (more: object) => task({ prompt: "go", ...more });
  try {
    await withSession({
      args: [...TOOLS, "--record", file],
      files,
      replies: [
        { calls: [same({ write: ["a"] }), same({ write: ["b"] })] },
        { agent: "a1", calls: [write("a/x.txt", "of a1"), same({})], delayMs: 300 },
        { agent: "a1.1", text: "I am a1.1" },
        { agent: "a1", text: "I am a1" },
        { agent: "a2", calls: [write("b/x.txt", "of a2")] },
        { agent: "a2", text: "I am a2" },
        { text: "end" },
      ],
    }, async (session) => {
      assertEquals([await session.say("go"), answers(session)], ["end", ["I am a1", "I am a2"]]);
    });
    const lines = Deno.readTextFileSync(file).trimEnd().split("\n").map((line) => JSON.parse(line));
    assertEquals(lines.map(({ agent }) => agent ?? "").sort(), ["", "", "a1", "a1", "a1.1", "a2", "a2"]);
    await withSession({ args: TOOLS, files, replies: lines }, async (session) => {
      const { ws } = session;
      assertEquals([await session.say("go"), answers(session)], ["end", ["I am a1", "I am a2"]]);
      assertEquals(["a", "b"].map((name) => Deno.readTextFileSync(`${ws}/${name}/x.txt`)), ["of a1", "of a2"]);
    });
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("the models that stand in for the session's stand in for its sub-agents, each for itself", async () => {
  const spent = { error: { code: "insufficient_quota", message: "spent" } };
  const parts = ["one", "two", "three"].map((name) => task({ prompt: `Sub-agent ${name}` }));
  const asked: string[] = [];
  /** What a model answers to whom: its part is the last word of the conversation's first message. */
  const answer = (model: string, part: string, isBegun: boolean): unknown[] | undefined => {
    if (part === "go") return isBegun ? textReply("end") : callReply(...parts);
    if (model === "first" && part !== "three") return undefined;
    if (part === "one" && !isBegun) return callReply(task({ prompt: "Sub-agent inner" }));
    return textReply(`${part}, by ${model}`);
  };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { model, messages } = await request.json();
    const said = messages.filter(({ role }: { role: string }) => role === "user").map((one: { content: string }) =>
      one.content
    );
    const part = /(?:Sub-agent )?(\w+)$/.exec(said.at(-1))?.[1] ?? "";
    asked.push(`${model} ${part}`);
    const events = answer(model, part, messages.some(({ role }: { role: string }) => role === "tool"));
    if (!events) return Response.json(spent, { status: 429 });
    const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") + "data: [DONE]\n\n";
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  const models = ["-m", "first,replay:missing.jsonl,second", "--base-url", `http://127.0.0.1:${server.addr.port}/v1`];
  try {
    await withSession({ args: [...TOOLS, ...models], replies: [{ text: "" }] }, async (session) => {
      const { engine, events } = session;
      assertEquals(await session.say("go"), "end");
      assertEquals(answers(session), ["one, by second", "two, by second", "three, by first"]);
      // What one of them went over to is its own business, and of those that it starts.
      assertEquals(asked.filter((line) => /go$|inner$/.test(line)), ["first go", "second inner", "first go"]);
      assertEquals(engine.state().model.id, "first");
      const told = events.flatMap((event) => event.type === "notice" ? [event.message] : []);
      assertEquals(told.filter((line) => line.includes("replay:missing.jsonl cannot stand in")).length, 2);
    });
  } finally {
    await server.shutdown();
  }
});

Deno.test("--record has the replies of a model that stands in, and of a sub-agent with a model of its own", async () => {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-record-" }));
  const file = `${folder}/run.jsonl`;
  const spent = { error: { code: "insufficient_quota", message: "spent" } };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { model, messages } = await request.json();
    if (model === "first") return Response.json(spent, { status: 429 });
    const isBegun = messages.some(({ role }: { role: string }) => role === "tool");
    const reply = model === "second" && !isBegun
      ? callReply(task({ prompt: "Child", model: "third" }))
      : textReply(`by ${model}`);
    const body = reply.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") + "data: [DONE]\n\n";
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  const models = ["-m", "first,second", "--base-url", `http://127.0.0.1:${server.addr.port}/v1`];
  try {
    await withSession({ args: [...TOOLS, ...models, "--record", file], replies: [{ text: "" }] }, async (session) => {
      assertEquals([await session.say("go"), answers(session)], ["by second", ["by third"]]);
    });
    const lines = Deno.readTextFileSync(file).trimEnd().split("\n").map((line) => JSON.parse(line));
    assertEquals(lines.map(({ agent, text, calls }) => [agent, text, calls?.length]).slice(-3), [
      [undefined, undefined, 1],
      ["a1", "by third", undefined],
      [undefined, "by second", undefined],
    ]);
  } finally {
    await server.shutdown();
    Deno.removeSync(folder, { recursive: true });
  }
});
