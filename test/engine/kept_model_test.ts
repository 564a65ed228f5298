import { assertEquals } from "@std/assert";
import { type Restored, restoredModel } from "../../src/engine/model_state.ts";
import { serverChoice } from "../helpers/server_choice.ts";
import type { KeptModel, ModelChoice } from "../../src/engine/model/model.ts";
import { UserError } from "../../src/core/error.ts";

const NOW = { provider: "openai", id: "gpt-5" };
const FILE = Deno.makeTempFileSync();
globalThis.addEventListener("unload", () => Deno.removeSync(FILE));

const MODELS: Record<string, ModelChoice> = {};

/** As the command line would choose: cassettes by their prefix, one name that cannot be had, all else a server's. */
function choose({ provider, modelId: id }: KeptModel): ModelChoice | undefined {
  if (provider === "acme") return undefined;
  if (id.startsWith("replay:")) return { kind: "replay", file: id.slice("replay:".length) };
  if (id === "keyless") throw new UserError({ what: "No key", why: "OPENAI_API_KEY is not set", fix: "Set it" });
  return MODELS[id] ??= serverChoice({ model: id, baseUrl: "http://127.0.0.1:1/v1" });
}

const CASES: readonly (readonly [name: string, kept: KeptModel, becomes: Restored | undefined])[] = [
  ["stays with the model that answers already", { provider: "openai", modelId: "gpt-5" }, undefined],
  ["goes back to another of the same server", { provider: "openai", modelId: "o4" }, {
    choice: MODELS["o4"] ??= serverChoice({ model: "o4", baseUrl: "http://127.0.0.1:1/v1" }),
  }],
  [
    "does not follow a session to a provider that nobody knows",
    { provider: "acme", modelId: "gpt-5" },
    { why: "the provider acme is not known here" },
  ],
  [
    "does not take a server's model for a cassette",
    { provider: "openai", modelId: "replay:/etc/passwd" },
    { why: "it is no name of a model" },
  ],
  [
    "tells why a model cannot be had",
    { provider: "openai", modelId: "keyless" },
    { why: "No key: OPENAI_API_KEY is not set" },
  ],
  ["passes over the name in a cassette", { provider: "replay", modelId: "gpt-5" }, undefined],
  [
    "goes back to a cassette that is there",
    { provider: "replay", modelId: `replay:${FILE}` },
    { choice: { kind: "replay", file: FILE } },
  ],
];

for (const [name, kept, becomes] of CASES) {
  Deno.test(`restoredModel() ${name}`, () => assertEquals(restoredModel(kept, NOW, choose), becomes));
}

Deno.test("restoredModel() does not go back to a cassette that is gone", () => {
  const restored = restoredModel({ provider: "replay", modelId: `replay:${FILE}.none` }, NOW, choose);
  assertEquals(restored !== undefined && "why" in restored && /No such file/.test(restored.why), true);
});
