import { assertEquals, assertThrows } from "@std/assert";
import { UserError } from "../../../src/core/error.ts";
import { chooseModel } from "../../../src/engine/model/model.ts";

const facts = (env: Record<string, string>) => ({ cwd: "/work", variable: (name: string) => env[name] });

const GOOD = [
  {
    name: "a cassette, from the caller's folder",
    values: { model: "replay:a.jsonl" },
    settings: {},
    env: {},
    expected: { kind: "replay", file: "/work/a.jsonl" },
  },
  {
    name: "the vendor by default",
    values: { model: "openai/gpt-5" },
    settings: {},
    env: { OPENAI_API_KEY: "k" },
    expected: {
      kind: "openai",
      api: "chat",
      model: "gpt-5",
      baseUrl: "https://api.openai.com/v1",
      apiKey: "k",
      apiKeyEnv: "OPENAI_API_KEY",
    },
  },
  {
    name: "the flag before the variable before settings R436",
    values: { model: "m", "base-url": "http://a.test/v1/" },
    settings: { baseUrl: "http://c.test" },
    env: { OPENAI_BASE_URL: "http://b.test", OPENAI_API_KEY: "k" },
    expected: {
      kind: "openai",
      api: "chat",
      model: "m",
      baseUrl: "http://a.test/v1",
      apiKey: "k",
      apiKeyEnv: "OPENAI_API_KEY",
    },
  },
  {
    name: "a local server without a key",
    values: { model: "m" },
    settings: { baseUrl: "http://127.0.0.1:9/v1", api: "responses" as const },
    env: {},
    expected: {
      kind: "openai",
      api: "responses",
      model: "m",
      baseUrl: "http://127.0.0.1:9/v1",
      apiKey: "none",
      apiKeyEnv: "OPENAI_API_KEY",
    },
  },
  {
    name: "the key from the named variable only R437",
    values: { model: "m", "api-key-env": "MY_KEY" },
    settings: {},
    env: { MY_KEY: "mine", OPENAI_API_KEY: "other" },
    expected: {
      kind: "openai",
      api: "chat",
      model: "m",
      baseUrl: "https://api.openai.com/v1",
      apiKey: "mine",
      apiKeyEnv: "MY_KEY",
    },
  },
];

for (const { name, values, settings, env, expected } of GOOD) {
  Deno.test(`chooseModel() takes ${name}`, () => {
    assertEquals(chooseModel(values, settings, facts(env)) as unknown, expected);
  });
}

const BAD = [
  { name: "no model", values: {}, env: {}, fix: "--model" },
  { name: "a missing key", values: { model: "m" }, env: {}, fix: "export OPENAI_API_KEY" },
  { name: "an empty key", values: { model: "m" }, env: { OPENAI_API_KEY: " " }, fix: "export OPENAI_API_KEY" },
  { name: "a URL that is none", values: { model: "m", "base-url": "localhost:80" }, env: {}, fix: "--base-url http" },
  {
    name: "a password in the URL",
    values: { model: "m", "base-url": "http://u:p@h.test" },
    env: {},
    fix: "--api-key-env",
  },
];

for (const { name, values, env, fix } of BAD) {
  Deno.test(`chooseModel() refuses ${name} and says what to do`, () => {
    const error = assertThrows(() => chooseModel(values, {}, facts(env)), UserError);
    assertEquals([error.fix.includes(fix), error.exitCode], [true, 2]);
  });
}
