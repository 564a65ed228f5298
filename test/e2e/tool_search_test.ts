import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { inWorkspace, PROGRAM, run } from "../helpers/program.ts";
import { callReply, serveAnswers, textReply } from "../helpers/server.ts";
import { type ServedTool, serveMcp } from "../mcp/http_server.ts";

/** Bytes that a first request may grow by, for 20 servers with 400 tools. */
const MOST_BYTES = 800;

const NAMES = [..."abcdefghijklmnopqrst"].map((letter) => `server-${letter}`);
const VERBS = ["list", "create", "close", "merge", "search"];
const NOUNS = ["issue", "branch", "invoice", "calendar"];
const TOOLS: readonly ServedTool[] = VERBS.flatMap((verb) =>
  NOUNS.map((noun) => ({ name: `${verb}_${noun}`, description: `Can ${verb} one ${noun} after another` }))
);

// deno-lint-ignore no-explicit-any -- the wire format
const namesOf = (request: any): readonly string[] => (request.tools ?? []).map((tool: any) => tool.function.name);
// deno-lint-ignore no-explicit-any -- the same
const systemOf = (request: any): string => JSON.stringify(request.messages[0]);

function settings(home: string, mcpServers: unknown): void {
  Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
  Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify({ mcpServers }));
}

Deno.test("400 tools of 20 servers with exposure search add at most 800 bytes to a first request", async () => {
  await using host = serveMcp({ tools: () => TOOLS });
  await inWorkspace({ "a.txt": "a" }, async ({ ws, home }) => {
    const first = async (servers: unknown): Promise<unknown> => {
      settings(home, servers);
      const model = serveAnswers([{ events: textReply("Done.") }]);
      const args = ["-p", "-m", "any", "--base-url", model.baseUrl, `--allow-net=127.0.0.1:${host.port}`, "go"];
      const ran = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
      await model.close();
      assertEquals(ran.code, 0, ran.stderr);
      return model.requests[0];
    };
    const servers = (exposure: string) =>
      Object.fromEntries(NAMES.map((name) => [name, { url: `${host.origin}/${name}`, exposure }]));
    const bytes = (request: unknown): number => new TextEncoder().encode(JSON.stringify(request)).length;
    const none = bytes(await first({}));
    const searched = await first(servers("search"));
    const more = bytes(searched) - none;
    const all = bytes(await first(servers("all"))) - none;
    console.log(`20 servers, 400 tools: search adds ${more} bytes, all adds ${all}`);
    assert(more > 0 && more <= MOST_BYTES, `${more} bytes`);
    assertEquals(namesOf(searched).filter((name) => name.includes("__")), []);
    for (const name of NAMES) assertStringIncludes(JSON.stringify(searched), name);
    assert(all > 20 * MOST_BYTES);
  });
});

Deno.test("tools that tool_search finds come last, change nothing before them, run, and are there after a resume", async () => {
  await using host = serveMcp({ tools: () => TOOLS, call: (server, tool) => `${tool} ran at ${server}` });
  await inWorkspace({}, async ({ ws, home }) => {
    settings(home, {
      first: { url: `${host.origin}/first`, exposure: "search" },
      second: { url: `${host.origin}/second`, exposure: "names" },
    });
    const model = serveAnswers([
      { events: callReply({ name: "tool_search", args: { query: "merging a branch at second" } }) },
      { events: callReply({ name: "mcp__second__merge_branch", args: {} }) },
      { events: callReply({ name: "tool_search", args: { query: "mcp__first__close_invoice" } }) },
      { events: callReply({ name: "mcp__first__close_invoice", args: {} }) },
      { events: textReply("Done.") },
    ]);
    const args = ["-p", "-m", "any", "--base-url", model.baseUrl, `--allow-net=127.0.0.1:${host.port}`];
    const ran = await run(PROGRAM, [...args, "go"], { cwd: ws, env: { HOME: home } });
    assertEquals(ran.code, 0, ran.stderr);
    const again = await run(PROGRAM, [...args, "-c", "go on"], { cwd: ws, env: { HOME: home } });
    await model.close();
    assertEquals(again.code, 0, again.stderr);

    const { requests } = model;
    assertEquals(requests.length, 6);
    const offered = requests.map(namesOf);
    const own = offered[0]?.filter((name) => !name.includes("__")) ?? [];
    assertEquals(own.at(-1), "tool_search");
    assertEquals(offered[0], own);
    // By name alone: the tools of the server with the exposure `names`, and none of the other's.
    const { description } = requests[0].tools.at(-1).function;
    assertStringIncludes(description, "mcp__second__merge_branch");
    assert(!description.includes("mcp__first__"));
    const found = offered[1]?.slice(own.length) ?? [];
    assertEquals(found[0], "mcp__second__merge_branch");
    assert(found.length >= 2 && found.length <= 5, found.join());
    assertEquals(offered.slice(1, 3), [[...own, ...found], [...own, ...found]]);
    const late = [...own, ...found, "mcp__first__close_invoice"];
    assertEquals(offered.slice(3), [late, late, late]);
    // What was sent before keeps its bytes: the system prompt, and each tool at its place.
    for (const request of requests) {
      assertEquals(systemOf(request), systemOf(requests[0]));
      assertEquals(JSON.stringify(request.tools.slice(0, own.length)), JSON.stringify(requests[0].tools));
    }
    const texts = JSON.stringify(requests[4].messages);
    for (const said of ["merge_branch ran at second", "close_invoice ran at first"]) assertStringIncludes(texts, said);
  });
});

Deno.test("a tool that waits to be found is no tool to call, and a search that fits nothing says so", async () => {
  await using host = serveMcp({ tools: () => TOOLS });
  await inWorkspace({}, async ({ ws, home }) => {
    settings(home, { first: { url: `${host.origin}/first`, exposure: "search" } });
    const model = serveAnswers([
      { events: callReply({ name: "mcp__first__merge_branch", args: {} }) },
      { events: callReply({ name: "tool_search", args: { query: "zeppelin" } }) },
      { events: textReply("Done.") },
    ]);
    const args = ["-p", "-m", "any", "--base-url", model.baseUrl, `--allow-net=127.0.0.1:${host.port}`, "go"];
    const ran = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
    await model.close();
    assertEquals(ran.code, 0, ran.stderr);
    const said = JSON.stringify(model.requests.at(-1).messages);
    assertStringIncludes(said, "There is no active tool");
    assertStringIncludes(said, "No tool fits");
    assertEquals(host.heard.filter((line) => line.startsWith("tools/call")), []);
  });
});

Deno.test("a server that changes its tools in the middle of a run has others in the next request", async () => {
  const old = new URL("../mcp/servers/old.mjs", import.meta.url);
  await inWorkspace({ "old.mjs": Deno.readTextFileSync(old) }, async ({ ws, home }) => {
    const server = { command: Deno.execPath(), args: ["run", "-A", "--no-config", "--no-lock", `${ws}/old.mjs`] };
    settings(home, { old: { ...server, startMs: 60_000 } });
    const model = serveAnswers([
      { events: callReply({ name: "mcp__old__grow", args: {} }) },
      { events: textReply("Done.") },
    ]);
    const args = ["-p", "-m", "any", "--base-url", model.baseUrl, `--allow-read=+${Deno.execPath()}`, "go"];
    const ran = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
    await model.close();
    assertEquals(ran.code, 0, ran.stderr);
    const [before, after] = model.requests.map(namesOf);
    assertEquals(after?.filter((name) => !before?.includes(name)), ["mcp__old__grown13"]);
    assertStringIncludes(ran.stderr, "its tools have changed (new: grown13)");
  });
});
