import { assert, assertEquals } from "@std/assert";
import { serverModels } from "../../../src/cli/interactive/server_models.ts";
import type { ModelChoice } from "../../../src/engine/model/model.ts";

/** Asks a server that answers so; the list, and what the server was asked. */
async function asked(answer: () => Response | Promise<Response>, limitMs = 2000) {
  const seen: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    seen.push(`${request.method} ${new URL(request.url).pathname} ${request.headers.get("authorization")}`);
    return answer();
  });
  const baseUrl = `http://127.0.0.1:${server.addr.port}/v1`;
  const choice: ModelChoice = { kind: "openai", api: "chat", model: "m", baseUrl, apiKey: "k", apiKeyEnv: "K" };
  try {
    return { models: await serverModels(choice, limitMs), seen, choice };
  } finally {
    await server.shutdown();
  }
}

Deno.test("serverModels() gives the names of the server at hand, sorted, each once, and none that could steer a terminal", async () => {
  const data = [{ id: "b" }, { id: "a" }, { id: "b" }, { id: "e\x1b]0;x\x07" }, { id: 1 }, null, { id: "two words" }];
  const { models, seen } = await asked(() => Response.json({ object: "list", data }));
  assertEquals(models, ["a", "b"]);
  assertEquals(seen, ["GET /v1/models Bearer k"]);
});

const NONE: readonly (readonly [string, () => Response])[] = [
  ["an error", () => new Response("no", { status: 404 })],
  ["a page", () => new Response("<html>")],
  ["another shape", () => Response.json(["a"])],
  ["nothing in it", () => Response.json({ data: "a" })],
  ["a redirect", () => new Response(null, { status: 302, headers: { location: "/elsewhere" } })],
];
for (const [name, answer] of NONE) {
  Deno.test(`serverModels() gives none for ${name}`, async () => {
    const { models, seen } = await asked(answer);
    assertEquals([models, seen.length], [[], 1]);
  });
}

Deno.test("serverModels() does not wait for a server that is slow, and asks nobody where there is no server", async () => {
  const begun = performance.now();
  const { models, choice } = await asked(
    () => new Promise((later) => setTimeout(() => later(Response.json({ data: [{ id: "late" }] })), 1200)),
    100,
  );
  assertEquals(models, []);
  assert(performance.now() - begun < 30_000);
  assertEquals(await serverModels(choice), [], "it has gone away");
  assertEquals(await serverModels({ kind: "replay", file: "/none" }), []);
});
