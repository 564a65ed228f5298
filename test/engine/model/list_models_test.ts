import { assert, assertEquals } from "@std/assert";
import { listModels } from "../../../src/engine/model/list_models.ts";
import { serverChoice } from "../../helpers/server_choice.ts";

/** Asks a server that answers so; the list, and what the server was asked. */
async function asked(answer: () => Response | Promise<Response>, limitMs = 2000) {
  const seen: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    seen.push(`${request.method} ${new URL(request.url).pathname} ${request.headers.get("authorization")}`);
    return answer();
  });
  const baseUrl = `http://127.0.0.1:${server.addr.port}/v1`;
  const { endpoint } = serverChoice({ model: "m", baseUrl, apiKey: "k" });
  try {
    return { listing: await listModels(endpoint, limitMs), seen, endpoint };
  } finally {
    await server.shutdown();
  }
}

Deno.test("listModels() gives what a server lists, sorted, each once, and no name that could steer a terminal", async () => {
  const data = [{ id: "b" }, { id: "models/a" }, { id: "b" }, { id: "e\x1b]0;x\x07" }, { id: 1 }, null, {
    id: "two words",
  }];
  const { listing, seen } = await asked(() => Response.json({ object: "list", data }));
  assertEquals(listing, { models: [{ id: "a" }, { id: "b" }] });
  assertEquals(seen, ["GET /v1/models Bearer k"]);
});

Deno.test("listModels() takes what servers tell of a model, each in its own words", async () => {
  const data = [
    { id: "vllm", max_model_len: 32_768 },
    {
      id: "router",
      context_length: 200_000,
      top_provider: { max_completion_tokens: 64_000 },
      architecture: { input_modalities: ["text", "image"] },
      supported_parameters: ["tools", "reasoning"],
      pricing: { prompt: "0.000003", completion: "0.000015", input_cache_read: "0.0000003" },
    },
    { id: "llama", meta: { n_ctx: 4096 } },
    { id: "odd", context_length: "many", pricing: { prompt: "-1", completion: "x" } },
  ];
  const { listing } = await asked(() => Response.json({ data }));
  assertEquals(listing, {
    models: [
      { id: "llama", contextWindow: 4096 },
      { id: "odd" },
      {
        id: "router",
        contextWindow: 200_000,
        maxTokens: 64_000,
        seesImages: true,
        reasons: true,
        price: { input: 3, output: 15, cachedInput: 0.3 },
      },
      { id: "vllm", contextWindow: 32_768 },
    ],
  });
});

const NONE: readonly (readonly [string, () => Response, RegExp])[] = [
  ["an error", () => new Response("no", { status: 404 }), /answers 404/],
  ["a refused key", () => new Response("k", { status: 401 }), /refuses the key/],
  ["a page", () => new Response("<html>"), /no list/],
  ["another shape", () => Response.json({ a: 1 }), /no list/],
  ["nothing in it", () => Response.json({ data: "a" }), /no list/],
  ["a redirect", () => new Response(null, { status: 302, headers: { location: "/elsewhere" } }), /cannot be reached/],
];
for (const [name, answer, why] of NONE) {
  Deno.test(`listModels() says why there is none for ${name}`, async () => {
    const { listing, seen } = await asked(answer);
    assert("why" in listing && why.test(listing.why), JSON.stringify(listing));
    assertEquals(seen.length, 1);
  });
}

Deno.test("listModels() does not wait for a server that is slow, and says when nothing listens", async () => {
  const { listing, endpoint } = await asked(
    () => new Promise((later) => setTimeout(() => later(Response.json({ data: [{ id: "late" }] })), 1200)),
    100,
  );
  assertEquals(listing, { why: "no answer in 100 ms" });
  assertEquals(await listModels(endpoint), { why: "nothing listens there (connection refused)" });
});
