import { assert, assertEquals, assertLess, assertMatch } from "@std/assert";
import type { World } from "../sandbox/confined_world.ts";
import { until } from "../helpers/until.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";
import { oldServer, said, withServers } from "./mcp_world.ts";

const level = CONFINED[0];
const one = (
  name: string,
  mode: string,
  work: Parameters<typeof withServers>[2],
  words: readonly string[] = [],
  more = {},
): void =>
  Deno.test({
    name: `openMcp() ${name}`,
    ignore: level === undefined,
    fn: () =>
      withServers(level ?? "kernel", (world) => ({ bad: { ...oldServer(world, mode, ...words), ...more } }), work),
  });

one("answers a server's own questions with an error, but for ping", "plain", async ({ call }) => {
  assertEquals(
    said(await call("ask")),
    "sampling/createMessage: -32601, roots/list: -32601, elicitation/create: -32601, ping: {}",
  );
});

one(
  "keeps a result that is marked as an error one, and believes no annotation X17 X18",
  "plain",
  async ({ mcp, call }) => {
    const failed = await call("fail");
    assertEquals([failed.isError, said(failed)], [true, "it went wrong"]);
    assert(!JSON.stringify(mcp.tools()).includes("Harmless"));
    assert(!JSON.stringify(mcp.tools()).includes("readOnlyHint"));
  },
);

one(
  "gives up a server that never answers, within its time",
  "mute",
  ({ mcp, notices }) => {
    assertEquals([mcp.tools(), notices], [[], [
      'MCP server "bad": it did not answer within 1 s; its tools are not there',
    ]]);
    return Promise.resolve();
  },
  [],
  { startMs: 1_000 },
);

one(
  "gives an old server that dies of an unknown question the older handshake X14",
  "easily-hurt",
  async ({ call, notices }) => {
    assertEquals([said(await call("say", { text: "alive" })), notices], ["alive", []]);
  },
);

one("passes over what is no message", "chatty", async ({ call, notices }) => {
  assertEquals([said(await call("say", { text: "x" })), notices], ["x", []]);
});

one(
  "does not wait for a call longer than the time of a call, and goes on",
  "plain",
  async ({ call, notices }) => {
    const hung = await call("hang");
    assertEquals([hung.isError, notices], [true, []]);
    assertMatch(said(hung), /did not answer within 3 s/);
    assertEquals(said(await call("say", { text: "still" })), "still");
  },
  [],
  { callMs: 3_000 },
);

one("stops a call when the run is stopped", "plain", async ({ call }) => {
  const began = performance.now();
  const stopped = await call("hang", {}, { signal: AbortSignal.timeout(300) });
  assertEquals(stopped.isError, true);
  assertMatch(said(stopped), /was stopped/);
  assertLess(performance.now() - began, 60_000);
});

one("starts a server that died again with the next call, but not for ever", "plain", async ({ mcp, call, notices }) => {
  for (let deaths = 0; deaths < 4; deaths++) {
    const died = await call("die");
    assertEquals(died.isError, true);
    assertMatch(said(died), /it ended with code 7/);
    await until(() => notices.length === deaths + 1);
    if (deaths < 3) assertEquals(said(await call("say", { text: "back" })), "back");
  }
  assertMatch(notices[0] ?? "", /^MCP server "bad": it ended with code 7; the next call of its tools starts it again$/);
  assertMatch(notices[3] ?? "", /it is not started again$/);
  assertEquals(mcp.tools(), []);
});

one("tells how a server ended, however long after its output that was", "plain", async ({ call, notices }) => {
  assertMatch(said(await call("fade")), /it ended with code 7/);
  await until(() => notices.length === 1);
  assertMatch(notices[0] ?? "", /it ended with code 7; the next call/);
});

one("ends a server that floods, and the program goes on", "plain", async ({ call, notices }) => {
  const flooded = await call("flood");
  assertEquals(flooded.isError, true);
  await until(() => notices.length === 1);
  assertMatch(notices[0] ?? "", /it sends more than anybody could read/);
});

