import { assert, assertEquals, assertThrows } from "@std/assert";
import { httpWay } from "../../../src/engine/mcp/http.ts";
import { openSecrets } from "../../../src/engine/model/secrets.ts";
import { mcpTools } from "../../../src/engine/mcp/mcp.ts";
import { serverChoice } from "../../helpers/server_choice.ts";
import type { ModelChoice } from "../../../src/engine/model/model.ts";
import type { HttpServer } from "../../../src/mcp/config.ts";
import { argsOf } from "../../../src/core/tool.ts";
import { argumentIssues } from "../../../src/mcp/arguments.ts";

const KEY = "sk-0123456789";
const choice: ModelChoice = serverChoice({
  model: "m",
  baseUrl: "http://127.0.0.1:9",
  apiKey: KEY,
  apiKeyEnv: "MY_KEY",
});
const env = { MY_KEY: KEY, TOKEN: "token-0123456789", COPY: `Bearer ${KEY}`, EMPTY: "" };
const secrets = () =>
  openSecrets({
    world: { env, cwd: "/", home: "/", stdinIsTerminal: false, stdoutIsTerminal: false, mayRun: true },
  }, choice);
const open = (server: HttpServer): void => httpWay(server, { all: true, list: [] }, secrets()).close();

const REFUSED: readonly { readonly server: HttpServer; readonly why: string }[] = [
  { server: { url: "ftp://a" }, why: "must begin with" },
  { server: { url: "not a url" }, why: "must begin with" },
  { server: { url: "https://me:pw@a.example" }, why: "holds a name or password" },
  { server: { url: "https://a.example", headerEnv: { authorization: "MY_KEY" } }, why: "holds the model's key" },
  { server: { url: "https://a.example", headerEnv: { authorization: "COPY" } }, why: "holds the model's key" },
  { server: { url: "https://a.example", headers: { authorization: `Bearer ${KEY}` } }, why: "holds the model's key" },
  { server: { url: "https://a.example", headerEnv: { authorization: "NONE" } }, why: "the variable NONE is not set" },
  { server: { url: "https://a.example", headerEnv: { authorization: "EMPTY" } }, why: "the variable EMPTY is not set" },
  { server: { url: "https://a.example", headers: { host: "b" } }, why: "cannot be set" },
  { server: { url: "https://a.example", headers: { "a b": "c" } }, why: "none that can be sent" },
  { server: { url: "http://a.example", headerEnv: { authorization: "TOKEN" } }, why: "without encryption" },
];

for (const { server, why } of REFUSED) {
  Deno.test(`httpWay() refuses ${JSON.stringify(server)} and shows no value`, () => {
    const error = assertThrows(() => open(server), Error, why);
    assert(!error.message.includes("0123456789"));
  });
}

Deno.test("httpWay() takes headers over TLS, and in the clear to this machine", () => {
  open({ url: "https://a.example", headerEnv: { authorization: "TOKEN" } });
  open({ url: "http://127.0.0.1:1", headerEnv: { authorization: "TOKEN" } });
  open({ url: "http://a.example" });
});

Deno.test("openSecrets() takes keys and named values out of texts", () => {
  const own = secrets();
  own.hide("token-0123456789");
  assertEquals(own.scrub(`it said token-0123456789 and ${KEY}`), "it said [key] and [key]");
});

Deno.test("mcpTools() checks what can be told, keeps unknown keys, and lets no tool run beside others X18", async () => {
  const parameters = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  const [known] = mcpTools([{
    name: "mcp__s__t",
    description: "d",
    parameters,
    issues: (args) => argumentIssues(args, parameters),
    server: "s",
    exposure: "all",
    run: () => Promise.resolve({ content: [] }),
  }], () => {});
  assert(known);
  assertEquals([known.origin, known.tool.readOnly, known.definition.parameters], ["mcp", false, parameters]);
  assertEquals<unknown>((await argsOf(known.tool)).safeParse({ a: "x", more: [1] }).data, { a: "x", more: [1] });
  const { error } = (await argsOf(known.tool)).safeParse({ a: 1 });
  assertEquals(error?.issues.map(({ path, message }) => [path, message]), [[
    ["a"],
    "must be of type string, not number",
  ]]);
});
