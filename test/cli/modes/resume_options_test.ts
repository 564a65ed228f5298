import { assertEquals } from "@std/assert";
import { parseCommandLine } from "../../../src/config/options/parse.ts";
import { resumeOptions } from "../../../src/cli/modes/interactive.ts";

const URL = "http://127.0.0.1:11434/v1";
const openai = (id: string) => ({ provider: "openai", id });

const CASES = [
  { args: [], model: openai("m"), options: [] },
  { args: ["-m", "m"], model: openai("m"), options: [] },
  { args: ["--base-url", URL], model: openai("m"), options: ["--base-url", URL, "--model", "m"] },
  {
    args: ["--base-url", URL, "--api", "responses", "--api-key-env", "KEY", "-m", "other"],
    model: openai("openai/m"),
    options: ["--base-url", URL, "--api", "responses", "--api-key-env", "KEY", "--model", "openai/openai/m"],
  },
  {
    args: ["--session-dir", "s", "--base-url", URL],
    model: { provider: "replay", id: "replay:/f" },
    options: ["--session-dir", "s"],
  },
];
for (const { args, model, options } of CASES) {
  Deno.test(`resumeOptions() repeats of ${JSON.stringify(args)} what a session with ${model.id} does not know`, () => {
    assertEquals(resumeOptions(parseCommandLine(args).values, model), options);
  });
}
