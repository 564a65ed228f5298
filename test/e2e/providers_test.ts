import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { FULL_PROGRAM, inWorkspace, run } from "../helpers/program.ts";
import { serveAnswers, type TestServer, textReply } from "../helpers/server.ts";

// Which server is asked with which key, and what a person sees who has configured nothing.

type Settings = Readonly<Record<string, unknown>>;

function writeSettings(home: string, settings: Settings): void {
  Deno.mkdirSync(join(home, ".sandpiper/agent"), { recursive: true });
  Deno.writeTextFileSync(join(home, ".sandpiper/agent/settings.json"), JSON.stringify(settings));
}

/** Local servers of a real machine must not be found: each address is one that nobody has. */
const NOWHERE = { baseUrl: "http://127.0.0.1:9" };
const NO_LOCAL = { ollama: NOWHERE, lmstudio: NOWHERE, vllm: NOWHERE, llamacpp: NOWHERE };

async function withServers(
  count: number,
  work: (...servers: readonly TestServer[]) => Promise<void>,
): Promise<void> {
  const servers = Array.from({ length: count }, () => serveAnswers([{ events: textReply("Hello.") }]));
  try {
    await work(...servers);
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

/** What a server was sent in any header that could hold a key. */
function keysAt(server: TestServer | undefined): readonly string[] {
  return server?.headers.map((headers) => headers.get("authorization") ?? headers.get("x-api-key") ?? "none") ?? [];
}

Deno.test("a provider gets its own key and nobody else's, whatever other servers and keys are set", () =>
  inWorkspace({}, ({ ws, home }) =>
    withServers(3, async (one, two, usual) => {
      writeSettings(home, {
        providers: {
          one: { baseUrl: one?.baseUrl, keyEnv: ["ONE_KEY"] },
          two: { baseUrl: two?.baseUrl, keyEnv: ["TWO_KEY"], keyHeader: "api-key", headers: { "x-team": "blue" } },
        },
      });
      const env = {
        HOME: home,
        ONE_KEY: "sk-one-123456",
        TWO_KEY: "sk-two-123456",
        OPENAI_API_KEY: "sk-usual-123456",
        OPENAI_BASE_URL: usual?.baseUrl ?? "",
      };
      const ask = (...args: readonly string[]) => run(FULL_PROGRAM, ["-q", "-p", ...args, "hi"], { cwd: ws, env });
      assertEquals((await ask("-m", "one/m")).stdout, "Hello.\n");
      assertEquals((await ask("-m", "two/m")).stdout, "Hello.\n");
      assertEquals((await ask("-m", "m")).stdout, "Hello.\n");
      assertEquals(keysAt(one), ["Bearer sk-one-123456"]);
      assertEquals(two?.headers.map((headers) => [headers.get("api-key"), headers.get("x-team")]), [[
        "sk-two-123456",
        "blue",
      ]]);
      assertEquals(keysAt(usual), ["Bearer sk-usual-123456"]);
      assertEquals([one, two, usual].map((server) => server?.requests[0]?.model), ["m", "m", "m"]);
      // A session keeps its provider: gone on with, the same one is asked.
      assertEquals((await ask("-c")).code, 0);
      assertEquals([one, two, usual].map((server) => server?.requests.length), [1, 1, 2]);
    })));

Deno.test("a command's key is used, renewed once when it is refused, and kept nowhere", () =>
  inWorkspace({}, async ({ ws, home }) => {
    const count = join(home, "runs");
    const seen: string[] = [];
    const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
      await request.text();
      const key = request.headers.get("authorization") ?? "";
      seen.push(key);
      if (!key.endsWith("-2")) return new Response(`{"error":{"message":"bad key ${key}"}}`, { status: 401 });
      const lines = textReply("Hello.").map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
      return new Response(`${lines}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
    });
    try {
      const line = `echo x >> ${count}; echo "sk-vault-123456-$(wc -l < ${count} | tr -d ' ')"`;
      const baseUrl = `http://127.0.0.1:${server.addr.port}/v1`;
      writeSettings(home, { providers: { vault: { baseUrl, keyEnv: [], apiKeyCommand: line } } });
      const ran = await run(FULL_PROGRAM, ["-v", "-p", "-m", "vault/m", "hi"], { cwd: ws, env: { HOME: home } });
      assertEquals([ran.code, ran.stdout, seen.length], [0, "Hello.\n", 2], ran.stderr);
      const kept = await new Deno.Command("grep", { args: ["-rl", "--exclude=settings.json", "sk-vault", home] })
        .output();
      assertEquals(new TextDecoder().decode(kept.stdout), "");
      assert(!ran.stderr.includes("sk-vault"), ran.stderr);
      writeSettings(home, {
        providers: { vault: { baseUrl, keyEnv: [], apiKeyCommand: ["/bin/sh", "-c", "exit 4"] } },
      });
      const failed = await run(FULL_PROGRAM, ["-p", "-m", "vault/m", "hi"], { cwd: ws, env: { HOME: home } });
      assertEquals([failed.code, failed.stdout, seen.length], [2, "", 2], failed.stderr);
      assertStringIncludes(failed.stderr, "The command for the API key failed");
    } finally {
      await server.shutdown();
    }
  }));

Deno.test("a project's providers are not taken, and it is said", () =>
  withServers(2, (own, foreign) =>
    inWorkspace(
      {
        ".sandpiper/settings.json": JSON.stringify({
          providers: { mine: { baseUrl: foreign?.baseUrl }, other: { baseUrl: foreign?.baseUrl } },
        }),
      },
      async ({ ws, home }) => {
        writeSettings(home, { providers: { mine: { baseUrl: own?.baseUrl, keyEnv: ["MINE"] } } });
        const env = { HOME: home, MINE: "sk-mine-123456" };
        const ran = await run(FULL_PROGRAM, ["--trust", "-p", "-m", "mine/m", "hi"], { cwd: ws, env });
        assertEquals([ran.code, ran.stdout], [0, "Hello.\n"], ran.stderr);
        assertStringIncludes(ran.stderr, '"providers" is only taken from the user\'s own settings');
        assertEquals([keysAt(own), keysAt(foreign)], [["Bearer sk-mine-123456"], []]);
        const other = await run(FULL_PROGRAM, ["--trust", "-p", "-m", "other/m", "hi"], { cwd: ws, env });
        assertEquals(other.code, 2);
        assertStringIncludes(other.stderr, 'There is no provider "other"');
      },
    )));

Deno.test("nothing configured: each provider with exactly what to type", () =>
  inWorkspace({}, async ({ ws, home }) => {
    writeSettings(home, { providers: NO_LOCAL });
    const ran = await run(FULL_PROGRAM, ["-p", "hi"], { cwd: ws, env: { HOME: home } });
    assertEquals([ran.code, ran.stdout], [2, ""]);
    for (
      const line of [
        "error: No model is chosen",
        "--model anthropic/       export ANTHROPIC_API_KEY=…",
        "--model openai/          export OPENAI_API_KEY=…",
        " more: sandpiper doctor",
      ]
    ) assertStringIncludes(ran.stderr, line);
    assert(ran.stderr.trimEnd().split("\n").length < 10, "a person reads what to do, and no catalogue");
    const { stdout } = await run(FULL_PROGRAM, ["doctor"], { cwd: ws, env: { HOME: home } });
    for (
      const line of [
        "--model azure/           export AZURE_OPENAI_ENDPOINT=… export AZURE_OPENAI_API_KEY=…",
        "--model vertex/          export GOOGLE_CLOUD_LOCATION=… export GOOGLE_CLOUD_PROJECT=…, token from gcloud",
      ]
    ) assertStringIncludes(stdout, line);
    const models = await run(FULL_PROGRAM, ["models"], { cwd: ws, env: { HOME: home } });
    assertEquals(models.code, 2);
    assertStringIncludes(models.stderr, "No model provider available");
  }));

Deno.test("a key that is set and a server that answers are offered, and what is offered works as it is typed", () =>
  inWorkspace({}, async ({ ws, home }) => {
    const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
      if (request.method === "GET") return Response.json({ data: [{ id: "qwen3:8b" }] });
      const lines = textReply("Hello.").map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
      return new Response(`${lines}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
    });
    try {
      const baseUrl = `http://127.0.0.1:${server.addr.port}/v1`;
      writeSettings(home, { providers: { ...NO_LOCAL, ollama: { baseUrl } } });
      const env = { HOME: home, ANTHROPIC_API_KEY: "sk-ant-123456" };
      const ran = await run(FULL_PROGRAM, ["-p", "hi"], { cwd: ws, env });
      assertEquals([ran.code, ran.stdout], [2, ""]);
      assertStringIncludes(ran.stderr, "Anthropic: ANTHROPIC_API_KEY is set");
      const offered = /--model (ollama\/\S+) +Ollama answers/.exec(ran.stderr)?.[1] ?? "";
      assertEquals(offered, "ollama/qwen3:8b");
      assert(!ran.stderr.includes("sk-ant") && !ran.stderr.includes("OPENAI"), ran.stderr);
      for (const name of [offered, "ollama/"]) {
        const answered = await run(FULL_PROGRAM, ["-q", "-p", "-m", name, "hi"], { cwd: ws, env });
        assertEquals([answered.code, answered.stdout], [0, "Hello.\n"], answered.stderr);
      }
    } finally {
      await server.shutdown();
    }
  }));

Deno.test("--base-url without a model uses the only model of that server, lists several, and sandpiper models shows them", () =>
  inWorkspace({}, async ({ ws, home }) => {
    let ids: readonly string[] = ["tiny"];
    const asked: string[] = [];
    const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
      if (request.method === "GET") return Response.json({ data: ids.map((id) => ({ id })) });
      asked.push((await request.json()).model);
      const lines = textReply("Hello.").map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
      return new Response(`${lines}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
    });
    try {
      const baseUrl = `http://127.0.0.1:${server.addr.port}/v1`;
      writeSettings(home, { providers: NO_LOCAL });
      const start = async (...args: readonly string[]) =>
        await run(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
      const only = await start("-q", "-p", "--base-url", baseUrl, "hi");
      assertEquals([only.code, only.stdout, asked], [0, "Hello.\n", ["tiny"]], only.stderr);
      ids = ["tiny", "org/large"];
      const several = await start("-p", "--base-url", baseUrl, "hi");
      assertEquals([several.code, several.stdout], [2, ""]);
      assertStringIncludes(several.stderr, "error: No model is chosen");
      const offers = [...several.stderr.matchAll(/--model (\S+) +127\.0\.0\.1:\d+ lists it/g)].map(([, name = ""]) =>
        name
      );
      assertEquals(offers, ["openai/org/large", "openai/tiny"]);
      for (const name of offers) {
        const answered = await start("-q", "-p", "--base-url", baseUrl, "-m", name, "hi");
        assertEquals([answered.code, answered.stdout], [0, "Hello.\n"], answered.stderr);
      }
      assertEquals(asked, ["tiny", "org/large", "tiny"]);
      const models = await start("models", "--base-url", baseUrl);
      assertEquals(models.code, 0, models.stderr);
      for (const id of ids) assertStringIncludes(models.stdout, id);
    } finally {
      await server.shutdown();
    }
  }));

Deno.test("sandpiper models lists what can be asked, with facts of settings, server and catalogue; --check says who answers", () =>
  inWorkspace({}, async ({ ws, home }) => {
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      (request) =>
        request.headers.get("authorization") === "Bearer sk-mine-123456"
          ? Response.json({ data: [{ id: "big", max_model_len: 50_000 }, { id: "set", max_model_len: 50_000 }] })
          : new Response("no", { status: 401 }),
    );
    try {
      const baseUrl = `http://127.0.0.1:${server.addr.port}/v1`;
      writeSettings(home, {
        providers: {
          ...NO_LOCAL,
          mine: { baseUrl, keyEnv: ["MINE"] },
          // No server: the catalogue answers in its place.
          anthropic: { baseUrl: "http://127.0.0.1:9" },
        },
        models: {
          "mine/set": { contextWindow: 1000, maxTokens: 100, input: ["text"], price: { input: 1, output: 2 } },
        },
      });
      const env = { HOME: home, MINE: "sk-mine-123456", ANTHROPIC_API_KEY: "sk-ant-123456" };
      const list = async (...args: readonly string[]) => await run(FULL_PROGRAM, ["models", ...args], { cwd: ws, env });
      const found = JSON.parse((await list("--json")).stdout) as {
        provider: string;
        listed: boolean;
        models: unknown[];
      }[];
      assertEquals(found.map(({ provider, listed }) => [provider, listed]), [["anthropic", false], ["mine", true]]);
      const unknown = { input: null, reasoning: null, price: null };
      assertEquals(found[1]?.models, [
        { name: "mine/big", id: "big", provider: "mine", contextWindow: 50_000, maxTokens: null, ...unknown },
        {
          name: "mine/set",
          id: "set",
          provider: "mine",
          contextWindow: 1000,
          maxTokens: 100,
          input: ["text"],
          reasoning: null,
          price: { input: 1, cachedInput: 1, cacheWrite: 1, output: 2 },
        },
      ]);
      assert((found[0]?.models.length ?? 0) > 10);
      const only = await list("--provider", "mine");
      assertEquals([only.code, only.stdout.includes("mine/big"), only.stdout.includes("anthropic/")], [0, true, false]);
      // The heads stand over the ends of their columns.
      const [, heads = "", , set = ""] = only.stdout.split("\n");
      assertEquals(heads.trim().split(/\s+/), ["model", "window", "output", "in/1M", "out/1M", "abilities"]);
      for (const [head, value] of [["window", "1k"], ["output", "100"], ["in/1M", "$1"], ["out/1M", "$2"]] as const) {
        assertEquals(
          `${set} `.indexOf(` ${value} `) + 1 + value.length,
          heads.indexOf(head) + head.length,
          only.stdout,
        );
      }
      const good = await list("--provider", "mine", "--check");
      assertEquals([good.code, good.stdout.slice(0, 8)], [0, "ok  mine"], good.stdout);
      const all = await list("--check");
      assertEquals(
        [all.code, /^-- {2}anthropic/m.test(all.stdout), all.stdout.includes("sk-")],
        [1, true, false],
        all.stdout,
      );
      const wrong = await run(FULL_PROGRAM, ["models", "--check", "--provider", "mine"], {
        cwd: ws,
        env: { ...env, MINE: "sk-wrong-123456" },
      });
      assertStringIncludes(wrong.stdout, "it refuses the key (401)");
      assertEquals(wrong.code, 1);
    } finally {
      await server.shutdown();
    }
  }));

Deno.test("an extension's provider is asked as it was granted, and its worker never sees the key", () =>
  withServers(1, (server) =>
    inWorkspace({}, async ({ ws, home }) => {
      const line = `acme chat ${server?.baseUrl} ACME_KEY`;
      Deno.mkdirSync(join(home, ".sandpiper/agent/extensions"), { recursive: true });
      Deno.writeTextFileSync(
        join(home, ".sandpiper/agent/extensions/acme.ts"),
        `import { defineExtension } from "sandpiper";
export const permissions = { providers: ["${line}"] };
export default defineExtension((sp) => {
  sp.on("before_agent_start", ({ systemPrompt }) => {
    let seen: string;
    try { seen = String(Deno.env.get("ACME_KEY")); } catch (error) { seen = error.name; }
    return { systemPrompt: systemPrompt + "\\nSEEN=" + seen };
  });
});
`,
      );
      const env = { HOME: home, ACME_KEY: "sk-acme-123456", OPENAI_API_KEY: "sk-usual-123456" };
      const ask = () => run(FULL_PROGRAM, ["-p", "-m", "acme/m", "hi"], { cwd: ws, env });
      const before = await ask();
      assertEquals([before.code, server?.requests.length], [2, 0], before.stderr);
      assertStringIncludes(before.stderr, 'There is no provider "acme"');
      const other = await run(FULL_PROGRAM, ["-p", "-m", "replay:/dev/null", "hi"], { cwd: ws, env });
      const setting = /put this into your own settings.json: (\{.*\})/.exec(other.stderr)?.[1] ?? "none";
      writeSettings(home, JSON.parse(setting));
      const after = await ask();
      assertEquals([after.code, after.stdout], [0, "Hello.\n"], after.stderr);
      assertEquals(keysAt(server), ["Bearer sk-acme-123456"]);
      const { content } = server?.requests[0]?.messages[0] ?? {};
      assertEquals(/SEEN=(.*)/.exec(content)?.[1], "undefined", "its worker has no such variable");
      // A grant takes nobody's name and nobody's key.
      const greedy = ["anthropic chat http://127.0.0.1:9/v1 X_KEY", "acme2 chat http://127.0.0.1:9/v1 OPENAI_API_KEY"];
      writeSettings(home, { extensions: { grants: { "0": { providers: greedy } } } });
      const anthropic = await run(FULL_PROGRAM, ["-p", "-m", "anthropic/x", "hi"], { cwd: ws, env });
      assertStringIncludes(anthropic.stderr, "ANTHROPIC_API_KEY is not set");
      const second = await run(FULL_PROGRAM, ["-p", "-m", "acme2/x", "hi"], { cwd: ws, env });
      assertStringIncludes(second.stderr, 'There is no provider "acme2"');
    })));

Deno.test("doctor and the models name the program of a key's command, and nothing that stands in its line", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
    const settings = {
      providers: { x: { baseUrl: "http://127.0.0.1:9/v1", apiKeyCommand: "T=hunter2 tool --pin 4711x" } },
    };
    Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify(settings));
    for (const args of [["doctor"], ["models"], ["models", "--json"], ["-p", "-m", "x/m", "go"]]) {
      const { stdout, stderr } = await run(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
      assertEquals(/hunter2|4711x/.exec(stdout + stderr)?.[0], undefined, args.join(" "));
    }
  });
});
