import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { AgentEvent } from "../../src/core/event.ts";
import { isObject, type JsonObject } from "../../src/core/json.ts";
import { textOf } from "../../src/core/message.ts";
import { type Session, withSession } from "./world.ts";

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
