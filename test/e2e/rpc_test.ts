import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { serveGated } from "../helpers/gated_server.ts";
import { cassette, FULL_PROGRAM, inWorkspace } from "../helpers/program.ts";
import { callReply, textReply } from "../helpers/server.ts";
import { until } from "../helpers/until.ts";
import { isEvent, isRunning, rpcClient } from "./rpc_client.ts";

const settled = isEvent("agent_settled");

Deno.test("rpc: the session header comes first, a response has its command's id, garbage is answered and passed over R274", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [{ text: "One\u2028two." }]);
    await using client = rpcClient(FULL_PROGRAM, ["-m", `replay:${file}`], { cwd: ws, env: { HOME: home } });
    const state = await client.ask({ type: "get_state" });
    assertEquals([client.lines[0].type, client.lines[0].version, client.lines[0].cwd], ["session", 3, ws]);
    assertEquals([state.success, state.data.isStreaming, state.data.sessionId], [true, false, client.lines[0].id]);
    await client.raw("{not json\n[1]\n\r\n");
    await client.raw('{"id":7,"type":"get_stat"}\r\n{"id":8}\n{"id":9,"type":"prompt","message":1}\n');
    await client.raw('{"id":10,"type":"constructor"}\n');
    await client.wait((line) => line.id === 10);
    const answers = client.lines.filter((line) => line.type === "response" && !line.success);
    assertEquals(answers.map(({ id, command }) => [id, command]), [
      [undefined, "parse"],
      [undefined, "parse"],
      [7, "get_stat"],
      [8, ""],
      [9, "prompt"],
      [10, "constructor"],
    ]);
    assertStringIncludes(answers[2].error, 'did you mean "get_state"');
    assertStringIncludes(answers[4].error, "message");
    // U+2028 in a line from either side is part of a string.
    await client.raw('{"id":"u","type":"prompt","message":"a\u2028b"}\n');
    await client.wait(settled);
    const messages = (await client.ask({ type: "get_messages" })).data.messages;
    assertEquals(messages.map((message: { content: unknown }) => message.content), [
      "a\u2028b",
      [{ type: "text", text: "One\u2028two." }],
    ]);
    const at = (fits: (line: { type: string; id?: string }) => boolean) => client.lines.findIndex(fits);
    assert(at((line) => line.id === "u") < at(isEvent("agent_start")), "the response comes before the run's events");
    await client.closeInput();
    assertEquals(await client.ended(), { code: 0, stderr: "" });
  });
});

Deno.test("rpc: a line of 60 MB is taken, a longer one than fits is answered, and the next command is served", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [{ text: "Unused." }]);
    await using client = rpcClient(FULL_PROGRAM, ["-m", `replay:${file}`], { cwd: ws, env: { HOME: home } });
    await client.raw(`{"id":"big","type":"get_state","padding":"${"x".repeat(60 * 1024 * 1024)}"}\n`);
    assertEquals((await client.wait((line) => line.id === "big")).success, true);
    await client.raw(`{"id":"huge","padding":"${"x".repeat(65 * 1024 * 1024)}"}\n`);
    const answer = await client.wait((line) => line.command === "parse");
    assertStringIncludes(answer.error, "more than 67108864 bytes");
    assertEquals((await client.ask({ type: "get_tools" })).success, true);
  });
});

Deno.test("rpc: commands are served while a reply streams, and a second prompt needs to say how it queues R274", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    await using server = serveGated([
      [...textReply("First").slice(0, 1), { gate: "rest" }, ...textReply("First").slice(1)],
      textReply("Second"),
    ]);
    const args = ["-m", "any", "--base-url", server.baseUrl];
    await using client = rpcClient(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
    assertEquals((await client.ask({ type: "prompt", message: "one" })).data, { disposition: "started" });
    await client.wait(isEvent("message_update"));
    assertEquals((await client.ask({ type: "get_state" })).data.isStreaming, true);
    const refused = await client.ask({ type: "prompt", message: "two" });
    assertEquals(refused.success, false);
    assertStringIncludes(refused.error, "streamingBehavior");
    const queued = await client.ask({ type: "prompt", message: "two", streamingBehavior: "followUp" });
    assertEquals(queued.data, { disposition: "queued" });
    assertEquals((await client.ask({ type: "get_state" })).data.queue, { steering: [], followUp: ["two"] });
    server.open("rest");
    await client.wait(settled);
    assertEquals((await client.ask({ type: "get_last_assistant_text" })).data, { text: "Second" });
  });
});

