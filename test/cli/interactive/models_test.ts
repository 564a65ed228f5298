import { assertEquals } from "@std/assert";
import { modelLines } from "../../../src/cli/interactive/models.ts";
import { configure } from "../../../src/config/config.ts";
import { readWorld } from "../../../src/config/host_environment.ts";
import { parseCommandLine } from "../../../src/config/options/parse.ts";
import { picker } from "../../../src/tui/widgets/picker.ts";
import { themeOf } from "../../../src/tui/screen/theme.ts";
import { serverChoice } from "../../helpers/server_choice.ts";

/** The lines where a server lists this, a local one does not answer and two models have data in the settings. */
async function linesOf(listed: unknown) {
  const home = Deno.makeTempDirSync();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => Response.json(listed));
  const baseUrl = `http://127.0.0.1:${server.addr.port}/v1`;
  const gone = { baseUrl: "http://127.0.0.1:1/v1" };
  Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
  Deno.writeTextFileSync(
    `${home}/.sandpiper/agent/settings.json`,
    JSON.stringify({
      providers: { ollama: gone, lmstudio: gone, vllm: gone, llamacpp: gone },
      models: {
        dear: {
          contextWindow: 200_000,
          maxTokens: 64_000,
          input: ["text", "image"],
          price: { input: 2.5, output: 10 },
        },
      },
    }),
  );
  try {
    const config = configure(parseCommandLine(["-m", "dear"]), {
      ...readWorld(),
      cwd: home,
      home,
      env: { HOME: home },
    });
    const lines = await modelLines(config, serverChoice({ model: "dear", baseUrl, apiKey: "k" }), 500);
    // Providers whose key happens to be in the environment of this test are another matter.
    return lines.filter(({ name }) => !name.includes("/"));
  } finally {
    await server.shutdown();
    Deno.removeSync(home, { recursive: true });
  }
}

Deno.test("modelLines() has what the server at hand lists, with what the settings know of it, the price first", async () => {
  const data = [{ id: "plain" }, { id: "dear" }, {
    id: "told",
    context_length: 32_000,
    pricing: { prompt: "0", completion: "0" },
  }];
  assertEquals(await linesOf({ data }), [
    { name: "dear", detail: "$2.5/$10 · 200k window · 64k output · images" },
    { name: "plain", detail: "" },
    { name: "told", detail: "free · 32k window" },
  ]);
});

Deno.test("modelLines() has the model at hand also where its server lists nothing", async () => {
  assertEquals((await linesOf("no list")).map(({ name }) => name), ["dear"]);
});

Deno.test("the price of a model is whole in a picker of 80 columns, however long its name is", () => {
  const label = `openrouter/${"a-long-vendor/".repeat(3)}model-with-a-long-name`;
  const detail = "now · $2.5/$10 · 1.05M window · 128k output · images · thinks";
  const dialog = picker({ title: "Model", choices: [{ label, value: label, detail }], done: () => {} });
  const screen = dialog.lines({ width: 80, theme: themeOf("none"), rows: 24, expanded: false }).join("\n");
  assertEquals(screen.includes("$2.5/$10 ·"), true, screen);
});
