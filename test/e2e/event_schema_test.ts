import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import * as z from "zod";
import { EVENT_TYPES } from "../../scripts/docs/schemas/events.ts";
import { cassette, events, inWorkspace, PROGRAM, run } from "../helpers/program.ts";
import { callReply, serveAnswers, textReply } from "../helpers/server.ts";
import { isEvent, rpcClient } from "./rpc_client.ts";

// The published file, read by what knows nothing of how it was made.
const PUBLISHED = JSON.parse(
  Deno.readTextFileSync(fromFileUrl(new URL("../../docs/events.schema.json", import.meta.url))),
);
const each = new Map(
  Object.keys(PUBLISHED.$defs).map((type) => [
    type,
    z.fromJSONSchema({ $schema: PUBLISHED.$schema, $defs: PUBLISHED.$defs, $ref: `#/$defs/${type}` }),
  ]),
);

/** What is wrong with lines, each with its type. */
function misfits(lines: readonly { readonly type: string }[]): string[] {
  return lines.flatMap((line) => {
    const schema = each.get(line.type);
    if (!schema) return [`${line.type} is not in the schema`];
    const { error } = schema.safeParse(line);
    return error ? [`${line.type}: ${z.prettifyError(error)}`] : [];
  });
}

Deno.test("docs/events.schema.json says no to a field too many, a field too few and a type that there is not", () => {
  const changed = { type: "session_changed", reason: "new", sessionId: "a" };
  assertEquals(misfits([{ type: "agent_start" }, changed]), []);
  const wrong: readonly { readonly type: string }[] = [
    { type: "agent_start", more: 1 } as { type: string },
    { type: "agent_settled" },
    { type: "agent_begin" },
  ];
  assertEquals(misfits(wrong).map((text) => text.split(/[: ]/)[0]), ["agent_start", "agent_settled", "agent_begin"]);
  assertEquals(PUBLISHED.oneOf.length, EVENT_TYPES.length + 2);
});

Deno.test("json mode writes what docs/events.schema.json says", async () => {
  await inWorkspace({ "a.txt": "alpha" }, async ({ ws, home, outside }) => {
    const file = cassette(home, [
      {
        text: "Looking.",
        thinking: "Hm.",
        calls: [
          { name: "read", args: { path: "a.txt" } },
          { name: "read", args: { path: `${outside}/none.txt` } },
          { name: "edit", args: { path: "a.txt", edits: [{ oldText: "alpha", newText: "beta" }] } },
          { name: "bash", args: { command: "cat a.txt; exit 2" } },
          { name: "no_such_tool", args: {} },
          { name: "read", args: {} },
          { name: "task", args: { description: "a look", prompt: "Sub: look", write: ["sub/"] } },
          { name: "bash", args: { command: "echo first; sleep 0.7; echo second" } },
        ],
      },
      {
        conversation: "Sub: look",
        calls: [{ name: "edit", args: { path: "a.txt", edits: [{ oldText: "beta", newText: "gamma" }] } }, {
          name: "bash",
          args: { command: "echo new > sub/new.txt" },
        }],
      },
      { conversation: "Sub: look", text: "Looked.", usage: { input: 10, output: 5, costUsd: 0.5 } },
      { text: "Done.", usage: { input: 100, output: 5 } },
    ]);
    const args = [
      "--tools",
      "read,edit,bash,task",
      "--mode",
      "json",
      "-m",
      `replay:${file}`,
      "--require",
      "true",
      "go",
    ];
    const ran = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
    assertEquals(ran.code, 0, ran.stderr);
    const lines = events(ran.stdout);
    assertEquals(misfits(lines), []);
    assertEquals([lines[0].type, lines.at(-1).type], ["session", "run_report"]);
    assertEquals(lines.filter(({ type }) => type.startsWith("check_")).length, 2);
    assertEquals(lines.some(isEvent("tool_execution_update")), true);
    assertEquals(lines.filter(({ event }) => event !== undefined).flatMap(({ event }) => misfits([event])), []);
    const [end] = lines.filter(isEvent("subagent_end"));
    assertEquals([end.files.length, end.denials, end.totals.cost], [
      1,
      [{ kind: "write", target: `${ws}/a.txt` }],
      0.5,
    ]);
  });
});

Deno.test("rpc mode writes what docs/events.schema.json says, for every event that there is", async () => {
  const server = serveAnswers([
    { status: 503, body: '{"error":{"message":"overloaded"}}', headers: { "retry-after": "0" } },
    { events: callReply({ name: "read", args: { path: "../outside/x.txt" } }) },
    { events: callReply({ name: "write", args: { path: "y.txt", content: "y" } }) },
    { events: callReply({ name: "bash", args: { command: "exit 3", background: true } }) },
    { events: textReply("Seen.") },
    { events: textReply("A summary of it all.") },
    { events: textReply("On.") },
  ]);
  const settings = JSON.stringify({
    compaction: { keepRecentTokens: 1 },
    retry: { baseDelayMs: 1 },
    models: { any: { contextWindow: 100_000, maxTokens: 1000, price: { input: 1, output: 2 } } },
  });
  try {
    await inWorkspace({}, async ({ ws, home, outside }) => {
      Deno.writeTextFileSync(`${outside}/x.txt`, "outside");
      Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
      Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, settings);
      const args = ["-m", "any", "--base-url", server.baseUrl];
      await using client = rpcClient(PROGRAM, args, { cwd: ws, env: { HOME: home } });
      // Its questions are events alone; those for pi's clients are none.
      await client.ask({ type: "set_questions", form: "permission_request" });
      await client.ask({ type: "prompt", message: "/skill:none look" }); // unknown: a notice
      const { id } = await client.wait(isEvent("permission_request"));
      await client.ask({ type: "steer", message: "waits" });
      await client.ask({ type: "clear_queue" });
      await client.ask({ type: "permission_response", requestId: id, answer: "once" });
      await client.wait(isEvent("agent_settled"));
      await client.ask({ type: "bash", command: "echo typed; sleep 0.3; echo more" });
      assertEquals((await client.ask({ type: "compact" })).success, true);
      const from = client.lines.length;
      await client.ask({ type: "prompt", message: "go on" });
      await client.wait(isEvent("agent_settled"), from);
      for (const command of [{ type: "start_plan" }, { type: "answer_plan", answer: "leave" }]) {
        assertEquals((await client.ask(command)).success, true);
      }
      await client.ask({ type: "set_session_name", name: "named" });
      await client.ask({ type: "new_session" });
      const lines = client.lines.filter(({ type }) => type !== "response");
      assertEquals(misfits(lines), []);
      const seen = new Set(lines.map(({ type }) => type));
      const unseen = EVENT_TYPES.filter((type) => !seen.has(type));
      // Only a tool that takes its time tells what it has so far: the run above had one.
      // The same run had a check and a sub-agent.
      const others = ["subagent_end", "subagent_event", "subagent_start"];
      assertEquals(unseen.sort(), [
        "check_end",
        "check_start",
        ...others,
        "tool_call_rejected",
        "tool_execution_update",
      ]);
    });
  } finally {
    await server.close();
  }
});
