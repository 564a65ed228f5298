import { untouchedFiles } from "../../src/sandbox/names/named_files.ts";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { RequestError } from "@agentclientprotocol/sdk";
import { openSession } from "../../src/session/reopen.ts";
import { serveGated } from "../helpers/gated_server.ts";
import { cassette, FULL_PROGRAM, inWorkspace } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";
import { textReply } from "../helpers/server.ts";
import { acpClient, newSession, prompt } from "./acp_client.ts";
import { rpcClient } from "./rpc_client.ts";

/** Words of the command line and of other protocols, which mean nothing to a client of this one. */
const FOREIGN = /--fork|-C |sandpiper sessions|follow-up|--session-dir/;

/** The error with which a request is answered. */
async function refusal(request: Promise<unknown>): Promise<RequestError> {
  const error = await assertRejects(() => request, RequestError);
  assert(!FOREIGN.test(error.message), error.message);
  return error;
}

Deno.test("acp: what goes wrong with a session is said in the protocol's words", () =>
  inWorkspace({}, async ({ ws, home, outside }) => {
    const file = cassette(home, [{ text: "Done." }]);
    const options = { cwd: home, env: { HOME: home } };
    await using client = acpClient(FULL_PROGRAM, ["-m", `replay:${file}`], options);
    const { sessionId } = await newSession(client, ws);
    await prompt(client, sessionId, "hi");
    const load = (id: string, cwd: string) =>
      client.agent.request("session/load", { sessionId: id, cwd, mcpServers: [] });
    for (const id of ["01a2012f-nobody", "../../x", `${ws}/a.jsonl`, "latest", sessionId.slice(0, 8)]) {
      const error = await refusal(load(id, ws));
      assertEquals([error.code, error.data], [-32002, { sessionId: id }]);
    }
    const elsewhere = await refusal(load(sessionId, outside));
    assertStringIncludes(elsewhere.message, `give that as cwd`);
    assertEquals((await refusal(load(sessionId, `${ws}/none`))).code, -32602);
    assertEquals(
      (await refusal(client.agent.request("session/new", { cwd: `${ws}/none`, mcpServers: [] }))).code,
      -32602,
    );
    assertEquals((await refusal(prompt(client, sessionId, "  "))).code, -32602);
    assertEquals((await refusal(prompt(client, "none", "hi"))).code, -32002);

    // One that another process has open.
    await client.agent.request("session/close", { sessionId });
    const folder = `${home}/.sandpiper/agent/sessions`;
    const [group] = [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`);
    const [path = ""] = [...Deno.readDirSync(group ?? "")].map(({ name }) => `${group}/${name}`);
    const world = { now: Date.now, random: Math.random, files: untouchedFiles, onFailure: () => {} };
    const open = openSession(path, world);
    assertStringIncludes((await refusal(load(sessionId, ws))).message, "session/new");
    open.close();
    await load(sessionId, ws);
    await client.agent.request("session/close", { sessionId });

    Deno.writeTextFileSync(path, "x" + Deno.readTextFileSync(path));
    assertStringIncludes((await refusal(load(sessionId, ws))).message, "session/list");
    await client.agent.request("session/list", {});
    assertStringIncludes((await client.leave()).stderr, path);
  }));

Deno.test("acp: a second prompt is refused with what the protocol has for it, and a wrong start says where to mend it", () =>
  inWorkspace({}, async ({ ws, home }) => {
    await using server = serveGated([[{ gate: "go" }, ...textReply("one")]]);
    const options = { cwd: home, env: { HOME: home } };
    await using client = acpClient(FULL_PROGRAM, ["-m", "any", "--base-url", server.baseUrl], options);
    const { sessionId } = await newSession(client, ws);
    const first = prompt(client, sessionId, "one");
    await until(() => server.requests.length > 0);
    assertStringIncludes((await refusal(prompt(client, sessionId, "two"))).message, "session/cancel");
    server.open("go");
    assertEquals(await first, { stopReason: "end_turn" });

    await using keyless = acpClient(FULL_PROGRAM, ["-m", "gpt-5"], options);
    assertStringIncludes((await refusal(newSession(keyless, ws))).message, "settings of your client");
  }));

Deno.test("rpc: a prompt, steering or follow-up without words and pictures is refused, and nothing begins", () =>
  inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [{ text: "Done." }]);
    await using client = rpcClient(FULL_PROGRAM, ["-m", `replay:${file}`], { cwd: ws, env: { HOME: home } });
    for (const type of ["prompt", "steer", "follow_up"]) {
      for (const message of ["", " \n "]) {
        const { success, error } = await client.ask({ type, message });
        assertEquals(success, false);
        assertStringIncludes(error, "no text and no picture");
      }
    }
    assertEquals(client.lines.filter(({ type }) => type !== "response" && type !== "session"), []);
    assertEquals((await client.ask({ type: "prompt", message: "hi" })).success, true);
    await client.wait(({ type }) => type === "agent_settled");
  }));
