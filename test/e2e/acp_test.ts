import { dirname } from "@std/path";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { McpServer, SessionUpdate } from "@agentclientprotocol/sdk";
import { serveGated } from "../helpers/gated_server.ts";
import { cassette, events, FULL_PROGRAM, inWorkspace, run } from "../helpers/program.ts";
import { serveAnswers, textReply } from "../helpers/server.ts";
import { reachableDeno } from "../sandbox/reachable.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";
import { serveMcp } from "../mcp/http_server.ts";
import { acpClient, newSession, prompt } from "./acp_client.ts";
import { until } from "../helpers/until.ts";
import { isRunning } from "./rpc_client.ts";

const isUpdate = (kind: SessionUpdate["sessionUpdate"]) => (update: SessionUpdate): boolean =>
  update.sessionUpdate === kind;

/** What the agent said, its pieces joined. */
function spoken(updates: readonly SessionUpdate[], kind = "agent_message_chunk"): string {
  return updates.map((update) =>
    update.sessionUpdate === kind && "content" in update && update.content && "text" in update.content
      ? update.content.text
      : ""
  ).join("");
}

Deno.test("acp: initialize settles on version 1, whatever the client offers and whatever else it can X19", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [{ text: "Unused." }]);
    await using client = acpClient(FULL_PROGRAM, ["-m", `replay:${file}`], { cwd: ws, env: { HOME: home } });
    const first = await client.agent.request("initialize", {
      protocolVersion: 1,
      // Deliberately more than the protocol knows.
      clientCapabilities: { fs: { readTextFile: true }, ...{ telepathy: { distance: 3 } } },
    });
    const second = await client.agent.request("initialize", { protocolVersion: 9 });
    assertEquals([first.protocolVersion, second.protocolVersion], [1, 1]);
    assertEquals(first.agentCapabilities?.loadSession, true);
    await assertRejects(
      () => client.agent.request("session/new", { cwd: "relative", mcpServers: [] }),
      Error,
      "absolute",
    );
    await assertRejects(() => prompt(client, "none", "hello"), Error);
    await assertRejects(() => client.agent.request("no/such_method", {}), Error);
  });
});

Deno.test("acp: a client that does not wait for answers gets them all, also when its input has ended X19 X24", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [{ text: "Unused." }]);
    const requests = [
      { id: 0, method: "initialize", params: { protocolVersion: 1 } },
      { id: 1, method: "session/new", params: { cwd: ws, mcpServers: [] } },
      { id: 2, method: "session/list", params: { cwd: ws } },
    ];
    const stdin = `not JSON\n${
      requests.map((request) => JSON.stringify({ jsonrpc: "2.0", ...request }) + "\n").join("")
    }`;
    const ran = await run(FULL_PROGRAM, ["acp", "-m", `replay:${file}`], { cwd: ws, env: { HOME: home }, stdin });
    const answers = events(ran.stdout).filter((message) => "id" in message);
    assertEquals(answers.map(({ id }) => id).sort(), [0, 1, 2, null]);
    assertEquals(answers.find(({ id }) => id === null).error.code, -32700);
    assertEquals(answers.filter(({ id }) => id !== null).map(({ error }) => error), [undefined, undefined, undefined]);
    assertEquals(ran.code, 0);
  });
});

