// What is said of a model that nobody knows, and what is known of one that somebody does.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { configure } from "../../../src/config/config.ts";
import { readWorld } from "../../../src/config/host_environment.ts";
import { parseCommandLine } from "../../../src/config/options/parse.ts";
import { endpointFacts } from "../../../src/engine/model/endpoint_facts.ts";
import { chooseModel } from "../../../src/engine/model/model.ts";
import { openModel } from "../../../src/engine/model/open_model.ts";

/** What is said when a model is opened, for each of some processes that begin one after the other. */
async function notices(model: string, settings: object = {}, args: readonly string[] = []): Promise<readonly string[]> {
  const home = Deno.makeTempDirSync();
  try {
    Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
    Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify(settings));
    const world = { ...readWorld(), cwd: home, home, env: { HOME: home } };
    const config = configure(parseCommandLine(["-m", model, ...args]), world);
    const variable = (name: string): string | undefined => name === "OPENROUTER_API_KEY" ? "k" : undefined;
    const open = async () => {
      const choice = chooseModel(config.invocation.values, config.settings, { cwd: home, variable });
      return (await openModel(choice, config)).notices;
    };
    const said = [await open(), await open()];
    return said.map((lines) => lines.join("\n"));
  } finally {
    Deno.removeSync(home, { recursive: true });
  }
}

Deno.test("an unknown model of a server at home is told of once, and what is free is called free", async () => {
  const [first = "", again] = await notices("ollama/frob:1b");
  assertStringIncludes(first, "a context window of 128000 tokens is assumed and it is free;");
  assertStringIncludes(first, "(this is said once for each model)");
  assertEquals(again, "");
});

Deno.test("where no price is known nothing is called free", async () => {
  const [first = ""] = await notices("frob-2b", {}, ["--base-url", "http://127.0.0.1:1/v1"]);
  assertStringIncludes(first, "its price is not known, so that no costs are counted;");
});

Deno.test("an unknown model elsewhere is told of each time, and a server that says its costs is believed", async () => {
  const [first = "", again] = await notices("openrouter/frob/frob-3b");
  assertStringIncludes(first, "its server says what it costs;");
  assertEquals(again, first);
});

Deno.test("a model with data in the settings is not told of", async () => {
  assertEquals(await notices("ollama/frob:4b", { models: { "ollama/frob:4b": { contextWindow: 4096 } } }), ["", ""]);
});

Deno.test("endpointFacts() takes the settings first, then what the server told, then the catalogue", () => {
  const variable = (name: string): string | undefined => name === "OPENAI_API_KEY" ? "k" : undefined;
  const facts = (settings: Parameters<typeof endpointFacts>[1], told: Parameters<typeof endpointFacts>[2] = {}) => {
    const choice = chooseModel({ model: "openai/gpt-4o" }, {}, { cwd: "/", variable });
    if (choice.kind !== "server") throw new Error("no server");
    const { contextWindow, maxTokens, price, isSet } = endpointFacts(choice.endpoint, settings, told);
    return [contextWindow, maxTokens, price?.input, isSet];
  };
  assertEquals(facts({}), [128_000, 16_384, 2.5, false]);
  assertEquals(facts({}, { contextWindow: 9000, price: { input: 7, output: 8 } }), [9000, 16_384, 7, false]);
  const models = {
    "gpt-4o": { contextWindow: 10 },
    "openai/gpt-4o": { contextWindow: 20, price: { input: 1, output: 2 } },
  };
  assertEquals(facts({ models }, { contextWindow: 9000, price: { input: 7, output: 8 } }), [20, 16_384, 1, true]);
});
