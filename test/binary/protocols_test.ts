import { assert, assertEquals, assertMatch } from "@std/assert";
import { dirname, fromFileUrl } from "@std/path";
import { acpClient, newSession, prompt } from "../e2e/acp_client.ts";
import { isEvent, rpcClient } from "../e2e/rpc_client.ts";
import { BINARY, cassette, events, inWorkspace, run } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";
import { reachableDeno } from "../sandbox/reachable.ts";
import { CONFINED, processesWith } from "../sandbox/shell_fixture.ts";

const READING = [{ calls: [{ name: "read", args: { path: "a.txt" } }] }, { text: "It is alpha.", expect: ["alpha"] }];

Deno.test("binary: --mode rpc tells its state, runs a prompt and ends with its input R274", async () => {
  await inWorkspace({ "a.txt": "alpha" }, async ({ ws, home }) => {
    const args = ["-m", `replay:${cassette(home, READING)}`];
    await using client = rpcClient(BINARY, args, { cwd: ws, env: { HOME: home } });
    const { success, data } = await client.ask({ type: "get_state" });
    assertEquals([success, data.cwd, data.isStreaming, data.messageCount], [true, ws, false, 0]);
    await client.ask({ type: "prompt", message: "what is in a.txt?" });
    await client.wait(isEvent("agent_settled"));
    assertEquals((await client.ask({ type: "get_last_assistant_text" })).data, { text: "It is alpha." });
    const { output, exitCode } = (await client.ask({ type: "bash", command: "cat a.txt" })).data;
    assertEquals([output, exitCode], ["alpha", 0]);
    await client.closeInput();
    assertEquals(await client.ended(), { code: 0, stderr: "" });
  });
});

Deno.test("binary: acp opens a session for the protocol's own client and answers a prompt X19 X20", async () => {
  await inWorkspace({ "a.txt": "alpha" }, async ({ ws, home }) => {
    const args = ["-m", `replay:${cassette(home, READING)}`];
    await using client = acpClient(BINARY, args, { cwd: ws, env: { HOME: home } });
    const { sessionId } = await newSession(client, ws);
    assertEquals(await prompt(client, sessionId, "what is in a.txt?"), { stopReason: "end_turn" });
    const kinds = new Set(client.updates.map(({ sessionUpdate }) => sessionUpdate));
    assert(kinds.has("tool_call") && kinds.has("agent_message_chunk"), [...kinds].join());
    assertEquals((await client.leave()).code, 0);
  });
});

Deno.test({
  name: "binary: an MCP server's tool is called in a session, confined like everything else X16 X17",
  ignore: CONFINED.length === 0,
  fn: async () => {
    const script = Deno.readTextFileSync(fromFileUrl(new URL("../mcp/servers/old.mjs", import.meta.url)));
    await inWorkspace({ "old.mjs": script }, async ({ ws, home, outside }) => {
      Deno.writeTextFileSync(`${outside}/secret`, "TOPSECRET");
      const server = {
        command: reachableDeno(),
        args: ["run", "-A", "--no-config", "--no-lock", `${ws}/old.mjs`, "plain"],
      };
      Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
      Deno.writeTextFileSync(
        `${home}/.sandpiper/agent/settings.json`,
        JSON.stringify({ mcpServers: { old: server } }),
      );
      const file = cassette(home, [
        { calls: [{ name: "mcp__old__say", args: { text: "hello" } }] },
        { calls: [{ name: "mcp__old__read", args: { text: `${outside}/secret` } }], expect: ["hello"] },
        { text: "Done." },
      ]);
      const mayReadDeno = `--allow-read=.,${dirname(reachableDeno())}`;
      const ran = await run(BINARY, ["--mode", "json", mayReadDeno, "-m", `replay:${file}`, "go"], {
        cwd: ws,
        env: { HOME: home },
      });
      assertEquals([ran.code, ran.stderr], [0, ""]);
      const ends = events(ran.stdout).filter(({ type }) => type === "tool_execution_end");
      assertEquals(ends.map(({ toolName, isError }) => [toolName, isError]), [
        ["mcp__old__say", false],
        ["mcp__old__read", true],
      ]);
      assertMatch(JSON.stringify(ends[0]), /hello/);
      assert(!ran.stdout.includes("TOPSECRET"));
      await until(() => processesWith(`${ws}/old.mjs`).length === 0);
    });
  },
});
