import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { until } from "../helpers/until.ts";
import type { World } from "../sandbox/confined_world.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";
import { said, withServers } from "./mcp_world.ts";
import { fetchServers, registryServer, scriptOf, startListening } from "./registry_servers.ts";

const fetched = await fetchServers();
const folder = "folder" in fetched ? fetched.folder : "";
if ("why" in fetched) console.log(`not tested with servers from the registry: ${fetched.why}`);

const scope = (world: World) => ({ run: true as const, read: [world.root, folder] });

/** The reference server has one tool that no call can run. */
const LEFT_OUT = [
  'MCP server "every": the tool "simulate-research-query" is left out: it runs only as a task, which is not supported',
];

for (const level of CONFINED) {
  const test = (name: string, fn: () => Promise<void>): void =>
    Deno.test({ name: `openMcp() at ${level} ${name}`, ignore: "why" in fetched, fn });

  test("works with the reference server: tools, text, errors, pictures, progress X14 X16 X17", () =>
    withServers(level, () => ({ every: registryServer(folder, scriptOf("everything")) }), async (room) => {
      const { mcp, call, notices } = room;
      assertEquals([mcp.states().map(({ state }) => state), notices], [["ready"], LEFT_OUT]);
      const names = mcp.tools().map(({ name }) => name);
      assertEquals(names, names.toSorted());
      assert(names.every((name) => name.startsWith("mcp__every__")), names.join());
      const echo = mcp.tools().find(({ name }) => name === "mcp__every__echo");
      assertEquals(echo?.issues({}), [{ path: ["message"], message: "is required" }]);
      assertEquals(said(await call("echo", { message: "hello" })), "Echo: hello");
      assertMatch(said(await call("get-sum", { a: 2, b: 3 })), /\b5\b/);
      // The server looks at its own schema again, and its complaint reaches the model as an error.
      const wrong = await call("echo", { message: 7 });
      assertEquals(wrong.isError, true);
      assertMatch(said(wrong), /message/);
      const { content } = await call("get-tiny-image");
      assertEquals(content.map(({ type }) => type), ["text", "image"]);
      assertStringIncludes(JSON.stringify(content), '"mimeType":"image/png"');
      const updates: string[] = [];
      const long = mcp.tools().find(({ name }) => name.endsWith("trigger-long-running-operation"));
      const done = await long?.run({ duration: 0.3, steps: 3 }, "c", {
        signal: new AbortController().signal,
        onUpdate: ({ content }) => void updates.push(JSON.stringify(content)),
      });
      assert(done && !done.isError);
      assert(updates.length >= 2, updates.join());
      // It has no variable of the user's and no key.
      assert(!said(await call("get-env")).includes("MODEL_KEY"));
    }, scope));

  test("keeps a file server within the scope, whatever folders it was told to serve", () =>
    withServers(
      level,
      (world) => ({ files: registryServer(folder, scriptOf("filesystem"), "/", world.root) }),
      async (room) => {
        const { world, call } = room;
        Deno.writeTextFileSync(`${world.root}/in.txt`, "inside");
        assertMatch(said(await call("read_text_file", { path: `${world.root}/in.txt` })), /inside/);
        const outside = await call("read_text_file", { path: `${world.outside}/secret` });
        assertEquals(outside.isError, true);
        assert(!said(outside).includes("outside-secret"), said(outside));
        const written = await call("write_file", { path: `${world.outside}/new`, content: "x" });
        assertEquals(written.isError, true);
        assertEquals([...Deno.readDirSync(world.outside)].map(({ name }) => name), ["secret"]);
        assert(!(await call("write_file", { path: `${world.root}/new.txt`, content: "made" })).isError);
        assertEquals(Deno.readTextFileSync(`${world.root}/new.txt`), "made");
      },
      scope,
    ));

  test("speaks the stateless revision to a program that knows it X14", () =>
    withServers(
      level,
      () => ({ fresh: registryServer(folder, "new.mjs", "stdio") }),
      async ({ mcp, notices, call }) => {
        assertEquals([mcp.tools().map(({ name }) => name), notices], [["mcp__fresh__era", "mcp__fresh__wants"], []]);
        assertEquals(said(await call("era")), "modern -");
        const wants = await call("wants");
        assertEquals(wants.isError, true);
      },
      scope,
    ));
}