Deno.test("acp: a prompt's text, thoughts, calls and results are updates; paths are absolute, lines from 1; stdout has nothing else X20 X22 X23 X24", async () => {
  await inWorkspace({ "src/a.ts": "one\ntwo\nthree\n" }, async ({ ws, home }) => {
    const file = cassette(home, [
      { text: "Looking.", thinking: "Hm.", calls: [{ name: "read", args: { path: "src/a.ts", offset: 2 } }] },
      { calls: [{ name: "edit", args: { path: "src/a.ts", edits: [{ oldText: "two", newText: "2" }] } }] },
      { calls: [{ name: "bash", args: { command: "echo out; exit 3" } }] },
      { calls: [{ name: "grep", args: { pattern: "three" } }] },
      { text: "Done." },
    ]);
    const args = ["-m", `replay:${file}`, "-t", "read,edit,bash,grep"];
    await using client = acpClient(FULL_PROGRAM, args, { cwd: home, env: { HOME: home } });
    const { sessionId, configOptions } = await newSession(client, ws);
    assertEquals(configOptions?.map(({ id }) => id), ["model", "thinking"]);
    assertEquals(await prompt(client, sessionId, "change it"), { stopReason: "end_turn" });
    const { updates } = client;
    assertEquals(spoken(updates), "Looking.Done.");
    const calls = updates.filter((update) => update.sessionUpdate === "tool_call");
    assertEquals(calls.map(({ kind, status, title, locations }) => ({ kind, status, title, locations })), [
      {
        kind: "read",
        status: "pending",
        title: `read ${ws}/src/a.ts`,
        locations: [{ path: `${ws}/src/a.ts`, line: 2 }],
      },
      { kind: "edit", status: "pending", title: `edit ${ws}/src/a.ts`, locations: [{ path: `${ws}/src/a.ts` }] },
      { kind: "execute", status: "pending", title: "echo out; exit 3", locations: [] },
      { kind: "search", status: "pending", title: "grep three", locations: [] },
    ]);
    assertEquals(calls[1]?.content, [{ type: "diff", path: `${ws}/src/a.ts`, oldText: "two", newText: "2" }]);
    const states = updates.flatMap((update) =>
      update.sessionUpdate === "tool_call_update" && update.status ? [[update.toolCallId, update.status]] : []
    );
    const ids = calls.map(({ toolCallId }) => toolCallId);
    assertEquals(states, [
      [ids[0], "in_progress"],
      [ids[0], "completed"],
      [ids[1], "in_progress"],
      [ids[1], "completed"],
      [ids[2], "in_progress"],
      [ids[2], "failed"],
      [ids[3], "in_progress"],
      [ids[3], "completed"],
    ]);
    // What the last update of the edit leaves in sight is its diff.
    const last = updates.findLast((update) =>
      update.sessionUpdate === "tool_call_update" && update.toolCallId === ids[1]
    );
    assert(last?.sessionUpdate === "tool_call_update");
    assertEquals([last.content, last.locations], [undefined, [{ path: `${ws}/src/a.ts`, line: 2 }]]);
    assertEquals(Deno.readTextFileSync(`${ws}/src/a.ts`), "one\n2\nthree\n");
    assertEquals((await client.leave()).code, 0);
    assert(client.lines.length > 10);
    for (const line of client.lines) assertEquals(JSON.parse(line).jsonrpc, "2.0", line);
  });
});

Deno.test("acp: cancel in the middle of a reply, and before anything happened, ends the prompt as cancelled and not as an error X21", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    await using server = serveGated([
      [...textReply("Beginning").slice(0, 1), { gate: "never" }],
      [{ gate: "never" }],
      textReply("Fine."),
    ]);
    const args = ["-m", "any", "--base-url", server.baseUrl];
    await using client = acpClient(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
    const { sessionId } = await newSession(client, ws);
    const first = prompt(client, sessionId, "long");
    await client.wait(isUpdate("agent_message_chunk"));
    await client.agent.notify("session/cancel", { sessionId });
    assertEquals(await first, { stopReason: "cancelled" });
    await until(() => server.left() === 1);
    const second = prompt(client, sessionId, "again");
    await client.agent.notify("session/cancel", { sessionId });
    assertEquals(await second, { stopReason: "cancelled" });
    // Without a prompt there is nothing to cancel, and the session goes on.
    await client.agent.notify("session/cancel", { sessionId });
    server.open("never");
    assertEquals((await prompt(client, sessionId, "and again")).stopReason, "end_turn");
  });
});

Deno.test("acp: cancel in the middle of a tool ends what the tool started X21", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const seconds = `7320.${Deno.pid}`;
    const file = cassette(home, [{ calls: [{ name: "bash", args: { command: `sleep ${seconds}` } }] }, {
      text: "On.",
    }]);
    await using client = acpClient(FULL_PROGRAM, ["-m", `replay:${file}`], { cwd: ws, env: { HOME: home } });
    const { sessionId } = await newSession(client, ws);
    const running = prompt(client, sessionId, "sleep");
    await until(() => isRunning(`^sleep ${seconds}$`));
    await client.agent.notify("session/cancel", { sessionId });
    assertEquals(await running, { stopReason: "cancelled" });
    await until(() => !isRunning(`^sleep ${seconds}$`));
  });
});

