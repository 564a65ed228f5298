// What is sent to each built-in provider, as files to be reviewed as differences. UPDATE_GOLDEN=1 writes them anew.
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { configure } from "../../src/config/config.ts";
import { parseCommandLine } from "../../src/config/options/parse.ts";
import type { JsonValue } from "../../src/core/json.ts";
import type { AssistantMessage, Message } from "../../src/core/message.ts";
import type { Provider, ProviderRequest } from "../../src/core/provider.ts";
import { resolveEndpoint } from "../../src/engine/model/resolve_endpoint.ts";
import { openModel } from "../../src/engine/model/open_model.ts";
import { fixedKey } from "../../src/provider/endpoint/key.ts";
import { BUILT_IN } from "../../src/provider/table/built_in.ts";
import { providerTable } from "../../src/provider/table/table.ts";
import type { ProviderEntry } from "../../src/provider/table/entry.ts";
import { READ } from "../provider/anthropic/wire.ts";
import { collect, pieces, requestOf } from "../provider/wire_server.ts";
import type { WireApi } from "./expectation.ts";
import { type Part, replyOf } from "./replies.ts";
import { listed } from "./listed.ts";

const FOLDER = new URL("../golden/requests/", import.meta.url);
const UPDATE = Deno.env.get("UPDATE_GOLDEN") === "1";

const ENTRIES = [...providerTable().values()];

/** Models of providers that have no usual one. */
const MODELS: Readonly<Record<string, string>> = {
  azure: "gpt-5.2",
  "azure-classic": "gpt-4.1",
  ollama: "gpt-oss:20b",
  lmstudio: "qwen3.6-35b-a3b",
  vllm: "mistralai/Devstral-Small-2507",
  llamacpp: "gemma-4-27b-it",
};

/** Servers of chat completions that call their reasoning so; the others say `reasoning_content`. */
const SAYS_REASONING: readonly string[] = ["openrouter", "groq", "cerebras", "together", "ollama", "vllm"];

/** Headers that every client sends, or that say what the body says. */
const COMMON = ["host", "content-length", "accept-encoding", "accept-language", "accept", "content-type", "user-agent"];

/** One request as it arrived. */
interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonValue;
}

/** A server on this machine that answers for all others, and what they were sent. */
interface Answering {
  readonly sent: Sent[];
  /** Where chat completions have their reasoning. */
  field: string;
  /** Of the call in the reply. */
  callId: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The id of the call of the provider that is looked at. */
const OWN_CALL = "call_ABCDEFGHIJKLMN";

/** What only the server and model may get that wrote it. */
const SIGNATURE = "U0lHTkFUVVJF";

const looking = (id: string): readonly Part[] => [
  { type: "thinking", text: "The file first.", signature: SIGNATURE },
  { type: "text", text: "I read it." },
  { type: "call", id, name: "read", json: '{"path":"a.txt"}' },
];

/** Models that answered before, one for each protocol; of two providers it is only the model that changes. */
const OTHERS: readonly ProviderEntry[] = [
  { name: "anthropic", ...BUILT_IN.anthropic, model: "claude-opus-4-7" },
  { name: "openai", ...BUILT_IN.openai, model: "gpt-5.5" },
  { name: "deepseek", ...BUILT_IN.deepseek, model: "deepseek-reasoner" },
];

/**
 * Every request of this process goes to a server here, which is told the address that was meant: the names of hosts decide
 * what is sent.
 */
function answerForAll(): Answering {
  const answering = { sent: [] as Sent[], field: "reasoning_content", callId: OWN_CALL };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const url = decodeURIComponent(new URL(request.url).pathname.slice(1));
    const headers = Object.fromEntries([...request.headers].filter(([name]) => !COMMON.includes(name)));
    answering.sent.push({ url, headers, body: await request.json() });
    const reply = replyOf(apiOf(url), looking(answering.callId), answering.field);
    return new Response(pieces(reply, 100_000), { headers: { "content-type": "text/event-stream" } });
  });
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) =>
    fetch(`http://127.0.0.1:${server.addr.port}/${encodeURIComponent(String(input))}`, init);
  return Object.assign(answering, {
    async [Symbol.asyncDispose](): Promise<void> {
      globalThis.fetch = fetch;
      await server.shutdown();
    },
  });
}

function apiOf(url: string): WireApi {
  const { pathname } = new URL(url);
  return pathname.endsWith("/messages") ? "anthropic" : pathname.endsWith("/responses") ? "responses" : "chat";
}

