// The client that the conformance suite starts for each of its scenarios: `client.ts URL`. It does with the suite's server
// what a session does: connects, logs in as a user with a browser would if the server wants that, and calls every tool.
import type { ModelChoice } from "../../../src/engine/model/model.ts";
import { loginFetch, loginStore } from "../../../src/engine/mcp/logins.ts";
import { openSessionMcp, type SessionMcp } from "../../../src/engine/mcp/mcp.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../src/core/json.ts";
import { textOf } from "../../../src/core/message.ts";
import type { HttpServer } from "../../../src/mcp/config.ts";
import { type Callback, logIn } from "../../../src/mcp/login.ts";
import type { McpTool } from "../../../src/mcp/open.ts";
import { serverChoice } from "../../helpers/server_choice.ts";
import { makeWorld, worldPolicy } from "../../sandbox/confined_world.ts";

const url = Deno.args.at(-1) ?? "";
const scenario = Deno.env.get("MCP_CONFORMANCE_SCENARIO") ?? "";
const context: JsonObject = JSON.parse(Deno.env.get("MCP_CONFORMANCE_CONTEXT") ?? "{}");

const CHOICE: ModelChoice = serverChoice({
  model: "m",
  baseUrl: "http://127.0.0.1:9/v1",
  apiKey: "sk-none",
  apiKeyEnv: "MODEL_KEY",
});

using world = makeWorld();
const policy = worldPolicy(world, "off", { flags: { net: true } });
const stateFolder = `${world.home}/state`;
const secret = context["client_secret"];
if (typeof secret === "string") Deno.env.set("CONFORMANCE_SECRET", secret);
/** What the suite takes for the address of a client's own description. */
const DESCRIPTION = "https://conformance-test.local/client-metadata.json";
const clientId = scenario === "auth/basic-cimd" ? DESCRIPTION : context["client_id"];
const alone = scenario.startsWith("auth/client-credentials") ? { grant: "client_credentials" } as const : {};
const server: HttpServer = {
  url,
  elicitation: true,
  sampling: true,
  ...(typeof clientId === "string"
    ? { oauth: { clientId, ...alone, ...(secret ? { clientSecretEnv: "CONFORMANCE_SECRET" } : {}) } }
    : {}),
};

function open(): SessionMcp {
  return openSessionMcp({
    servers: { s: server },
    config: {
      root: world.root,
      user: { mcpServers: { s: server } },
      stateFolder,
      world: {
        env: { ...Deno.env.toObject(), HOME: world.home },
        cwd: world.root,
        home: world.home,
        stdinIsTerminal: false,
        stdoutIsTerminal: false,
        mayRun: true,
      },
    },
    choice: CHOICE,
    policy: () => policy,
    onNotice: (sentence) => console.error(sentence),
    activate: () => {},
    // A user who answers, and leaves every field as it is.
    user: {
      select: (_title, options) => Promise.resolve(options.includes("(leave out)") ? "(leave out)" : options[0]),
      input: () => Promise.resolve(""),
    },
    sample: () => Promise.resolve({ text: "An answer.", model: "m" }),
  });
}

/** Follows the authorization server's redirects to the address of the client, as a browser does. */
async function browse(address: URL): Promise<Callback & { readonly state: string }> {
  for (let at = address, hops = 0; hops < 5; hops++) {
    const response = await fetch(at, { redirect: "manual" });
    await response.body?.cancel();
    at = new URL(response.headers.get("location") ?? "", at);
    const [code, state, iss] = ["code", "state", "iss"].map((name) => at.searchParams.get(name));
    if (code && state) return { code, state, ...(iss ? { iss } : {}) };
  }
  throw new Error("the authorization server gave no code");
}

async function login(): Promise<void> {
  const came = Promise.withResolvers<Callback>();
  const store = loginStore(stateFolder, url, "");
  const kept = await logIn(server, {
    fetch: loginFetch(() => policy.net),
    redirectUrl: "http://127.0.0.1:33418/callback",
    show(address) {
      browse(address).then(came.resolve, came.reject);
      return Promise.resolve();
    },
    callback: () => came.promise,
    client: { name: "sandpiper" },
    before: store.read(),
    secret: (name) => Deno.env.get(name) ?? "",
  });
  if (kept) store.write(kept);
}

/** Arguments that fit a schema. */
function sample(schema: JsonValue | undefined): JsonValue {
  if (!isObject(schema)) return "x";
  if (Array.isArray(schema["enum"])) return schema["enum"][0] ?? null;
  if (schema["default"] !== undefined) return schema["default"];
  switch (schema["type"]) {
    case "object":
      return sampleObject(schema);
    case "array":
      return [sample(schema["items"])];
    case "integer":
    case "number":
      return 5;
    case "boolean":
      return true;
    default:
      return "text";
  }
}

function sampleObject(schema: JsonObject): JsonObject {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, sample(one)]));
}

async function call(tool: McpTool, args: JsonObject): Promise<string> {
  const stop = AbortSignal.timeout(20_000);
  const result = await tool.run(args, "call", { signal: stop, onUpdate: () => {} });
  const said = textOf(result.content);
  console.error(`${tool.name}(${JSON.stringify(args)}): ${said.slice(0, 500)}`);
  return said;
}

const wantsLogin = (mcp: SessionMcp): boolean => mcp.states().some(({ why = "" }) => /mcp login/.test(why));

let mcp = open();
await mcp.ready();
for (let tries = 0; wantsLogin(mcp) && tries < 3; tries++) {
  await mcp.close();
  await login();
  mcp = open();
  await mcp.ready();
}
const given = Array.isArray(context["toolCalls"]) ? context["toolCalls"].filter(isObject) : undefined;
const calls = given
  ? given.map(({ name, arguments: args }) => ({ name: `mcp__s__${name}`, args: isObject(args) ? args : {} }))
  : mcp.tools().map((tool) => ({ name: tool.name, args: sampleObject(tool.parameters) }));
for (const { name, args } of calls) {
  for (let tries = 0; tries < 3; tries++) {
    const tool = mcp.tools().find((one) => one.name === name);
    if (!tool) break;
    const said = await call(tool, args);
    if (!/sandpiper mcp login/.test(said)) break;
    await mcp.close();
    await login();
    mcp = open();
    await mcp.ready();
  }
}
await mcp.close();
console.error(`${scenario}: done`);
