import { assert, assertEquals, assertMatch } from "@std/assert";
import { textReply } from "../helpers/server.ts";
import { inWorkspace, PROGRAM, run } from "../helpers/program.ts";
import { type McpHost, serveMcp } from "../mcp/http_server.ts";

/** A model server that rejects requests which hold any of these tools. */
interface PickyModel extends AsyncDisposable {
  readonly baseUrl: string;
  /** Names of the tools of each request. */
  readonly offered: (readonly string[])[];
}

type Reject = (tools: readonly string[]) => { readonly status?: number; readonly body: unknown } | undefined;

function servePicky(reject: Reject): PickyModel {
  const offered: (readonly string[])[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    if (request.method !== "POST") return Response.json({ data: [{ id: "m" }] });
    const { tools = [] } = await request.json();
    const names = tools.map(({ function: { name } }: { function: { name: string } }) => name);
    offered.push(names);
    const rejected = reject(names);
    if (rejected) return Response.json(rejected.body, { status: rejected.status ?? 400 });
    const lines = textReply("fine").map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    return new Response(`${lines}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
  });
  return {
    baseUrl: `http://127.0.0.1:${server.addr.port}/v1`,
    offered,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Runs one prompt with the servers `a`, `b` and `c`, each of which has the tools `one` and `two`. */
async function ask(host: McpHost, model: PickyModel, words: readonly string[] = []) {
  return await inPlace(async (ws, home) => {
    const mcpServers = Object.fromEntries(
      ["a", "b", "c"].map((name) => [name, { type: "http", url: `${host.origin}/${name}` }]),
    );
    Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
    Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify({ mcpServers }));
    return await run(PROGRAM, ["-p", "--allow-net=127.0.0.1", "--base-url", model.baseUrl, "-m", "m", ...words, "go"], {
      cwd: ws,
      env: { HOME: home, OPENAI_API_KEY: "sk-x" },
    });
  });
}

async function inPlace<T>(work: (ws: string, home: string) => Promise<T>): Promise<T> {
  let result: T | undefined;
  await inWorkspace({}, async ({ ws, home }) => void (result = await work(ws, home)));
  return result as T;
}

const serveTwo = (): McpHost => serveMcp({ tools: () => ["one", "two"].map((name) => ({ name, description: name })) });

const message = (text: string) => ({ body: { error: { message: text, type: "invalid_request_error" } } });
const BAD = "mcp__b__two";
const mcpTools = (names: readonly string[]): readonly string[] => names.filter((name) => name.startsWith("mcp__"));
const ALL = ["a", "b", "c"].flatMap((server) => [`mcp__${server}__one`, `mcp__${server}__two`]);

/** How servers tell which tool they reject. */
const WORDS: readonly { readonly name: string; readonly body: (at: number) => unknown }[] = [
  { name: "OpenAI", body: () => message(`Invalid schema for function '${BAD}': no items`).body },
  { name: "Anthropic", body: (at) => message(`tools.${at}.custom.input_schema: JSON schema is invalid`).body },
  {
    name: "Gemini",
    body: (at) => [{ error: { code: 400, message: `* tools[0].function_declarations[${at}].parameters: bad` } }],
  },
  { name: "pydantic", body: (at) => ({ detail: [{ loc: ["body", "tools", at, "function"], msg: "Field required" }] }) },
  { name: "a number", body: (at) => message(`tool number ${at} has a bad schema`).body },
];

for (const { name, body } of WORDS) {
  Deno.test(`a tool that ${name}'s words reject is left out, and the request is made again`, async () => {
    await using host = serveTwo();
    await using model = servePicky((tools) => tools.includes(BAD) ? { body: body(tools.indexOf(BAD)) } : undefined);
    const ran = await ask(host, model);
    assertEquals([ran.code, ran.stdout], [0, "fine\n"], ran.stderr);
    assertEquals(model.offered.map(mcpTools), [ALL, ALL.filter((tool) => tool !== BAD)]);
    assertMatch(ran.stderr, /A tool is left out.*mcp__b__two \(MCP server "b"\): 127\.0\.0\.1:\d+ answered 400/);
  });
}

Deno.test("several rejected tools are left out one after the other", async () => {
  await using host = serveTwo();
  await using model = servePicky((tools) => {
    const bad = mcpTools(tools).find((name) => name.endsWith("two"));
    return bad === undefined ? undefined : message(`Invalid schema for function '${bad}'`);
  });
  const ran = await ask(host, model);
  assertEquals([ran.code, ran.stdout], [0, "fine\n"], ran.stderr);
  assertEquals(model.offered.length, 4);
  for (const server of ["a", "b", "c"]) {
    assertMatch(ran.stderr, new RegExp(`mcp__${server}__two \\(MCP server "${server}"`));
  }
});

Deno.test("a rejection that names nothing: the tools of the server that it is about are left out", async () => {
  await using host = serveTwo();
  await using model = servePicky((tools) =>
    tools.includes(BAD) ? message("Request contains an invalid argument.") : undefined
  );
  const ran = await ask(host, model);
  assertEquals([ran.code, ran.stdout], [0, "fine\n"], ran.stderr);
  assertEquals(model.offered.map(mcpTools).at(-1), ALL.filter((name) => !name.startsWith("mcp__b")));
  assertMatch(ran.stderr, /The tools of the MCP server "b" are left out/);
  assert(!/MCP server "[ac]"/.test(ran.stderr), ran.stderr);
});

Deno.test("a rejection that names nothing and is about several servers: none of their tools is sent", async () => {
  await using host = serveTwo();
  await using model = servePicky((tools) => mcpTools(tools).length > 2 ? message("Bad request") : undefined);
  const ran = await ask(host, model);
  assertEquals([ran.code, ran.stdout], [0, "fine\n"], ran.stderr);
  assertEquals(model.offered.map(mcpTools).at(-1), []);
  assertMatch(ran.stderr, /The tools of the MCP server "a", "b", "c" are left out/);
});

Deno.test("a rejection that is not about tools is reported as it is, after few requests", async () => {
  await using host = serveTwo();
  await using model = servePicky(() => message("Something else is wrong"));
  const ran = await ask(host, model);
  assertEquals([ran.code, ran.stdout], [1, ""]);
  assertEquals(model.offered.length, 5);
  assertMatch(ran.stderr, /answered 400: "Something else is wrong"/);
  assert(!/left out/.test(ran.stderr), ran.stderr);
});

Deno.test("other failures leave no tool out", async () => {
  await using host = serveTwo();
  await using model = servePicky(() => ({ status: 401, body: { error: { message: "bad key" } } }));
  const ran = await ask(host, model);
  assertEquals([ran.code, model.offered.length], [1, 1]);
});