/** The provider as a session opens it: with all that the table, the catalogue and the settings say of its model. */
async function opened(entry: ProviderEntry, home: string): Promise<Provider> {
  const world = {
    env: { HOME: home },
    cwd: home,
    home,
    stdinIsTerminal: false,
    stdoutIsTerminal: false,
    mayRun: true,
  };
  const config = configure(parseCommandLine(["--no-session", "-m", "replay:x"]), world);
  const model = entry.model ?? MODELS[entry.name];
  assert(model !== undefined, `${entry.name} has no model: name one in MODELS`);
  // No command of the user's runs for its key.
  const { apiKeyCommand: command, ...own } = entry;
  const endpoint = resolveEndpoint(own, model, variable);
  const key = command ? fixedKey(`printed-by-${command[0]}`, "the command") : endpoint.key;
  const { provider, maxTokens } = await openModel({ kind: "server", endpoint: { ...endpoint, key } }, config);
  return {
    ...provider,
    stream: (request, signal) =>
      provider.stream({ ...request, ...(maxTokens === undefined ? {} : { maxTokens }) }, signal),
  };
}

/** What a variable holds: a word that names it, an address where one is wanted, nothing where one is only another way. */
function variable(name: string): string | undefined {
  if (/_(?:BASE_URL|HOST)$/.test(name)) return undefined;
  if (name === "AZURE_OPENAI_ENDPOINT") return "https://unit.openai.azure.com";
  return /KEY|TOKEN/.test(name) ? `value-of-${name}` : name.toLowerCase().replaceAll("_", "-");
}

const user = (content: Extract<Message, { role: "user" }>["content"]): Message => ({
  role: "user",
  content,
  timestamp: 1,
});
const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } as const;

function resultOf(content: Extract<Message, { role: "toolResult" }>["content"], toolCallId = OWN_CALL): Message {
  return {
    role: "toolResult",
    toolCallId,
    toolName: "read",
    content,
    isError: false,
    timestamp: 1,
  };
}

function asking(messages: readonly Message[]): ProviderRequest {
  const system = { stable: "STABLE", dynamic: "DYNAMIC" };
  return requestOf({ system, cacheKey: "cache-key", tools: [READ], thinking: "medium", messages });
}

/** What one provider is sent, by what came before. `before`: turns of other models. */
async function requestsTo(
  entry: ProviderEntry,
  { answering, home, before }: {
    readonly answering: Answering;
    readonly home: string;
    readonly before: readonly Message[];
  },
): Promise<Readonly<Record<string, Sent>>> {
  const provider = await opened(entry, home);
  answering.field = SAYS_REASONING.includes(entry.name) ? "reasoning" : "reasoning_content";
  const send = async (messages: readonly Message[]): Promise<{ message: AssistantMessage; sent: Sent }> => {
    const at = answering.sent.length;
    const { message } = await collect(provider, asking(messages));
    assertEquals(message.stopReason, "toolUse", `${entry.name}: ${message.errorMessage}`);
    const [sent, ...others] = answering.sent.slice(at);
    assert(sent && others.length === 0, `${entry.name}: ${others.length + 1} requests`);
    return { message, sent };
  };
  const question = user("What is in a.txt?");
  const text = { type: "text", text: "42" } as const;
  const first = await send([question]);
  const called = await send([question, first.message, resultOf([text])]);
  const seen = await send([
    user([{ type: "text", text: "Look." }, image]),
    first.message,
    resultOf([text, image]),
    user("And?"),
  ]);
  const switched = await send([...before, user("Go on.")]);
  return {
    "turn 1": first.sent,
    "after a tool call with reasoning": called.sent,
    "after an image": seen.sent,
    "after a switch of models": switched.sent,
  };
}

async function allRequests(): Promise<ReadonlyMap<string, Readonly<Record<string, Sent>>>> {
  const home = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-requests-" }));
  await using answering = answerForAll();
  try {
    const before: Message[] = [];
    for (const [at, other] of OTHERS.entries()) {
      answering.callId = `call_OTHER_${at}`;
      const question = user(`Question ${at}`);
      const { message } = await collect(await opened(other, home), asking([question]));
      before.push(question, message, resultOf([{ type: "text", text: `Answer ${at}` }], answering.callId));
    }
    answering.callId = OWN_CALL;
    const all = new Map<string, Readonly<Record<string, Sent>>>();
    for (const entry of ENTRIES) all.set(entry.name, await requestsTo(entry, { answering, home, before }));
    return all;
  } finally {
    Deno.removeSync(home, { recursive: true });
  }
}

const REQUESTS = await allRequests();

