import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { Connection } from "../../../src/provider/endpoint/connection.ts";
import { createPost } from "../../../src/provider/endpoint/post.ts";
import { leaklessTest, serve } from "../wire_server.ts";

const never = new AbortController().signal;

function connection(baseUrl: string, more: Partial<Connection> = {}): Connection {
  return { baseUrl, apiKey: "k", model: "m", ...more };
}

const yes = (): Response => new Response("ok");

leaklessTest("createPost() sends the key as a bearer token, and no such header without a key", async () => {
  await using server = serve(yes);
  await (await createPost(connection(server.url))("/x", {}, never)).text();
  await (await createPost(connection(server.url, { apiKey: "" }))("/x", {}, never)).text();
  assertEquals(server.headers.map((headers) => headers.get("authorization")), ["Bearer k", null]);
  assertEquals(server.headers[0]?.get("user-agent"), "sandpiper");
  assertEquals(server.headers[0]?.get("content-type"), "application/json");
});

leaklessTest(
  "createPost() lets a connection's headers, and then those of hooks, win; null takes one away R217",
  async () => {
    await using server = serve(yes);
    const post = createPost(connection(server.url, {
      headers: { "x-one": "connection", "x-two": "connection", "user-agent": "other" },
      beforeHeaders: () => Promise.resolve({ "x-two": "hook", "user-agent": null }),
    }));
    await (await post("/x", {}, never)).text();
    const names = ["x-one", "x-two"];
    assertEquals(names.map((name) => server.headers[0]?.get(name)), ["connection", "hook"]);
    assertEquals(server.headers[0]?.get("user-agent") === "other", false);
  },
);

leaklessTest("createPost() takes a base URL with a slash at its end, and sends what beforeRequest made", async () => {
  const paths: string[] = [];
  await using server = serve((request) => {
    paths.push(new URL(request.url).pathname);
    return yes();
  });
  const post = createPost(
    connection(`${server.url}/`, { beforeRequest: (payload) => ({ ...payload, added: 1 }) }),
  );
  await (await post("/chat/completions", { first: 0 }, never)).text();
  assertEquals(paths, ["/v1/chat/completions"]);
  assertEquals(server.bodies, [{ first: 0, added: 1 }]);
});

leaklessTest(
  "createPost() rejects a refusal with status, headers and body, and stops reading an endless one",
  async () => {
    let stopped = false;
    const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024).fill(120)),
      cancel: () => void (stopped = true),
    });
    await using server = serve(
      () => Response.json({ error: { message: "Slow down" } }, { status: 429, headers: { "retry-after": "3" } }),
      () => new Response(endless, { status: 500 }),
    );
    const post = createPost(connection(server.url));
    const refused = await assertRejects(() => post("/x", {}, never), Error);
    const { status, headers, error } = refused as Error & { status: number; headers: Headers; error: unknown };
    assertEquals([status, headers.get("retry-after"), error], [429, "3", { error: { message: "Slow down" } }]);
    const broken = await assertRejects(() => post("/x", {}, never), Error);
    assertStringIncludes(broken.message, "500 xxx");
    while (!stopped) await new Promise((resolve) => setTimeout(resolve, 5));
  },
);
