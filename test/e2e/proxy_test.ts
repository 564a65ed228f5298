// The whole program with proxies in its environment, and servers that do not speak what is expected.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { inWorkspace, PROGRAM, run } from "../helpers/program.ts";
import { serveAnswers, textReply } from "../helpers/server.ts";

/** Names of the runtime's exceptions: never for people. */
const INTERNAL = /TypeError|Error:|error sending request|client error|os error/;

/** A port that answers every connection with a line, and closes it; an empty line closes it at once. */
async function withPort(line: string, work: (port: number) => Promise<void>): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    for await (const conn of listener) {
      try {
        if (line !== "") {
          await conn.read(new Uint8Array(8192));
          await conn.write(new TextEncoder().encode(`${line}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`));
        }
      } catch {
        // It was closed on the other side.
      } finally {
        conn.close();
      }
    }
  })();
  try {
    await work(listener.addr.port);
  } finally {
    listener.close();
    await serving;
  }
}

const ask = (base: string, env: Readonly<Record<string, string>>): Promise<Awaited<ReturnType<typeof run>>> => {
  let ran: Awaited<ReturnType<typeof run>> | undefined;
  return inWorkspace({}, async ({ ws, home }) => {
    Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
    Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify({ retry: { maxRetries: 0 } }));
    const args = ["-p", "--no-session", "--base-url", base, "-m", "m", "hi"];
    ran = await run(PROGRAM, args, { cwd: ws, env: { HOME: home, OPENAI_API_KEY: "sk-of-nobody", ...env } });
  }).then(() => ran as Awaited<ReturnType<typeof run>>);
};

const DEAD = "http://127.0.0.1:1";
const DIRECT: readonly Readonly<Record<string, string>>[] = [
  { HTTP_PROXY: DEAD, HTTPS_PROXY: DEAD },
  { http_proxy: DEAD, no_proxy: "example.com" },
  { ALL_PROXY: "socks5://127.0.0.1:1" },
  { HTTP_PROXY: DEAD, NO_PROXY: "*" },
  { HTTP_PROXY: "proxy.invalid:8080" },
];
for (const env of DIRECT) {
  Deno.test(`a model on this machine needs no proxy: ${JSON.stringify(env)}`, async () => {
    const server = serveAnswers([{ events: textReply("fine") }]);
    try {
      const { code, stdout, stderr } = await ask(server.baseUrl, env);
      assertEquals([code, stdout], [0, "fine\n"], stderr);
    } finally {
      await server.close();
    }
  });
}

Deno.test("an error that a proxy is the reason for names the proxy, its variable and a way around it, without its password", async () => {
  const cases: readonly (readonly [line: string, base: string, variable: string, says: string])[] = [
    ["HTTP/1.1 403 Forbidden", "https://llm.invalid/v1", "HTTPS_PROXY", "the proxy denied the connection"],
    [
      "HTTP/1.1 407 Proxy Authentication Required",
      "https://llm.invalid/v1",
      "https_proxy",
      "the proxy requires a login",
    ],
    ["HTTP/1.1 407 Proxy Authentication Required", "http://llm.invalid/v1", "ALL_PROXY", "The proxy requires a login"],
    ["HTTP/1.1 403 Forbidden", "http://llm.invalid/v1", "HTTP_PROXY", "whose answer this may be"],
  ];
  for (const [line, base, variable, says] of cases) {
    await withPort(line, async (port) => {
      const { code, stderr } = await ask(base, { [variable]: `http://me:hush-hush@127.0.0.1:${port}` });
      assertEquals(code, 1);
      for (const part of [says, `127.0.0.1:${port} (from ${variable})`]) assertStringIncludes(stderr, part);
      assert(!INTERNAL.test(stderr) && !stderr.includes("hush-hush"), stderr);
    });
  }
  const { stderr } = await ask("https://llm.invalid/v1", { HTTPS_PROXY: DEAD });
  assertStringIncludes(stderr, "through the proxy 127.0.0.1:1 (from HTTPS_PROXY): nothing listens at the proxy");
  assertStringIncludes(stderr, "add llm.invalid to NO_PROXY");
});

Deno.test("a server that does not speak what its address says is told of in words that help", async () => {
  await withPort("no http", async (port) => {
    const secure = await ask(`https://127.0.0.1:${port}/v1`, {});
    assertStringIncludes(secure.stderr, "Use http:// in --base-url");
    const plain = await ask(`http://127.0.0.1:${port}/v1`, {});
    assertStringIncludes(plain.stderr, "it does not answer with HTTP");
    for (const { stderr } of [secure, plain]) assert(!INTERNAL.test(stderr), stderr);
  });
  await withPort("", async (port) => {
    const { stderr } = await ask(`http://127.0.0.1:${port}/v1`, {});
    assertStringIncludes(stderr, `The connection to 127.0.0.1:${port} broke`);
    assert(!INTERNAL.test(stderr), stderr);
  });
  const { stderr } = await ask("http://llm.invalid/v1", {});
  assertStringIncludes(stderr, "the host name cannot be resolved");
});

Deno.test("an MCP server that cannot be reached is told of in the same words", () =>
  inWorkspace({}, async ({ ws, home }) => {
    Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
    const mcpServers = { far: { url: "https://mcp.invalid/mcp" } };
    Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify({ mcpServers }));
    const args = ["mcp", "test", "far", "--allow-net"];
    const { stderr, stdout } = await run(PROGRAM, args, { cwd: ws, env: { HOME: home, HTTPS_PROXY: DEAD } });
    assertStringIncludes(
      stdout + stderr,
      "nothing listens at the proxy (connection refused): 127.0.0.1:1, from HTTPS_PROXY",
    );
    assert(!INTERNAL.test(stdout + stderr), stdout + stderr);
  }));