for (const [name, requests] of REQUESTS) {
  Deno.test(`what ${name} is sent equals test/golden/requests/${name}.json`, () => {
    const file = new URL(`${name}.json`, FOLDER);
    const text = listed(requests) + "\n";
    if (UPDATE) {
      Deno.mkdirSync(FOLDER, { recursive: true });
      Deno.writeTextFileSync(file, text);
    }
    assertEquals(text, Deno.readTextFileSync(file));
    assertEquals(JSON.parse(text), JSON.parse(JSON.stringify(requests)));
  });
}

Deno.test("test/golden/requests has a file for each built-in provider, and no other", () => {
  const files = [...Deno.readDirSync(FOLDER)].map(({ name }) => name).sort();
  assertEquals(files, ENTRIES.map(({ name }) => `${name}.json`).sort());
});

Deno.test("no provider is sent another one's key, nor what another one keeps to itself", () => {
  for (const entry of ENTRIES) {
    const requests = REQUESTS.get(entry.name) ?? {};
    for (const { headers } of Object.values(requests)) {
      const values = JSON.stringify(headers).match(/value-of-[A-Z_]+/g) ?? [];
      for (const value of values) {
        assert(entry.keyEnv.includes(value.slice("value-of-".length)), `${entry.name}: ${value}`);
      }
    }
    assert(!JSON.stringify(requests["after a switch of models"]?.body).includes(SIGNATURE), entry.name);
  }
});

/**
 * What chat completions of other vendors have beside the words of the package, by where it stands. Everything else must fit
 * the package's types.
 */
const BESIDE: Readonly<Record<"body" | "message", readonly string[]>> = {
  body: ["thinking", "enable_thinking", "chat_template_kwargs", "reasoning"],
  message: ["reasoning_content", "reasoning"],
};

function without(value: JsonValue, names: readonly string[]): JsonValue {
  return Object.fromEntries(Object.entries(value ?? {}).filter(([name]) => !names.includes(name)));
}

// deno-lint-ignore no-explicit-any -- a body of the wire format
function inWordsOfThePackage(body: any): JsonValue {
  return {
    ...without(body, BESIDE.body) as object,
    messages: body.messages.map((message: JsonValue) => without(message, BESIDE.message)),
  };
}

Deno.test("the packages' types take each request", async () => {
  const sent = [...REQUESTS.values()].flatMap((requests) => Object.values(requests));
  const bodies = (api: WireApi) => sent.filter(({ url }) => apiOf(url) === api).map(({ body }) => body);
  const [chat, responses, messages] = [bodies("chat"), bodies("responses"), bodies("anthropic")];
  assertEquals(chat.length + responses.length + messages.length, ENTRIES.length * 4);
  assert(chat.length > 0 && responses.length > 0 && messages.length > 0);
  const program = (more: string): string =>
    'import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";\n' +
    'import type { ResponseCreateParamsStreaming } from "openai/resources/responses/responses";\n' +
    'import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";\n' +
    `export const A: ChatCompletionCreateParamsStreaming[] = ${JSON.stringify(chat.map(inWordsOfThePackage))};\n` +
    `export const B: ResponseCreateParamsStreaming[] = ${JSON.stringify(responses)};\n` +
    `export const C: MessageCreateParamsStreaming[] = ${JSON.stringify(messages)};\n${more}`;
  const folder = Deno.makeTempDirSync({ prefix: "sp-sent-" });
  try {
    Deno.writeTextFileSync(`${folder}/sent.ts`, program(""));
    // The check itself: words that the packages do not know are found.
    const wrong = ["A", "B", "C"].map((list) => `${list}.push({ ...${list}[0]!, stream: true, not_in_${list}: 1 });\n`);
    Deno.writeTextFileSync(`${folder}/wrong.ts`, program(wrong.join("")));
    const said = await typeErrors([`${folder}/sent.ts`, `${folder}/wrong.ts`]);
    assertEquals(said.match(/^.*sent\.ts.*$/m)?.[0], undefined, said);
    for (const list of ["A", "B", "C"]) assert(said.includes(`'not_in_${list}' does not exist`), said);
    assert(said.includes("Found 3 errors"), said);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

async function typeErrors(files: readonly string[]): Promise<string> {
  const config = fromFileUrl(new URL("../../deno.json", import.meta.url));
  const args = ["check", "--quiet", "--config", config, ...files];
  const { stderr } = await new Deno.Command(Deno.execPath(), { args, stderr: "piped" }).output();
  return new TextDecoder().decode(stderr);
}