const withScope = (name: string, fn: () => Promise<void>): void =>
  Deno.test({ name: `openMcp() over HTTP ${name}`, ignore: "why" in fetched, fn });

withScope("speaks the stateless revision, with headers from variables X14", async () => {
  const log = Deno.makeTempFileSync();
  const server = await startListening(folder, "new.mjs", ["http", log]);
  const url = `http://127.0.0.1:${server.line}/mcp`;
  try {
    const servers = { net: { url, headerEnv: { "x-secret": "NET_TOKEN" } } };
    await withServers(
      "kernel+",
      () => servers,
      async ({ mcp, notices, call }) => {
        assertEquals([mcp.states(), notices], [[{ name: "net", state: "ready", tools: 2 }], []]);
        assertEquals(said(await call("era")), "modern token-0123456789");
        assertEquals((await call("wants")).isError, true);
      },
      () => ({ net: [`127.0.0.1:${server.line}`] }),
      { NET_TOKEN: "token-0123456789" },
    );
    const asked = Deno.readTextFileSync(log).trim().split("\n").map((line) => JSON.parse(line));
    const calls = asked.map(([, , , body]) => body && JSON.parse(body)).filter((body) => body?.method === "tools/call");
    assertEquals(
      calls.map(({ params }) =>
        Object.keys(params._meta).filter((key) => /protocolVersion|clientCapabilities/.test(key)).length
      ),
      [2, 2],
    );
  } finally {
    await server.end();
    Deno.removeSync(log);
  }
});

withScope("follows a redirect within the server's origin and none out of it", async () => {
  const server = await startListening(folder, "new.mjs", ["http"]);
  const base = `http://127.0.0.1:${server.line}`;
  const scope = () => ({ net: [`127.0.0.1:${server.line}`, "localhost:9"] });
  try {
    await withServers("kernel+", () => ({ moved: { url: `${base}/moved` } }), async ({ call, notices }) => {
      assertEquals(notices, []);
      assertEquals(said(await call("era")), "modern -");
    }, scope);
    await withServers("kernel+", () => ({ away: { url: `${base}/away` } }), ({ mcp, notices }) => {
      assertEquals([mcp.states()[0]?.state, mcp.tools(), notices.length], ["failed", [], 1]);
      return Promise.resolve();
    }, scope);
  } finally {
    await server.end();
  }
});

withScope("works with the reference server's sessions X14", async () => {
  const { server, port } = await listeningAnywhere(folder);
  try {
    const url = `http://localhost:${port}/mcp`;
    await withServers("kernel+", () => ({ every: { url } }), async ({ mcp, notices, call }) => {
      assertEquals([mcp.states()[0]?.state, notices], ["ready", LEFT_OUT]);
      assertEquals(said(await call("echo", { message: "over HTTP" })), "Echo: over HTTP");
    }, () => ({ net: [`localhost:${port}`] }));
  } finally {
    await server.end();
  }
});

/** The reference server at a port that was free a moment ago: another program may take it before the server does. */
async function listeningAnywhere(folder: string): Promise<
  { readonly server: Awaited<ReturnType<typeof startListening>>; readonly port: number }
> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const server = await startListening(folder, scriptOf("everything"), ["streamableHttp"], { PORT: String(port) });
  // What it prints first comes before it listens.
  await until(async () =>
    server.hasEnded() ||
    await Deno.connect({ hostname: "127.0.0.1", port }).then((conn) => (conn.close(), true), () => false)
  );
  if (!server.hasEnded()) return { server, port };
  await server.end();
  return await listeningAnywhere(folder);
}
