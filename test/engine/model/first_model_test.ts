import { assertEquals, assertRejects } from "@std/assert";
import { UserError } from "../../../src/core/error.ts";
import { chooseModel } from "../../../src/engine/model/model.ts";
import { resolveChoice } from "../../../src/engine/model/first_model.ts";

/** The model that a name comes to where an Ollama has these models; how often it was asked for them. */
async function resolved(named: string, models: readonly string[] | undefined) {
  let asked = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
    asked++;
    return models ? Response.json({ data: models.map((id) => ({ id })) }) : new Response("no", { status: 500 });
  });
  const settings = { providers: { ollama: { baseUrl: `http://127.0.0.1:${server.addr.port}/v1` } } };
  try {
    const choice = chooseModel({ model: named }, settings, { cwd: "/", variable: () => undefined });
    const whole = await resolveChoice(choice);
    return { model: whole.kind === "server" ? whole.endpoint.model : undefined, asked };
  } finally {
    await server.shutdown();
  }
}

const FOUND: readonly (readonly [
  what: string,
  named: string,
  has: readonly string[] | undefined,
  model: string,
  asked: number,
])[] = [
  [
    "the only tag that is there",
    "ollama/qwen3-coder",
    ["gemma4:12b", "qwen3-coder:30b", "qwen3:8b"],
    "qwen3-coder:30b",
    1,
  ],
  ["latest, which its server takes by itself", "ollama/qwen3", ["qwen3:8b", "qwen3:latest"], "qwen3", 1],
  ["a name that is there as it stands", "ollama/qwen3", ["qwen3", "qwen3:8b"], "qwen3", 1],
  ["a name that is not there, which its server refuses", "ollama/frob", ["qwen3:8b"], "frob", 1],
  ["a server that lists nothing", "ollama/frob", undefined, "frob", 1],
  ["a tag that was written, and asks nobody", "ollama/qwen3:8b", ["qwen3:30b"], "qwen3:8b", 0],
  ["the only model that there is", "ollama/", ["qwen3:8b"], "qwen3:8b", 1],
];

for (const [what, named, has, model, asked] of FOUND) {
  Deno.test(`resolveChoice() takes ${what}`, async () => {
    assertEquals(await resolved(named, has), { model, asked });
  });
}

Deno.test("resolveChoice() leaves the choice among several tags to the person", async () => {
  const error = await assertRejects(() => resolved("ollama/qwen3", ["qwen3:8b", "qwen3:30b"]), UserError);
  assertEquals([error.what, error.why, error.fix], [
    "Which qwen3 of Ollama?",
    "it has qwen3:30b, qwen3:8b",
    "Write for example --model ollama/qwen3:30b",
  ]);
});