Deno.test("rpc: of two prompts at once one runs and the other is refused", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [{ text: "Only one.", delayMs: 200 }]);
    await using client = rpcClient(FULL_PROGRAM, ["-m", `replay:${file}`], { cwd: ws, env: { HOME: home } });
    await client.raw('{"id":"a","type":"prompt","message":"a"}\n{"id":"b","type":"prompt","message":"b"}\n');
    await client.wait(settled);
    const answers = client.lines.filter((line) => line.type === "response");
    assertEquals(Object.fromEntries(answers.map(({ id, success }) => [id, success])), { a: true, b: false });
    assertEquals(client.lines.filter(isEvent("agent_start")).length, 1);
  });
});

Deno.test("rpc: steering during the first of three calls skips the other two and is the next input R261 R262 R270 R274", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const call = (name: string) => ({
      name: "bash",
      args: { command: `until [ -e go ]; do sleep 0.05; done; touch ${name}` },
    });
    await using server = serveGated([callReply(call("a"), call("b"), call("c")), textReply("Changed course.")]);
    const args = ["-m", "any", "--base-url", server.baseUrl];
    await using client = rpcClient(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
    await client.ask({ type: "prompt", message: "do three things" });
    await client.wait(isEvent("tool_execution_start"));
    assertEquals((await client.ask({ type: "steer", message: "do something else" })).success, true);
    Deno.writeTextFileSync(`${ws}/go`, "");
    await client.wait(settled);
    const made = [...Deno.readDirSync(ws)].map(({ name }) => name).filter((name) => /^[abc]$/.test(name));
    assertEquals(made, ["a"]);
    const sent = server.requests[1].messages.slice(-4);
    assertEquals(sent.map(({ role }: { role: string }) => role), ["tool", "tool", "tool", "user"]);
    assertEquals(sent.slice(1).map(({ content }: { content: unknown }) => content), [
      "Skipped due to queued user message",
      "Skipped due to queued user message",
      "do something else",
    ]);
  });
});

Deno.test("rpc: a follow-up during the first of two calls lets both run and starts a turn of its own R266 R267 R274", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const call = (name: string) => ({
      name: "bash",
      args: { command: `until [ -e go ]; do sleep 0.05; done; touch ${name}` },
    });
    await using server = serveGated([callReply(call("a"), call("b")), textReply("Both."), textReply("And that.")]);
    const args = ["-m", "any", "--base-url", server.baseUrl];
    await using client = rpcClient(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
    await client.ask({ type: "prompt", message: "do two things" });
    await client.wait(isEvent("tool_execution_start"));
    await client.ask({ type: "follow_up", message: "then this" });
    Deno.writeTextFileSync(`${ws}/go`, "");
    await client.wait(settled);
    const made = [...Deno.readDirSync(ws)].map(({ name }) => name).filter((name) => /^[ab]$/.test(name)).sort();
    assertEquals(made, ["a", "b"]);
    const said = server.requests[2].messages.filter(({ role }: { role: string }) => role === "user");
    assertEquals(said.map(({ content }: { content: unknown }) => content), ["do two things", "then this"]);
    assertEquals(client.lines.filter(isEvent("turn_start")).length, 3);
  });
});

