import { assert, assertEquals, assertMatch } from "@std/assert";
import { dirname, fromFileUrl } from "@std/path";
import { SETTINGS } from "../../src/config/settings/settings_table.ts";
import { cassette, events, inWorkspace, PROGRAM, run } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";
import { CONFINED, processesWith } from "../sandbox/shell_fixture.ts";
import { reachableDeno } from "../sandbox/reachable.ts";

const OLD = fromFileUrl(new URL("../mcp/servers/old.mjs", import.meta.url));
const isWired = "mcpServers" in SETTINGS;
if (!isWired) console.log("not tested: servers in a whole session, which has no setting for them yet");

const test = (name: string, fn: () => Promise<void>): void =>
  Deno.test({ name: `${PROGRAM.name}: ${name}`, ignore: !isWired || CONFINED.length === 0, fn });

function settings(folder: string, mcpServers: unknown): void {
  Deno.mkdirSync(folder, { recursive: true });
  Deno.writeTextFileSync(`${folder}/settings.json`, JSON.stringify({ mcpServers }));
}

/** The server is run by Deno, which may lie anywhere, in a folder for temporary files too. */
const MAY_READ_DENO = [`--allow-read=.,${dirname(reachableDeno())}`];

const server = (path: string, mode = "plain") => ({
  command: reachableDeno(),
  args: ["run", "-A", "--no-config", "--no-lock", path, mode],
});

test("a server's tools are called, checked and kept apart from a dead server's X16 X17", async () => {
  await inWorkspace({ "old.mjs": Deno.readTextFileSync(OLD) }, async ({ ws, home, outside }) => {
    Deno.writeTextFileSync(`${outside}/secret`, "TOPSECRET");
    settings(`${home}/.sandpiper/agent`, { dead: { command: "false" }, old: server(`${ws}/old.mjs`) });
    const call = (name: string, args: unknown, expect: readonly string[] = []) => ({ calls: [{ name, args }], expect });
    const file = cassette(home, [
      call("mcp__old__say", { text: "hello" }),
      call("mcp__old__say", {}, ["hello"]),
      call("mcp__old__fail", {}, ["Validation failed", "text: is required"]),
      call("mcp__old__read", { text: `${outside}/secret` }, ["it went wrong"]),
      { text: "Done." },
    ]);
    const ran = await run(PROGRAM, ["--mode", "json", ...MAY_READ_DENO, "-m", `replay:${file}`, "go"], {
      cwd: ws,
      env: { HOME: home },
    });
    assertEquals(ran.code, 0, ran.stderr);
    const ends = events(ran.stdout).filter(({ type }) => type === "tool_execution_end" || type === "message_end");
    const results = ends.filter(({ message }) => message?.role === "toolResult").map(({ message }) => message);
    assertEquals(results.map(({ toolName, isError }) => [toolName, isError]), [
      ["mcp__old__say", false],
      ["mcp__old__say", true],
      ["mcp__old__fail", true],
      ["mcp__old__read", true],
    ]);
    assert(!ran.stdout.includes("TOPSECRET"));
    assertMatch(ran.stdout + ran.stderr, /MCP server \\?"dead\\?": .*its tools are not there/);
    await until(() => processesWith(`${ws}/old.mjs`).length === 0);
  });
});

test("a project's settings start no server", async () => {
  await inWorkspace({ "old.mjs": Deno.readTextFileSync(OLD) }, async ({ ws, home }) => {
    const mark = `${ws}/started`;
    settings(`${ws}/.sandpiper`, { own: { command: "sh", args: ["-c", `echo > ${mark}`] } });
    const file = cassette(home, [{ text: "Done." }]);
    const ran = await run(PROGRAM, ["-p", "--trust", "-m", `replay:${file}`, "go"], {
      cwd: ws,
      env: { HOME: home },
    });
    assertEquals([ran.code, ran.stdout], [0, "Done.\n"]);
    assertMatch(ran.stderr, /"mcpServers" is only taken from the user's own settings/);
    assert(!Array.from(Deno.readDirSync(ws), ({ name }) => name).includes("started"));
  });
});
