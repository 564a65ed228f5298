import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { shownFiles } from "../../src/cli/interactive/ask_trust.ts";
import { inWorkspace, PROGRAM, run } from "../helpers/program.ts";
import { callReply, serveAnswers, textReply } from "../helpers/server.ts";
import { serveMcp } from "../mcp/http_server.ts";

const TOOLS = [{ name: "look", description: "Looks something up" }];

Deno.test("a project's .mcp.json counts with trust alone, is shown before, and is held to the user's scope", async () => {
  await using host = serveMcp({ tools: () => TOOLS, call: (server) => `looked up at ${server}` });
  const servers = {
    docs: { type: "http", url: `${host.origin}/docs` },
    mine: { url: `${host.origin}/projects` },
    far: { url: "http://127.0.0.2:8123/far" },
    keys: { url: `${host.origin}/keys`, headers: { authorization: "Bearer ${TOKEN}" } },
    envs: { command: "env", envFrom: ["TOKEN"] },
    old: { type: "sse", url: `${host.origin}/sse` },
  };
  await inWorkspace({ ".mcp.json": JSON.stringify({ mcpServers: servers }) }, async ({ ws, home }) => {
    Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
    const own = JSON.stringify({ mcpServers: { mine: { url: `${host.origin}/users` } } });
    Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, own);
    const session = async (...more: readonly string[]) => {
      const model = serveAnswers([
        { events: callReply({ name: "mcp__docs__look", args: {} }, { name: "mcp__mine__look", args: {} }) },
        { events: textReply("Done.") },
      ]);
      const args = [
        "-p",
        "-m",
        "any",
        "--base-url",
        model.baseUrl,
        `--allow-net=127.0.0.1:${host.port}`,
        ...more,
        "go",
      ];
      const ran = await run(PROGRAM, args, { cwd: ws, env: { HOME: home, TOKEN: "TOPSECRET" } });
      await model.close();
      assertEquals(ran.code, 0, ran.stderr);
      return { said: JSON.stringify(model.requests.at(-1).messages), stderr: ran.stderr };
    };
    const without = await session();
    assertStringIncludes(without.said, 'no active tool \\"mcp__docs__look\\"');
    assertMatch(without.stderr, /configuration is left out, because nobody has trusted it/);
    assertEquals(host.heard.filter((line) => !line.endsWith(" users")), []);

    const { said, stderr } = await session("--trust");
    assertStringIncludes(said, "looked up at docs");
    assertStringIncludes(said, "looked up at users");
    assertStringIncludes(
      stderr,
      `MCP servers of this project: docs (${host.origin}/docs), far (http://127.0.0.2:8123/far)`,
    );
    assertMatch(stderr, /MCP server "far": .*; its tools are not there/);
    assertMatch(stderr, /"keys" is left out: it names variables of yours/);
    assertMatch(stderr, /"envs" is left out: "envFrom" is for your own settings/);
    assertMatch(stderr, /"old" is left out: its type "sse" .* is not supported/);
    assertEquals([...new Set(host.heard.map((line) => line.split(" ")[1]))].toSorted(), ["docs", "users"]);

    const listed = await run(PROGRAM, ["mcp", "list", "--trust"], { cwd: ws, env: { HOME: home } });
    assertMatch(listed.stdout, /docs {2}\S+\/docs {2}\[this project's\]\n/);
    assertMatch(listed.stdout, /mine {2}\S+\/users\n/);

    const question = { folder: ws, digest: "", hasChanged: false, files: [{ path: `${ws}/.mcp.json`, bytes: 10 }] };
    assertEquals(shownFiles(question).map(({ name }) => name), [
      ".mcp.json",
      `  MCP server docs: ${host.origin}/docs`,
      `  MCP server mine: ${host.origin}/projects`,
      "  MCP server far: http://127.0.0.2:8123/far",
    ]);
  });
});