Deno.test("rpc: what is queued during the last reply starts turns of its own, steering before follow-ups R264 R265 R267 R268 R271", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    await using server = serveGated([
      [...textReply("First").slice(0, 1), { gate: "rest" }, ...textReply("First").slice(1)],
      textReply("Again"),
    ]);
    const args = ["-m", "any", "--base-url", server.baseUrl];
    await using client = rpcClient(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
    await client.ask({ type: "prompt", message: "start" });
    await client.wait(isEvent("message_update"));
    for (const message of ["f1", "f2"]) await client.ask({ type: "follow_up", message });
    for (const message of ["s1", "s2"]) await client.ask({ type: "steer", message });
    server.open("rest");
    await client.wait(settled);
    const said = server.requests.at(-1).messages.filter(({ role }: { role: string }) => role === "user");
    assertEquals(said.map(({ content }: { content: unknown }) => content), ["start", "s1", "s2", "f1", "f2"]);
    assertEquals(client.lines.filter(isEvent("agent_end")).length, 1);
    assertEquals((await client.ask({ type: "get_state" })).data.isStreaming, false);
  });
});

Deno.test("rpc: a picture that no model takes is refused before it is in the conversation", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [{ text: "Seen.", expect: ["iVBORw0KGgo="] }]);
    await using client = rpcClient(FULL_PROGRAM, ["-m", `replay:${file}`], { cwd: ws, env: { HOME: home } });
    const show = (data: string) =>
      client.ask({ type: "prompt", message: "look", images: [{ type: "image", data, mimeType: "image/png" }] });
    const refused = await show("PHN2Zz4=");
    assertEquals([refused.success, /^images\.0: .*PNG/.test(refused.error)], [false, true], refused.error);
    assertEquals((await show("iVBORw0KGgo=")).success, true);
    await client.wait(settled);
    const [{ content }] = (await client.ask({ type: "get_messages" })).data.messages;
    assertEquals(content.map(({ type }: { type: string }) => type), ["text", "image"]);
  });
});

Deno.test("rpc: a run goes on when somebody asks for a place that the session does not have", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    await using server = serveGated([[
      ...textReply("Beginning").slice(0, 1),
      { gate: "on" },
      ...textReply(" and end"),
    ]]);
    const args = ["-m", "any", "--base-url", server.baseUrl];
    await using client = rpcClient(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
    await client.send({ type: "prompt", message: "go" });
    await client.wait(isEvent("message_update"));
    for (const command of [{ type: "fork", entryId: "none" }, { type: "navigate_tree", targetId: "none" }]) {
      const { success, error } = await client.ask(command);
      assertEquals([success, /There is no entry "none"/.test(error)], [false, true], error);
    }
    server.open("on");
    assertEquals((await client.wait(settled)).aborted, false);
    assertEquals((await client.ask({ type: "get_last_assistant_text" })).data, { text: "Beginning and end" });
  });
});

Deno.test("rpc: abort in the middle of a reply ends the request and gives queued texts back R269", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    await using server = serveGated([
      [...textReply("Beginning").slice(0, 1), { gate: "never" }],
      textReply("Fine."),
    ]);
    const args = ["-m", "any", "--base-url", server.baseUrl];
    await using client = rpcClient(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
    await client.ask({ type: "prompt", message: "long" });
    await client.wait(isEvent("message_update"));
    await client.ask({ type: "follow_up", message: "later" });
    const aborted = await client.ask({ type: "abort" });
    assertEquals(aborted.data, { steering: [], followUp: ["later"] });
    assertEquals((await client.wait(isEvent("agent_end"))).ending, "aborted");
    await until(() => server.left() === 1);
    // The session goes on.
    const from = client.lines.length;
    await client.ask({ type: "prompt", message: "again" });
    await client.wait(settled, from);
    assertEquals((await client.ask({ type: "get_last_assistant_text" })).data, { text: "Fine." });
  });
});

