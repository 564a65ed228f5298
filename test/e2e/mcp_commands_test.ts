import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname } from "@std/path";
import { inWorkspace, PROGRAM, type Ran, run } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";
import { serveMcp } from "../mcp/http_server.ts";
import { reachableDeno } from "../sandbox/reachable.ts";
import { CONFINED, processesWith } from "../sandbox/shell_fixture.ts";

const OLD = new URL("../mcp/servers/old.mjs", import.meta.url);

/** Runs `sandpiper mcp …` in an empty home. */
async function inHome(
  work: (
    place: {
      readonly mcp: (...args: readonly string[]) => Promise<Ran>;
      readonly ws: string;
      readonly settings: () => unknown;
    },
  ) => Promise<void>,
): Promise<void> {
  await inWorkspace({ "old.mjs": Deno.readTextFileSync(OLD) }, ({ ws, home }) =>
    work({
      ws,
      mcp: (...args) => run(PROGRAM, ["mcp", ...args], { cwd: ws, env: { HOME: home, TICKET_KEY: "TOPSECRET" } }),
      settings: () => JSON.parse(Deno.readTextFileSync(`${home}/.sandpiper/agent/settings.json`)),
    }));
}

Deno.test("mcp: a server at an address is added, listed, tried and removed in an empty home", async () => {
  await using host = serveMcp({ tools: () => [{ name: "look", description: "Looks something up" }] });
  const url = `${host.origin}/docs`;
  await inHome(async ({ mcp, settings }) => {
    const empty = await mcp("list");
    assertEquals([empty.code, empty.stdout.startsWith("No MCP servers.")], [0, true], empty.stderr);
    const added = await mcp("add", "docs", url, "--exposure", "search");
    assertEquals([added.code, settings()], [0, { mcpServers: { docs: { url, exposure: "search" } } }], added.stderr);
    assertStringIncludes(added.stdout, `--allow-net=+127.0.0.1:${host.port}`);
    assertStringIncludes(added.stdout, "sandpiper mcp test docs");
    assertEquals((await mcp("list")).stdout, `docs  ${url}  [search]\n`);
    assertEquals(JSON.parse((await mcp("list", "--json")).stdout), [
      { name: "docs", target: url, exposure: "search", source: "user", login: false },
    ]);
    // Without the network the server is not asked, and the reason names the option that mends it.
    const held = await mcp("test", "docs");
    assertEquals([held.code, held.stdout, host.heard], [1, "", []]);
    assertStringIncludes(held.stderr, `--allow-net=+127.0.0.1:${host.port}`);
    const works = await mcp("test", "docs", `--allow-net=127.0.0.1:${host.port}`);
    assertEquals(works.code, 0, works.stderr);
    assertMatch(works.stdout, /^docs works: 1 tool\n {2}mcp__docs__look: .*Looks something up\n$/);
    const twice = await mcp("add", "docs", url);
    assertEquals([twice.code, twice.stderr.includes("there is one of that name")], [2, true]);
    const removed = await mcp("remove", "docs");
    assertEquals([removed.code, removed.stdout, settings()], [0, "Removed docs\n", { mcpServers: {} }]);
    const gone = await mcp("remove", "docs");
    assertEquals([gone.code, gone.stderr.includes('There is no MCP server "docs"')], [2, true]);
  });
});

Deno.test({
  name: "mcp: a server that is a program is added with its words, started for a try as sessions do, and ended",
  ignore: CONFINED.length === 0,
  fn: () =>
    inHome(async ({ mcp, ws, settings }) => {
      const [command, ...args] = [reachableDeno(), "run", "-A", "--no-config", "--no-lock", `${ws}/old.mjs`, "plain"];
      const added = await mcp("add", "old", "--", command, ...args);
      assertEquals([added.code, settings()], [0, { mcpServers: { old: { command, args } } }], added.stderr);
      const works = await mcp("test", "old", `--allow-read=.,${dirname(command)}`);
      assertEquals(works.code, 0, works.stderr);
      assertMatch(works.stdout, /^old works: 13 tools\n(?: {2}mcp__old__\w+: .*\n){13}$/);
      await until(() => processesWith(`${ws}/old.mjs`).length === 0);
      assertEquals((await mcp("add", "broken", "--", "false")).code, 0);
      const broken = await mcp("test", "broken");
      assertEquals([broken.code, broken.stdout], [1, ""]);
      assertMatch(broken.stderr, /MCP server "broken": .*its tools are not there/);
      assertEquals((await mcp("remove", "old")).code, 0);
      assertEquals(settings(), { mcpServers: { broken: { command: "false" } } });
    }),
});

Deno.test("mcp add names the variables that a server gets, and writes no value", async () => {
  const asked: (string | null)[] = [];
  await using host = serveMcp({
    tools: () => [{ name: "look", description: "Looks" }],
    before: (request) => void asked.push(request.headers.get("x-key")),
  });
  await inHome(async ({ mcp, settings }) => {
    const url = `${host.origin}/docs`;
    const added = await mcp("add", "docs", url, "--header-env", "x-key=TICKET_KEY");
    assertEquals(added.code, 0, added.stderr);
    assertEquals((await mcp("add", "own", "--env", "TICKET_KEY", "--env", "OTHER", "--", "own-server", "-v")).code, 0);
    assertEquals(settings(), {
      mcpServers: {
        docs: { url, headerEnv: { "x-key": "TICKET_KEY" } },
        own: { command: "own-server", args: ["-v"], envFrom: ["TICKET_KEY", "OTHER"] },
      },
    });
    const works = await mcp("test", "docs", `--allow-net=127.0.0.1:${host.port}`);
    assertEquals([works.code, [...new Set(asked)]], [0, ["TOPSECRET"]], works.stderr);
    assertEquals((works.stdout + works.stderr).includes("TOPSECRET"), false);
  });
});

const WRONG: readonly (readonly [why: string, args: readonly string[]])[] = [
  ["it is none of list, add, test, remove, login, logout", ["nonsense"]],
  ["mcp test needs a name", ["test"]],
  ["neither an address nor a program is named", ["add", "a"]],
  ["is no name", ["add", "a b", "https://a.example"]],
  ["the address holds a name or password", ["add", "a", "https://me:pw@a.example"]],
  ["says nothing behind an address", ["add", "a", "https://a.example", "more"]],
  ['There is no MCP server "a"', ["test", "a"]],
  ["takes the name of a variable and no value", ["add", "a", "--env", "KEY=secret", "--", "b"]],
  ["--env is for a program", ["add", "a", "https://a.example", "--env", "KEY"]],
  ["--header-env takes HEADER=NAME", ["add", "a", "https://a.example", "--header-env", "authorization=Bearer x"]],
];
Deno.test("mcp: what is asked wrongly changes nothing and is told with exit code 2", async (t) => {
  await inHome(async ({ mcp }) => {
    for (const [why, args] of WRONG) {
      await t.step(`mcp ${args.join(" ")}`, async () => {
        const ran = await mcp(...args);
        assertEquals([ran.code, ran.stdout, ran.stderr.includes(why)], [2, "", true], ran.stderr);
      });
    }
    assertEquals((await mcp("list", "--json")).stdout, "[]\n");
  });
});
