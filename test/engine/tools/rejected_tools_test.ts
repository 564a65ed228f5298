import { assertEquals } from "@std/assert";
import type { ToolRejections } from "../../../src/agent/deps.ts";
import { createRejectedTools } from "../../../src/engine/tools/rejected_tools.ts";
import { createToolset, type KnownTool } from "../../../src/engine/tools/toolset.ts";

type Failure = Parameters<ToolRejections["leaveOut"]>[0];

const invalid: Failure = { kind: "bad_request", message: "bad request", status: 400, retry: false };
const naming = (...tools: readonly string[]): Failure => ({ ...invalid, message: `bad ${tools}`, tools });

function brought(server: string, name: string): KnownTool {
  return {
    tool: {
      ...{ name, description: "d", promptSnippet: "d", parameters: { type: "object" } },
      run: () => Promise.resolve({ content: [], isError: false }),
    } as unknown as KnownTool["tool"], // none of it is called here
    definition: { name, description: "d", parameters: { type: "object" } },
    origin: "mcp",
    server,
    run: () => Promise.resolve({ content: [], isError: false }),
  };
}

/** Tools of servers, named `SERVER.N`. */
function open(...servers: readonly string[]) {
  const toolset = createToolset([], []);
  toolset.replace("mcp", servers.flatMap((server) => [brought(server, `${server}.1`), brought(server, `${server}.2`)]));
  let model = "m";
  const rejected = createRejectedTools({ toolset, retake: () => {}, model: () => model });
  const sent = (): string => toolset.active().map(({ tool }) => tool.name).join(" ");
  return { rejected, sent, use: (name: string) => void (model = name) };
}

Deno.test("a tool that the provider names stays out until another model answers", () => {
  const { rejected, sent, use } = open("a", "b");
  const reply = rejected.forReply();
  assertEquals(reply.leaveOut(naming("a.2")), true);
  assertEquals(sent(), "a.1 b.1 b.2");
  assertEquals(reply.settle(true), [
    'A tool is left out, because the model\'s provider rejects it: a.2 (MCP server "a"): bad a.2',
  ]);
  assertEquals(rejected.forReply().settle(true), []);
  assertEquals(sent(), "a.1 b.1 b.2");
  use("other");
  rejected.forReply();
  assertEquals(sent(), "a.1 a.2 b.1 b.2");
});

Deno.test("servers are tried one by one if the provider names no tool, at last all; what does not help is sent again", () => {
  const { rejected, sent } = open("a", "b");
  const reply = rejected.forReply();
  const tried: string[] = [];
  while (reply.leaveOut(invalid)) tried.push(sent());
  assertEquals(tried, ["b.1 b.2", "a.1 a.2", ""]);
  assertEquals(reply.settle(false), []);
  assertEquals(sent(), "a.1 a.2 b.1 b.2");
});

Deno.test("the tools of a single server are tried once", () => {
  const { rejected, sent } = open("a");
  const reply = rejected.forReply();
  assertEquals([reply.leaveOut(invalid), sent()], [true, ""]);
  assertEquals(reply.leaveOut(invalid), false);
});

Deno.test("the tools of the server that helps stay out", () => {
  const { rejected, sent } = open("a", "b");
  const reply = rejected.forReply();
  reply.leaveOut(invalid);
  reply.leaveOut(invalid);
  const [line] = reply.settle(true);
  assertEquals(line?.startsWith('The tools of the MCP server "b" are left out'), true);
  assertEquals(sent(), "a.1 a.2");
});

Deno.test("a failure that is not about the request leaves nothing out", () => {
  const { rejected, sent } = open("a", "b");
  assertEquals(rejected.forReply().leaveOut({ ...invalid, status: 500 }), false);
  assertEquals(sent(), "a.1 a.2 b.1 b.2");
});