for (const way of ["a client that goes away", "SIGTERM"] as const) {
  Deno.test(`acp: ${way} leaves nothing running`, async () => {
    await inWorkspace({}, async ({ ws, home }) => {
      const seconds = `732${way.length}.${Deno.pid}`;
      const file = cassette(home, [{ calls: [{ name: "bash", args: { command: `sleep ${seconds}` } }] }, {
        text: "On.",
      }]);
      await using client = acpClient(FULL_PROGRAM, ["-m", `replay:${file}`], { cwd: ws, env: { HOME: home } });
      const { sessionId } = await newSession(client, ws);
      void prompt(client, sessionId, "sleep").catch(() => {});
      await until(() => isRunning(`^sleep ${seconds}$`));
      if (way === "SIGTERM") client.signal("SIGTERM");
      assertEquals((await client.leave()).code, way === "SIGTERM" ? 143 : 0);
      await until(() => !isRunning(`^sleep ${seconds}$`));
    });
  });
}

const ANSWERS = [
  { optionId: "once", isRead: true },
  { optionId: "no", isRead: false },
  { optionId: undefined, isRead: false },
] as const;
for (const { optionId, isRead } of ANSWERS) {
  Deno.test(`acp: a denial is asked of the client, and ${optionId ?? "no choice"} ${isRead ? "lets" : "does not let"} it pass`, async () => {
    await inWorkspace({}, async ({ ws, home, outside }) => {
      Deno.writeTextFileSync(`${outside}/x.txt`, "OUTSIDE");
      const file = cassette(home, [
        { calls: [{ name: "read", args: { path: `${outside}/x.txt` } }] },
        { text: "Read.", ...(isRead ? { expect: ["OUTSIDE"] } : {}) },
      ]);
      await using client = acpClient(FULL_PROGRAM, ["-m", `replay:${file}`], {
        cwd: ws,
        env: { HOME: home },
        answer: () => optionId ? { outcome: "selected", optionId } : { outcome: "cancelled" },
      });
      const { sessionId } = await newSession(client, ws);
      assertEquals(await prompt(client, sessionId, "read it"), { stopReason: "end_turn" });
      const [asked] = client.permissions;
      assertEquals(asked?.options.map(({ kind }) => kind), [
        "allow_once",
        "allow_always",
        "allow_always",
        "reject_once",
      ]);
      const call = client.updates.find(isUpdate("tool_call"));
      assert(call?.sessionUpdate === "tool_call");
      assertEquals(asked?.toolCall.toolCallId, call.toolCallId);
      assertEquals(JSON.stringify(client.updates).includes("OUTSIDE"), isRead);
    });
  });
}

Deno.test("acp: cancel while the client is asked ends the prompt as cancelled X21", async () => {
  await inWorkspace({}, async ({ ws, home, outside }) => {
    Deno.writeTextFileSync(`${outside}/x.txt`, "OUTSIDE");
    const file = cassette(home, [{ calls: [{ name: "read", args: { path: `${outside}/x.txt` } }] }, { text: "On." }]);
    await using client = acpClient(FULL_PROGRAM, ["-m", `replay:${file}`], {
      cwd: ws,
      env: { HOME: home },
      answer: () => new Promise<never>(() => {}),
    });
    const { sessionId } = await newSession(client, ws);
    const running = prompt(client, sessionId, "read it");
    await until(() => client.permissions.length === 1);
    await client.agent.notify("session/cancel", { sessionId });
    assertEquals(await running, { stopReason: "cancelled" });
  });
});