Deno.test("rpc: switch_session to a session that cannot be had leaves the run alone R269", async () => {
  await inWorkspace({ "none.jsonl": "no session\n" }, async ({ ws, home }) => {
    await using server = serveGated([[{ gate: "go" }, ...textReply("To the end.")]]);
    const args = ["-m", "any", "--base-url", server.baseUrl];
    await using client = rpcClient(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
    await client.ask({ type: "prompt", message: "long" });
    await client.wait(isEvent("agent_start"));
    const before = (await client.ask({ type: "get_state" })).data;
    for (const sessionPath of ["nobody-has-this", `${ws}/none.jsonl`, `${ws}/missing.jsonl`]) {
      const { success, error } = await client.ask({ type: "switch_session", sessionPath });
      assertEquals([success, typeof error], [false, "string"]);
    }
    const { isStreaming, sessionId } = (await client.ask({ type: "get_state" })).data;
    assertEquals([isStreaming, sessionId], [true, before.sessionId]);
    server.open("go");
    assertEquals((await client.wait(isEvent("agent_settled"))).aborted, false);
    assertEquals((await client.ask({ type: "get_last_assistant_text" })).data, { text: "To the end." });
  });
});

const ENDINGS = [
  { name: "abort", code: undefined },
  { name: "SIGTERM", code: 143 },
  { name: "SIGINT", code: 130 },
  { name: "a client that goes away", code: 1 },
] as const;
for (const [index, { name, code }] of ENDINGS.entries()) {
  Deno.test(`rpc: ${name} in the middle of a tool leaves nothing running, and the session is kept`, async () => {
    await inWorkspace({}, async ({ ws, home }) => {
      const seconds = `${7310 + index}.${Deno.pid}`;
      const file = cassette(home, [{ calls: [{ name: "bash", args: { command: `sleep ${seconds}` } }] }, {
        text: "On.",
      }]);
      await using client = rpcClient(FULL_PROGRAM, ["-m", `replay:${file}`], { cwd: ws, env: { HOME: home } });
      const { sessionFile } = (await client.ask({ type: "get_state" })).data;
      await client.ask({ type: "prompt", message: "sleep" });
      await client.wait(isEvent("tool_execution_start"));
      await until(() => isRunning(`^sleep ${seconds}$`));
      if (name === "abort") {
        assertEquals((await client.ask({ type: "abort" })).success, true);
        assertEquals((await client.wait(isEvent("agent_settled"))).aborted, true);
      } else if (code === 1) {
        await client.closeOutput();
        await client.closeInput();
        assertEquals((await client.ended()).code, code);
      } else {
        client.signal(name);
        assertEquals((await client.ended()).code, code);
        assertEquals(client.lines.at(-1).type, "agent_settled");
      }
      await until(() => !isRunning(`^sleep ${seconds}$`));
      const kept = Deno.readTextFileSync(sessionFile).trim().split("\n").map((line) => JSON.parse(line));
      const roles = kept.flatMap(({ type, message }) => type === "message" ? [message.role] : []);
      assertEquals(roles.slice(0, 3), ["user", "assistant", "toolResult"]);
    });
  });
}

Deno.test("rpc: at the end of the input what was asked is still done, and the command line's message is the first prompt", async () => {
  await inWorkspace({ "a.txt": "alpha" }, async ({ ws, home }) => {
    const file = cassette(home, [{ text: "Read.", delayMs: 300, expect: ["look at it", "alpha"] }]);
    const args = ["-m", `replay:${file}`, "look at it", "@a.txt"];
    await using client = rpcClient(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
    await client.closeInput();
    assertEquals((await client.ended()).code, 0);
    assertEquals(client.lines.map(({ type }) => type).filter((type) => /^agent|response/.test(type)), [
      "response",
      "agent_start",
      "agent_end",
      "agent_settled",
    ]);
  });
});

Deno.test("rpc: a denial is asked and answered by permission_response", async () => {
  await inWorkspace({}, async ({ ws, home, outside }) => {
    Deno.writeTextFileSync(`${outside}/x.txt`, "outside");
    const file = cassette(home, [
      { calls: [{ name: "read", args: { path: `${outside}/x.txt` } }] },
      { text: "Seen.", expect: ["outside"] },
    ]);
    await using client = rpcClient(FULL_PROGRAM, ["-m", `replay:${file}`], { cwd: ws, env: { HOME: home } });
    await client.ask({ type: "prompt", message: "read it" });
    const { id, denial } = await client.wait(isEvent("permission_request"));
    assertEquals([denial.kind, denial.target], ["read", `${outside}/x.txt`]);
    const wrong = await client.ask({ type: "permission_response", requestId: "none", answer: "once" });
    assertEquals(wrong.success, false);
    assertEquals((await client.ask({ type: "permission_response", requestId: id, answer: "once" })).success, true);
    assertEquals((await client.wait(isEvent("agent_end"))).ending, "done");
    assertEquals((await client.wait(isEvent("permission_decision"))).answer, "once");
  });
});

Deno.test("rpc: sessions, names, models, modes and what they look like", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [{ text: "First." }, { text: "Second." }]);
    await using client = rpcClient(FULL_PROGRAM, ["-m", `replay:${file}`], { cwd: ws, env: { HOME: home } });
    const data = async (command: object) => {
      const { success, error, data } = await client.ask(command);
      assert(success, error);
      return data;
    };
    await data({ type: "prompt", message: "one" });
    await client.wait(settled);
    const first = await data({ type: "get_state" });
    await data({ type: "set_session_name", name: "mine" });
    assertEquals((await data({ type: "get_fork_messages" })).messages.map(({ text }: { text: string }) => text), [
      "one",
    ]);
    const [{ entryId }] = (await data({ type: "get_fork_messages" })).messages;
    const { entries, leafId } = await data({ type: "get_entries" });
    assertEquals(entries.at(-1).id, leafId);
    const since = entries.at(-3).id;
    assertEquals(await data({ type: "get_entries", since }), { entries: entries.slice(-2), leafId });
    assertEquals((await client.ask({ type: "get_entries", since: "nowhere" })).success, false);
    assertEquals((await data({ type: "get_tree" })).tree[0].entry.id, entries[0].id);
    const { path } = await data({ type: "export_html", outputPath: `${home}/out.html` });
    assertStringIncludes(Deno.readTextFileSync(path), "First.");
    assertEquals((await client.ask({ type: "export_html", outputPath: path })).success, false);
    assertEquals(await data({ type: "fork", entryId }), { text: "one", cancelled: false });
    assertEquals(await data({ type: "new_session" }), { cancelled: false });
    const fresh = await data({ type: "get_state" });
    assert(fresh.sessionId !== first.sessionId && fresh.messageCount === 0);
    assertEquals((await client.ask({ type: "clone" })).success, false);
    assertEquals(await data({ type: "switch_session", sessionPath: first.sessionFile }), { cancelled: false });
    const again = await data({ type: "get_state" });
    assertEquals([again.sessionId, again.sessionName, again.messageCount], [first.sessionId, "mine", 2]);
    assertEquals(await data({ type: "clone" }), { cancelled: false });
    assertEquals((await data({ type: "get_state" })).messageCount, 2);
    const stats = await data({ type: "get_session_stats" });
    assertEquals([stats.userMessages, stats.assistantMessages, stats.toolResults], [1, 1, 0]);
    await data({ type: "set_thinking_level", level: "low" });
    assertEquals(await data({ type: "cycle_thinking_level" }), { level: "medium" });
    assertEquals((await data({ type: "get_available_thinking_levels" })).levels.length, 6);
    assertEquals(await data({ type: "cycle_model" }), null);
    // Servers of models that happen to run on this machine are listed, too.
    const models = (await data({ type: "get_available_models" })).models as readonly { readonly provider: string }[];
    assertEquals(
      models.filter(({ provider }) => !["ollama", "lmstudio", "llamacpp", "vllm"].includes(provider)).length,
      1,
    );
    await data({ type: "set_steering_mode", mode: "all" });
    await data({ type: "set_follow_up_mode", mode: "all" });
    await data({ type: "set_auto_compaction", enabled: false });
    const modes = await data({ type: "get_state" });
    assertEquals([modes.steeringMode, modes.followUpMode, modes.autoCompactionEnabled], ["all", "all", false]);
    const ran = await data({ type: "bash", command: "echo typed" });
    assertEquals([ran.output.trim(), ran.exitCode, ran.cancelled], ["typed", 0, false]);
    assertEquals((await client.ask({ type: "compact" })).success, false);
    assertEquals((await client.ask({ type: "set_model", provider: "x", modelId: "replay:none.jsonl" })).success, false);
    assertMatch((await data({ type: "get_prompt" })).full, /working directory/i);
    assertEquals(await data({ type: "steer", message: "waits" }), { disposition: "queued" });
    assertEquals(await data({ type: "clear_queue" }), { steering: ["waits"], followUp: [] });
    assertEquals(await data({ type: "set_tools", tools: ["read", "none"] }), { active: ["read"] });
    await data({ type: "abort_retry" });
    await data({ type: "abort_bash" });
    await data({ type: "reload" });
  });
});