one("cuts a long answer where other tools' is cut", "plain", async ({ call, policy }) => {
  const text = said(await call("long", { text: "100000" }));
  assertMatch(text, /\[Cut here: 64\.0KB or 2000 lines of 488\.3KB are shown/);
  assertLess(text.length, policy.limits.outputBytes + 200);
});

one("takes only so many tools of a server that has thousands", "many", ({ mcp, notices }) => {
  assertEquals(mcp.tools().length, 128);
  assertMatch(notices.join(), /more than 128 tools/);
  return Promise.resolve();
});

Deno.test({
  name: "openMcp() loses of a list only what is no description of a tool",
  ignore: level === undefined,
  fn: async () => {
    const list = [
      { name: "fine", inputSchema: { type: "object" }, description: 7, annotations: "none" },
      { name: "bare" },
      { name: "wrong", inputSchema: true },
      { inputSchema: { type: "object" } },
      { name: "task", execution: { taskSupport: "required" } },
      { name: "maybe", execution: { taskSupport: "optional" } },
      null,
    ];
    const servers = (world: World) => {
      Deno.writeTextFileSync(`${world.root}/list.json`, JSON.stringify(list));
      return { odd: oldServer(world, "strange", `${world.root}/list.json`) };
    };
    await withServers(level ?? "kernel", servers, ({ mcp, notices }) => {
      const fields = mcp.tools().map(({ name, description, parameters }) => ({ name, description, parameters }));
      const parameters = { type: "object", properties: {} };
      assertEquals(
        fields,
        ["bare", "fine", "maybe", "wrong"].map((name) => ({
          name: `mcp__odd__${name}`,
          description: '(MCP server "odd")',
          parameters,
        })),
      );
      assertEquals(notices.map((notice) => notice.replace('MCP server "odd": ', "")), [
        "a tool without a name is left out",
        "a tool without a name is left out",
        'the tool "task" is left out: it runs only as a task, which is not supported',
      ]);
      return Promise.resolve();
    });
  },
});

one("keeps the valid blocks of a result that has others, too", "answers", async ({ call }) => {
  const png = btoa("picture");
  const content = [
    { type: "text", text: "first" },
    { type: "image", data: png, mimeType: "image/png", annotations: "x" },
    { type: "image", data: "notbase64!!", mimeType: "image/png" },
    { type: "audio", data: 5 },
    { type: "text" },
    { type: "new_kind", x: 1 },
    null,
    "bare",
    { type: "resource", resource: { uri: "f://a", text: "inner", mimeType: null } },
    { type: "resource", resource: { uri: "f://b" } },
    { type: "resource" },
    { type: "resource_link", uri: "f://c" },
    { type: "text", text: "last", _meta: null },
  ];
  const result = await call("answer", { text: JSON.stringify({ content, isError: "no", structuredContent: null }) });
  const left = (why: string) => `[left out: a block of the result that is not valid: ${why}]`;
  assertEquals(said(result).split("\n"), [
    "first",
    left("its image is not base64"),
    left("its audio has no data or type"),
    left("it is a text block without text"),
    left('its type "new_kind" is not known'),
    left("it is not an object"),
    "bare",
    "[resource f://a]",
    "inner",
    left("the resource f://b has neither text nor valid base64"),
    left("it is a resource without a resource"),
    left("it is a link without an address or a name"),
    "last",
  ]);
  assertEquals(result.content.slice(1), [{ type: "image", data: png, mimeType: "image/png" }]);
  assertEquals(result.isError, undefined);
  for (const content of [null, undefined, "text", { type: "text", text: "text" }]) {
    const { isError } = await call("answer", { text: JSON.stringify({ content }) });
    assertEquals(isError, undefined, JSON.stringify(content));
  }
});

one("ends a list that never ends", "endless", ({ mcp }) => {
  assertEquals(mcp.tools().length, 32);
  return Promise.resolve();
});

one("reads the list of prompts again when the server says that it changed", "prompts", async ({ mcp, call }) => {
  const names = () => mcp.prompts().map(({ name }) => name);
  assertEquals(names(), ["mcp__bad__first"]);
  await call("teach", { text: "second" });
  // The result waited for the list, as it does for tools.
  assertEquals(names(), ["mcp__bad__first", "mcp__bad__second"]);
});

one("follows a list that grows, and tells what changed", "plain", async ({ mcp, call, notices }) => {
  let changes = 0;
  mcp.onChanged(() => changes++);
  await call("grow");
  await until(() => changes === 1);
  assert(mcp.tools().some(({ name }) => name === "mcp__bad__grown13"));
  assertEquals(notices, ['MCP server "bad": its tools have changed (new: grown13)']);
});

Deno.test({
  name: "openMcp() writes one JSON object a line to a server and nothing else X15",
  ignore: level === undefined,
  fn: () =>
    withServers(
      level ?? "kernel",
      (world) => ({ rec: oldServer(world, "record", `${world.root}/log`) }),
      async ({ world, call }) => {
        await call("say", { text: "a\nb\u2028c" });
        const log = Deno.readTextFileSync(`${world.root}/log`);
        const messages = log.trimEnd().split("\n").map((line) => JSON.parse(line));
        assert(messages.every((message) => message.jsonrpc === "2.0"));
        assertEquals(messages.map(({ method }) => method), [
          "server/discover",
          "initialize",
          "notifications/initialized",
          "tools/list",
          "tools/call",
        ]);
        assertEquals(messages.at(-1).params.arguments, { text: "a\nb\u2028c" });
      },
    ),
});