Deno.test("acp: a kept session is listed, loaded with its history and gone on with; two sessions have their own workspaces", async () => {
  await inWorkspace({ "a.txt": "alpha" }, async ({ ws, home, outside }) => {
    const file = cassette(home, [
      { text: "Reading.", calls: [{ name: "read", args: { path: "a.txt" } }] },
      { text: "It says alpha." },
    ]);
    const options = { cwd: ws, env: { HOME: home } };
    let sessionId = "";
    {
      await using client = acpClient(FULL_PROGRAM, ["-m", `replay:${file}`], options);
      ({ sessionId } = await newSession(client, ws));
      await prompt(client, sessionId, "what is in a.txt?");
      const other = await client.agent.request("session/new", { cwd: outside, mcpServers: [] });
      assert(other.sessionId !== sessionId);
      await client.agent.request("session/close", { sessionId: other.sessionId });
      await assertRejects(() => prompt(client, other.sessionId, "hello"), Error);
    }
    const again = cassette(home, [{ text: "As before.", expect: ["It says alpha.", "what is in a.txt?"] }]);
    await using client = acpClient(FULL_PROGRAM, ["-m", `replay:${again}`], options);
    await client.agent.request("initialize", { protocolVersion: 1 });
    const { sessions } = await client.agent.request("session/list", { cwd: ws });
    assertEquals(sessions.map(({ sessionId, cwd, title }) => [sessionId, cwd, title]), [[
      sessionId,
      ws,
      "what is in a.txt?",
    ]]);
    await client.agent.request("session/load", { sessionId, cwd: ws, mcpServers: [] });
    assertEquals(spoken(client.updates, "user_message_chunk"), "what is in a.txt?");
    assertEquals(spoken(client.updates), "Reading.It says alpha.");
    assertEquals(client.updates.filter(isUpdate("tool_call")).length, 1);
    const [done] = client.updates.filter(isUpdate("tool_call_update"));
    assert(done?.sessionUpdate === "tool_call_update" && done.status === "completed");
    assertEquals(await prompt(client, sessionId, "once more"), { stopReason: "end_turn" });
  });
});