Deno.test("rpc: abort_bash ends a typed command and leaves the run that goes on alone", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    await using server = serveGated([[{ gate: "go" }, ...textReply("A long reply.")]]);
    const args = ["-m", "any", "--base-url", server.baseUrl];
    await using client = rpcClient(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
    await client.send({ id: "p", type: "prompt", message: "go" });
    await client.wait(({ type }) => type === "agent_start");
    await client.send({ id: "b", type: "bash", command: "echo begun; sleep 61" });
    await client.wait(({ type }) => type === "bash_execution_update");
    assertEquals((await client.ask({ type: "abort_bash" })).success, true);
    const { data } = await client.wait(({ id }) => id === "b");
    assertEquals([data.cancelled, data.output.startsWith("begun")], [true, true]);
    assertEquals((await client.ask({ type: "get_state" })).data.isStreaming, true);
    server.open("go");
    await client.wait(settled);
    assertEquals((await client.ask({ type: "get_last_assistant_text" })).data, { text: "A long reply." });
  });
});

Deno.test("rpc: an extension's dialogs go over the lines and are answered there", async () => {
  const source = `export default (sp) => {
    sp.registerCommand("ask", { handler: async (_args, ctx) => {
      const colour = await ctx.ui.select("Which?", ["red", "blue"]);
      const sure = await ctx.ui.confirm("Sure?", "Really " + colour);
      const name = await ctx.ui.input("Name?");
      await ctx.ui.notify([colour, sure, name].join(" "));
    } });
  };\n`;
  await inWorkspace({ "ask.ts": source }, async ({ ws, home }) => {
    const file = cassette(home, [{ text: "Unused." }]);
    await using client = rpcClient(FULL_PROGRAM, ["-m", `replay:${file}`, "-e", "ask.ts"], {
      cwd: ws,
      env: { HOME: home },
    });
    await client.send({ id: "p", type: "prompt", message: "/ask" });
    const asked = (method: string) =>
      client.wait((line) => line.type === "extension_ui_request" && line.method === method);
    const select = await asked("select");
    assertEquals([select.title, select.options], ["Which?", ["red", "blue"]]);
    await client.send({ type: "extension_ui_response", id: select.id, value: "blue" });
    await client.send({ type: "extension_ui_response", id: (await asked("confirm")).id, confirmed: true });
    await client.send({ type: "extension_ui_response", id: (await asked("input")).id, cancelled: true });
    assertEquals((await asked("notify")).message, "blue true ");
    assertEquals((await client.wait((line) => line.id === "p")).data, { disposition: "handled" });
  });
});
