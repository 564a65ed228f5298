import { assertEquals } from "@std/assert";
import { findOffers } from "../../../src/engine/model/offers.ts";

/** The names that are offered of OpenAI where a server answers GET /models so. */
async function offered(answer: () => Response, key: string | undefined): Promise<readonly string[]> {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, answer);
  const variables: Record<string, string | undefined> = {
    OPENAI_BASE_URL: `http://127.0.0.1:${server.addr.port}/v1`,
    OPENAI_API_KEY: key,
  };
  try {
    const offers = await findOffers({}, (name) => variables[name]);
    return offers.map(({ name }) => name).filter((name) => name.startsWith("openai/"));
  } finally {
    await server.shutdown();
  }
}

Deno.test("findOffers() offers the models of the server that OPENAI_BASE_URL names, and not OpenAI's own", async () => {
  const lists = (): Response => Response.json({ data: [{ id: "bench" }, { id: "other" }] });
  assertEquals(await offered(lists, "k"), ["openai/bench", "openai/other"]);
  assertEquals(await offered(lists, undefined), ["openai/bench", "openai/other"]);
  assertEquals(await offered(() => new Response("no", { status: 404 }), "k"), []);
});

Deno.test("findOffers() offers a provider's usual model where its key is set and its address is its own", async () => {
  const variables: Record<string, string> = { OPENAI_API_KEY: "k" };
  const offers = await findOffers({}, (name) => variables[name]);
  assertEquals(offers.filter(({ name }) => name.startsWith("openai/")).length, 1);
});