Deno.test("acp: limits, refusals and failures of the model have their own ends X20", async () => {
  await inWorkspace({ "a.txt": "alpha" }, async ({ ws, home }) => {
    const cut = [
      { choices: [{ index: 0, delta: { content: "Half of" }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "length" }] },
    ];
    const filtered = [{ choices: [{ index: 0, delta: {}, finish_reason: "content_filter" }] }];
    const server = serveAnswers([
      { events: filtered },
      { status: 401, body: '{"error":{"message":"wrong key"}}' },
      { events: cut }, // also when it is asked to go on
    ]);
    try {
      const args = ["-m", "any", "--base-url", server.baseUrl];
      await using client = acpClient(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
      const { sessionId } = await newSession(client, ws);
      assertEquals(await prompt(client, sessionId, "one"), { stopReason: "refusal" });
      await assertRejects(() => prompt(client, sessionId, "two"), Error, "key");
      assertEquals(await prompt(client, sessionId, "three"), { stopReason: "max_tokens" });
    } finally {
      await server.close();
    }
    const file = cassette(
      home,
      Array.from({ length: 4 }, () => ({ calls: [{ name: "read", args: { path: "a.txt" } }] })),
    );
    await using client = acpClient(FULL_PROGRAM, ["-m", `replay:${file}`, "--max-turns", "2"], {
      cwd: ws,
      env: { HOME: home },
    });
    const { sessionId } = await newSession(client, ws);
    assertEquals(await prompt(client, sessionId, "loop"), { stopReason: "max_turn_requests" });
  });
});

Deno.test("acp: options of a session can be set, and commands and plans are told whole X22", async () => {
  const source = `export default (sp) => {
    sp.registerCommand("hello", { description: "says hello", handler: () => {} });
    sp.registerTool({ name: "keep_plan", description: "keeps the plan", parameters: { type: "object", properties: {} },
      execute: () => ({ content: [{ type: "text", text: "kept" }], details: { plan: [
        { content: "look", status: "completed", priority: "high" }, { content: "do", status: "in_progress" } ] } }) });
  };\n`;
  await inWorkspace({ "x.ts": source }, async ({ ws, home }) => {
    const file = cassette(home, [{ calls: [{ name: "keep_plan", args: {} }] }, { text: "Kept." }]);
    await using client = acpClient(FULL_PROGRAM, ["-m", `replay:${file}`, "-e", `${ws}/x.ts`], {
      cwd: ws,
      env: { HOME: home },
    });
    const { sessionId } = await newSession(client, ws);
    const commands = await client.wait(isUpdate("available_commands_update"));
    assert(commands.sessionUpdate === "available_commands_update");
    assert(commands.availableCommands.some(({ name }) => name === "hello"));
    assertEquals(await prompt(client, sessionId, "/hello"), { stopReason: "end_turn" });
    await prompt(client, sessionId, "plan it");
    assertEquals(client.updates.filter(isUpdate("plan")), [{
      sessionUpdate: "plan",
      entries: [
        { content: "look", status: "completed", priority: "high" },
        { content: "do", status: "in_progress", priority: "medium" },
      ],
    }]);
    const set = { sessionId, configId: "thinking" };
    const { configOptions } = await client.agent.request("session/set_config_option", { ...set, value: "high" });
    assertEquals(configOptions.find(({ id }) => id === "thinking")?.currentValue, "high");
    await assertRejects(() => client.agent.request("session/set_config_option", { ...set, value: "enormous" }), Error);
  });
});

Deno.test("acp: links and embedded files reach the model as paths and text, pictures as they are", async () => {
  await inWorkspace({ "a.txt": "alpha" }, async ({ ws, home }) => {
    const file = cassette(home, [{
      text: "Got it.",
      expect: ["iVBORw0KGgo=", `compare ${ws}/a.txt`, `<file name=\\"${ws}/b.txt\\">\\nbeta`],
    }]);
    await using client = acpClient(FULL_PROGRAM, ["-m", `replay:${file}`], { cwd: ws, env: { HOME: home } });
    const { sessionId } = await newSession(client, ws);
    const { stopReason } = await client.agent.request("session/prompt", {
      sessionId,
      prompt: [
        { type: "text", text: "compare " },
        { type: "resource_link", name: "a.txt", uri: `file://${ws}/a.txt#L1` },
        { type: "resource", resource: { uri: `file://${ws}/b.txt`, text: "beta" } },
        { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
      ],
    });
    assertStringIncludes(spoken(client.updates), "Got it.");
    assertEquals(stopReason, "end_turn");
  });
});

Deno.test({
  name: "acp: a server that the client names brings its tools, confined like everything else",
  ignore: CONFINED.length === 0,
  fn: async () => {
    const server = Deno.readTextFileSync(new URL("../mcp/servers/old.mjs", import.meta.url));
    await inWorkspace({ "old.mjs": server }, async ({ ws, home }) => {
      const mayReadDeno = [`--allow-read=.,${dirname(reachableDeno())}`];
      const call = { calls: [{ name: "mcp__old__say", args: { text: "hello" } }] };
      const file = cassette(home, [call, { text: "Said.", expect: ["hello"] }]);
      await using client = acpClient(FULL_PROGRAM, ["-m", `replay:${file}`, ...mayReadDeno], {
        cwd: ws,
        env: { HOME: home },
      });
      await client.agent.request("initialize", { protocolVersion: 1 });
      const args = ["run", "-A", "--no-config", "--no-lock", `${ws}/old.mjs`, "plain"];
      const mcpServers: McpServer[] = [{ name: "old", command: reachableDeno(), args, env: [] }];
      const { sessionId } = await client.agent.request("session/new", { cwd: ws, mcpServers });
      assertEquals(await prompt(client, sessionId, "say it"), { stopReason: "end_turn" });
      const ended = client.updates.findLast(isUpdate("tool_call_update"));
      assertEquals(ended?.sessionUpdate === "tool_call_update" && ended.status, "completed");
    });
  },
});

Deno.test("acp: a client learns which key is missing, and that nothing else is to be done", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [{ text: "Unused." }]);
    for (const [args, isThere] of [[["-m", `replay:${file}`], true], [["-m", "openai/gpt-5"], false]] as const) {
      await using client = acpClient(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
      const { authMethods = [] } = await client.agent.request("initialize", { protocolVersion: 1 });
      assertEquals(authMethods.map(({ id }) => id), ["api-key"]);
      const login = () => client.agent.request("authenticate", { methodId: "api-key" });
      if (isThere) assertEquals(await login(), {});
      else await assertRejects(login, Error, "OPENAI_API_KEY");
      await assertRejects(() => client.agent.request("authenticate", { methodId: "other" }), Error, "api-key");
    }
  });
});

