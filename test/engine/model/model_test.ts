import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { Settings } from "../../../src/config/settings/settings_table.ts";
import type { Values } from "../../../src/config/options/parse.ts";
import { UserError } from "../../../src/core/error.ts";
import { chooseModel, chooseNamed, keyVariableOf, type ModelChoice } from "../../../src/engine/model/model.ts";

const facts = (env: Record<string, string>) => ({ cwd: "/work", variable: (name: string) => env[name] });

/** What a choice comes to: who, which API, where, what, and with what. */
async function told(choice: ModelChoice): Promise<readonly string[]> {
  if (choice.kind === "replay") return ["replay", choice.file];
  if (choice.kind === "given") return ["given", choice.model];
  const { entry, baseUrl, model, key } = choice.endpoint;
  return [entry.name, entry.api, baseUrl, model, key.isKeyless ? "no key" : `${key.origin}=${await key.current()}`];
}

const OPENAI = "https://api.openai.com/v1";
const CLAUDE = ["anthropic", "anthropic", "https://api.anthropic.com/v1", "claude-x", "ANTHROPIC_API_KEY=a"];

type Good = readonly [
  name: string,
  values: Values,
  env: Record<string, string>,
  expected: readonly string[],
  settings?: Settings,
];

const GOOD: readonly Good[] = [
  ["a cassette, from the caller's folder", { model: "replay:a.jsonl" }, {}, ["replay", "/work/a.jsonl"]],
  [
    "the vendor by default",
    { model: "openai/gpt-5" },
    { OPENAI_API_KEY: "k" },
    ["openai", "chat", OPENAI, "gpt-5", "OPENAI_API_KEY=k"],
  ],
  [
    "the flag before the variable before settings R436",
    { model: "m", "base-url": "http://a.test/v1/" },
    { OPENAI_BASE_URL: "http://b.test", OPENAI_API_KEY: "k" },
    ["openai", "chat", "http://a.test/v1", "m", "OPENAI_API_KEY=k"],
    { baseUrl: "http://c.test" },
  ],
  [
    "the variable before settings",
    { model: "m" },
    { OPENAI_BASE_URL: "http://b.test", OPENAI_API_KEY: "k" },
    ["openai", "chat", "http://b.test", "m", "OPENAI_API_KEY=k"],
    { baseUrl: "http://c.test" },
  ],
  [
    "a local server without a key",
    { model: "m" },
    {},
    ["openai", "responses", "http://127.0.0.1:9/v1", "m", "no key"],
    { baseUrl: "http://127.0.0.1:9/v1", api: "responses" },
  ],
  [
    "the key from the named variable only R437",
    { model: "m", "api-key-env": "MY_KEY" },
    { MY_KEY: "mine", OPENAI_API_KEY: "other" },
    ["openai", "chat", OPENAI, "m", "MY_KEY=mine"],
  ],
  ["a provider by its name, with its own key", { model: "anthropic/claude-x" }, {
    ANTHROPIC_API_KEY: "a",
    OPENAI_API_KEY: "o",
  }, CLAUDE],
  ["a provider at its own host whatever OPENAI_BASE_URL says", { model: "anthropic/claude-x" }, {
    ANTHROPIC_API_KEY: "a",
    OPENAI_API_KEY: "o",
    OPENAI_BASE_URL: "http://gateway.test/v1",
  }, CLAUDE],
  [
    "a provider that the command line names at its own host whatever the setting baseUrl says",
    { model: "anthropic/claude-x" },
    { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o" },
    CLAUDE,
    { baseUrl: "http://gateway.test/v1", apiKeyEnv: "OPENAI_API_KEY" },
  ],
  [
    "a gateway's own name where its address stands beside it",
    { model: "anthropic/claude-x", "base-url": "http://gateway.test/v1" },
    { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o" },
    ["openai", "chat", "http://gateway.test/v1", "anthropic/claude-x", "OPENAI_API_KEY=o"],
  ],
  [
    "a gateway's own name out of settings that have its address",
    {},
    { ANTHROPIC_API_KEY: "a", G: "g" },
    ["openai", "chat", "http://gateway.test/v1", "anthropic/claude-x", "G=g"],
    { model: "anthropic/claude-x", baseUrl: "http://gateway.test/v1", apiKeyEnv: "G" },
  ],
  ["a vendor's model by its name alone", { model: "claude-x" }, { ANTHROPIC_API_KEY: "a" }, CLAUDE],
  [
    "the usual server for a vendor's model where one is set",
    { model: "claude-x", "base-url": "http://gateway.test/v1" },
    { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o" },
    ["openai", "chat", "http://gateway.test/v1", "claude-x", "OPENAI_API_KEY=o"],
  ],
  [
    "a provider alone: its usual model",
    { model: "groq/" },
    { GROQ_API_KEY: "g" },
    ["groq", "chat", "https://api.groq.com/openai/v1", "openai/gpt-oss-120b", "GROQ_API_KEY=g"],
  ],
  [
    "a known provider behind a base URL, with the key that is its own",
    { model: "x", "base-url": "https://api.groq.com/openai/v1" },
    { GROQ_API_KEY: "g", OPENAI_API_KEY: "o" },
    ["groq", "chat", "https://api.groq.com/openai/v1", "x", "GROQ_API_KEY=g"],
  ],
  [
    "variables in an address",
    { model: "azure-classic/my deployment" },
    { AZURE_OPENAI_ENDPOINT: "https://r.openai.azure.com/", AZURE_OPENAI_API_KEY: "z" },
    [
      "azure-classic",
      "chat",
      "https://r.openai.azure.com/openai/deployments/my%20deployment",
      "my deployment",
      "AZURE_OPENAI_API_KEY=z",
    ],
  ],
  [
    "the second of two variables",
    { model: "bedrock/m" },
    { AWS_DEFAULT_REGION: "eu-west-1", AWS_BEARER_TOKEN_BEDROCK: "b" },
    [
      "bedrock",
      "chat",
      "https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1",
      "m",
      "AWS_BEARER_TOKEN_BEDROCK=b",
    ],
  ],
  ["a local server by its name", { model: "ollama/qwen3:8b" }, { OPENAI_API_KEY: "o" }, [
    "ollama",
    "chat",
    "http://127.0.0.1:11434/v1",
    "qwen3:8b",
    "no key",
  ]],
  [
    "a provider of the settings",
    { model: "mine/big" },
    { MINE: "m" },
    ["mine", "anthropic", "https://mine.test/v1", "big", "MINE=m"],
    { providers: { mine: { baseUrl: "https://mine.test/v1", api: "anthropic", keyEnv: ["MINE"] } } },
  ],
  [
    "a built-in provider under the settings",
    { model: "anthropic/claude-x" },
    { ANTHROPIC_API_KEY: "a" },
    ["anthropic", "anthropic", "https://proxy.test", "claude-x", "ANTHROPIC_API_KEY=a"],
    { providers: { anthropic: { baseUrl: "https://proxy.test" } } },
  ],
];

for (const [name, values, env, expected, settings = {}] of GOOD) {
  Deno.test(`chooseModel() takes ${name}`, async () => {
    assertEquals(await told(chooseModel(values, settings, facts(env))), expected);
  });
}

type Bad = readonly [
  name: string,
  values: Values,
  env: Record<string, string>,
  says: readonly [why: string, fix: string],
  settings?: Settings,
];

const BAD: readonly Bad[] = [
  ["no model", {}, {}, ["neither --model", "--model"]],
  ["a missing key", { model: "gpt-x" }, {}, ["OPENAI_API_KEY is not set", "export OPENAI_API_KEY"]],
  ["an empty key", { model: "gpt-x" }, { OPENAI_API_KEY: " " }, ["OPENAI_API_KEY is not set", "export OPENAI_API_KEY"]],
  ["a name that begins like nobody's", { model: "frob-7b" }, {}, [
    "it names no provider, so that OpenAI would be asked, and the variable OPENAI_API_KEY is not set",
    "Write the provider, for example --model ollama/frob-7b; sandpiper models",
  ]],
  ["a name that begins like a vendor's and may be of a server at home", { model: "qwen3-coder" }, {}, [
    "DASHSCOPE_API_KEY is not set",
    "If another provider is meant, write it, for example --model ollama/qwen3-coder",
  ]],
  ["another one's key", { model: "anthropic/x" }, { OPENAI_API_KEY: "o" }, [
    "ANTHROPIC_API_KEY is not set",
    "export ANTHROPIC_API_KEY",
  ]],
  [
    "another one's key, and says how a gateway is asked",
    { model: "anthropic/x" },
    { OPENAI_API_KEY: "o", OPENAI_BASE_URL: "http://gateway.test/v1" },
    ["ANTHROPIC_API_KEY is not set", 'To ask gateway.test for "anthropic/x", write --model openai/anthropic/x'],
  ],
  ["a URL that is none", { model: "m", "base-url": "localhost:80" }, {}, ["http://", "--base-url http"]],
  ["a password in the URL", { model: "m", "base-url": "http://u:p@h.test" }, {}, ["processes", "--api-key-env"]],
  ["a provider that is misspelt", { model: "antropic/x" }, {}, ["it is none of the ", "--model anthropic/x?"]],
  ["a name with a slash that no server is set for", { model: "org/x" }, { OPENAI_API_KEY: "o" }, [
    "known are",
    "--base-url",
  ]],
  ["an address with a variable that is not set", { model: "azure/x" }, { AZURE_OPENAI_API_KEY: "z" }, [
    "AZURE_OPENAI_ENDPOINT is not set",
    "export AZURE_OPENAI_ENDPOINT=",
  ]],
  ["a region that is not set", { model: "bedrock/x" }, { AWS_BEARER_TOKEN_BEDROCK: "z" }, [
    "AWS_REGION or AWS_DEFAULT_REGION is not set",
    "export AWS_REGION=",
  ]],
  ["a new provider without an address", { model: "mine/x" }, {}, ['needs "baseUrl"', "docs/providers.md"], {
    providers: { mine: { api: "chat" } },
  }],
];

for (const [name, values, env, [why, fix], settings = {}] of BAD) {
  Deno.test(`chooseModel() refuses ${name} and says what to do`, () => {
    const error = assertThrows(() => chooseModel(values, settings, facts(env)), UserError);
    assertStringIncludes(error.why, why);
    assertStringIncludes(error.fix, fix);
    assertEquals(error.exitCode, 2);
  });
}

Deno.test("chooseNamed() takes no key and no API of the command line to another provider", async () => {
  const values = { model: "anthropic/a", "api-key-env": "MY_KEY", api: "chat" };
  const env = { MY_KEY: "mine", GROQ_API_KEY: "g", ANTHROPIC_API_KEY: "a" };
  const first = chooseModel(values, {}, facts(env));
  assertEquals((await told(first)).slice(0, 2).concat((await told(first)).slice(4)), [
    "anthropic",
    "chat",
    "MY_KEY=mine",
  ]);
  const next = async (name: string) =>
    await told(chooseNamed(name, values, {}, facts(env), { about: "anthropic", now: first }));
  assertEquals((await next("groq/x")).at(-1), "GROQ_API_KEY=g");
  assertEquals((await next("anthropic/b")).at(-1), "MY_KEY=mine");
  assertEquals(await next("b"), ["anthropic", "chat", "https://api.anthropic.com/v1", "b", "MY_KEY=mine"]);
});

Deno.test("chooseNamed() takes an id without a provider for one of the server at hand, a vendor's own for the vendor's", async () => {
  const env = { OPENAI_API_KEY: "o", ANTHROPIC_API_KEY: "a" };
  const now = chooseModel({ model: "ollama/a" }, {}, facts(env));
  const at = async (name: string, from = now) =>
    (await told(chooseNamed(name, {}, {}, facts(env), { now: from }))).slice(0, 4);
  assertEquals(await at("org/b"), ["ollama", "chat", "http://127.0.0.1:11434/v1", "org/b"]);
  assertEquals((await at("openai/gpt-5"))[2], OPENAI);
  const claude = chooseModel({ model: "anthropic/c" }, {}, facts(env));
  assertEquals((await at("gpt-5", claude))[0], "openai");
});

Deno.test("keyVariableOf() names the variable of the model's provider", () => {
  const of = (model: string, more: Values = {}) => keyVariableOf({ model, ...more }, {}, facts({}));
  assertEquals(of("gpt-5"), "OPENAI_API_KEY");
  assertEquals(of("anthropic/x"), "ANTHROPIC_API_KEY");
  assertEquals(of("anthropic/x", { "api-key-env": "K" }), "K");
  assertEquals(of("replay:x"), undefined);
});