Deno.test("acp: session/delete removes a session with its file", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [{ text: "One." }, { text: "Two." }]);
    await using client = acpClient(FULL_PROGRAM, ["-m", `replay:${file}`], { cwd: ws, env: { HOME: home } });
    const { sessionId } = await newSession(client, ws);
    await prompt(client, sessionId, "hello");
    const ids = async () =>
      (await client.agent.request("session/list", { cwd: ws })).sessions.map((one) => one.sessionId);
    assertEquals(await ids(), [sessionId]);
    await client.agent.request("session/delete", { sessionId });
    assertEquals(await ids(), []);
    await assertRejects(() => prompt(client, sessionId, "again"), Error);
    // One that is not there counts as deleted; half an id or a path is none.
    const { sessionId: other } = await client.agent.request("session/new", { cwd: ws, mcpServers: [] });
    await prompt(client, other, "hello");
    const { sessions: [kept] } = await client.agent.request("session/list", { cwd: ws });
    for (const id of [sessionId, "../x", other.slice(0, 30)]) {
      assertEquals(await client.agent.request("session/delete", { sessionId: id }), {});
    }
    assertEquals([kept?.sessionId, await ids()], [other, [other]]);
    // A client need not wait for the end of a session before it deletes it.
    const closed = client.agent.request("session/close", { sessionId: other });
    assertEquals(await client.agent.request("session/delete", { sessionId: other }), {});
    await closed;
    assertEquals(await ids(), []);
  });
});

Deno.test({
  name: "acp: additional directories are in the scopes, but not where the user has said what these are",
  ignore: CONFINED.length === 0,
  fn: () =>
    inWorkspace({}, async ({ ws, home, outside }) => {
      Deno.writeTextFileSync(`${outside}/in.txt`, "from outside");
      const calls = [
        { calls: [{ name: "read", args: { path: `${outside}/in.txt` } }] },
        { calls: [{ name: "write", args: { path: `${outside}/out.txt`, content: "x" } }] },
        { text: "Done." },
      ];
      const file = cassette(home, calls);
      const states = async (args: readonly string[]): Promise<readonly unknown[]> => {
        await using client = acpClient(FULL_PROGRAM, [...args, "-m", `replay:${file}`], {
          cwd: ws,
          env: { HOME: home },
        });
        await client.agent.request("initialize", {
          protocolVersion: 1,
          clientCapabilities: { session: { notices: {} } },
        });
        const { sessionId } = await client.agent.request("session/new", {
          cwd: ws,
          additionalDirectories: [outside],
          mcpServers: [],
        });
        await prompt(client, sessionId, "go");
        const ends = client.updates.flatMap((update) =>
          update.sessionUpdate === "tool_call_update" && /completed|failed/.test(update.status ?? "")
            ? [update.status]
            : []
        );
        const notices = client.updates.filter(isUpdate("notice")).filter((update) =>
          JSON.stringify(update).includes("additional directories")
        );
        return [...ends, notices.length];
      };
      assertEquals(await states([]), ["completed", "completed", 0]);
      assertEquals(Deno.readTextFileSync(`${outside}/out.txt`), "x");
      // Reading is open as before; what may be written the user has said.
      assertEquals(await states(["--allow-write=."]), ["completed", "failed", 1]);
      await using client = acpClient(FULL_PROGRAM, ["-m", `replay:${file}`], { cwd: ws, env: { HOME: home } });
      await client.agent.request("initialize", { protocolVersion: 1 });
      for (const directory of ["relative", `${outside}/none`]) {
        const wanted = { cwd: ws, additionalDirectories: [directory], mcpServers: [] };
        await assertRejects(() => client.agent.request("session/new", wanted), Error, "additionalDirectories");
      }
    }),
});

Deno.test("acp: prompts of MCP servers are commands, and a server that cannot be used is a notice", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    await using host = serveMcp({
      tools: () => [],
      capabilities: { prompts: {} },
      methods: { "prompts/list": () => ({ prompts: [{ name: "greet", description: "Greets" }] }) },
    });
    const file = cassette(home, [{ text: "Unused." }]);
    const args = [`--allow-net=127.0.0.1:${host.port}`, "-m", `replay:${file}`];
    await using client = acpClient(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
    await client.agent.request("initialize", { protocolVersion: 1, clientCapabilities: { session: { notices: {} } } });
    await client.agent.request("session/new", {
      cwd: ws,
      mcpServers: [
        { type: "http", name: "docs", url: `${host.origin}/docs`, headers: [] },
        { type: "sse", name: "old", url: `${host.origin}/old`, headers: [] },
      ],
    });
    await client.wait((update) =>
      update.sessionUpdate === "available_commands_update" &&
      update.availableCommands.some(({ name }) => name === "mcp__docs__greet")
    );
    await client.wait((update) => update.sessionUpdate === "notice" && update.title.includes("MCP server old"));
  });
});
