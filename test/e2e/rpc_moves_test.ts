import { assertEquals } from "@std/assert";
import { serveGated } from "../helpers/gated_server.ts";
import { FULL_PROGRAM, inWorkspace } from "../helpers/program.ts";
import { textReply } from "../helpers/server.ts";
import { isEvent, rpcClient } from "./rpc_client.ts";

const GUARD = `export default (sp) => {
  let isOpen = false;
  const ask = () => ({ cancel: !isOpen });
  for (const event of ["session_before_switch", "session_before_fork", "session_before_tree"]) sp.on(event, ask);
  for (const event of ["model_select", "thinking_level_select"]) {
    sp.on(event, ({ source }, ctx) => ctx.ui.notify(event + " " + source));
  }
  sp.registerCommand("allow", { handler: () => void (isOpen = true) });
};\n`;

Deno.test("rpc: a move that a handler forbids leaves the run alone, and one that nobody forbids stops it R221 R222 R269", async () => {
  await inWorkspace({ "guard.ts": GUARD }, async ({ ws, home }) => {
    await using server = serveGated([
      textReply("One."),
      [...textReply("Beginning").slice(0, 1), { gate: "on" }, ...textReply(" and end")],
      [...textReply("Beginning").slice(0, 1), { gate: "never" }],
    ]);
    const args = ["-m", "any", "--base-url", server.baseUrl, "-e", "guard.ts"];
    await using client = rpcClient(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
    const settled = isEvent("agent_settled");
    await client.send({ type: "prompt", message: "first" });
    await client.wait(settled);
    const { messages: [said] } = (await client.ask({ type: "get_fork_messages" })).data;
    const { sessionFile } = (await client.ask({ type: "get_state" })).data;
    const moves = [
      { type: "new_session" },
      { type: "switch_session", sessionPath: sessionFile },
      { type: "fork", entryId: said.entryId },
      { type: "clone" },
      { type: "navigate_tree", targetId: said.entryId },
    ];
    let from = client.lines.length;
    await client.send({ type: "prompt", message: "second" });
    await client.wait(isEvent("message_update"), from);
    for (const move of moves) assertEquals((await client.ask(move)).data.cancelled, true, move.type);
    assertEquals((await client.ask({ type: "get_state" })).data.isStreaming, true);
    server.open("on");
    assertEquals((await client.wait(settled, from)).aborted, false);
    await client.ask({ type: "prompt", message: "/allow" });
    from = client.lines.length;
    await client.send({ type: "prompt", message: "third" });
    await client.wait(isEvent("message_update"), from);
    assertEquals((await client.ask(moves[0] ?? {})).data.cancelled, false);
    assertEquals((await client.wait(settled, from)).aborted, true);
  });
});

Deno.test("rpc: handlers are told that the next model and the next thinking level were gone on to R220", async () => {
  await inWorkspace({ "guard.ts": GUARD }, async ({ ws, home }) => {
    Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
    const settings = JSON.stringify({ models: { one: {}, two: {} } });
    Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, settings);
    await using server = serveGated([textReply("One.")]);
    const args = ["-m", "one", "--base-url", server.baseUrl, "-e", "guard.ts"];
    await using client = rpcClient(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
    const told = async (text: string): Promise<unknown> => await client.wait((line) => line.message === text);
    assertEquals((await client.ask({ type: "cycle_model" })).data.model.id, "two");
    await told("model_select cycle");
    await client.ask({ type: "cycle_thinking_level" });
    await told("thinking_level_select cycle");
    await client.ask({ type: "set_thinking_level", level: "high" });
    await told("thinking_level_select set");
  });
});

Deno.test("rpc: a new session keeps the one that it is said to come from", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    await using server = serveGated([textReply("One."), textReply("Two.")]);
    const args = ["-m", "any", "--base-url", server.baseUrl];
    await using client = rpcClient(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
    const say = async (message: string): Promise<string> => {
      const from = client.lines.length;
      await client.send({ type: "prompt", message });
      await client.wait(isEvent("agent_settled"), from);
      return (await client.ask({ type: "get_state" })).data.sessionFile;
    };
    const parentSession = await say("first");
    assertEquals((await client.ask({ type: "new_session", parentSession })).data, { cancelled: false });
    const [head = ""] = Deno.readTextFileSync(await say("second")).split("\n");
    assertEquals(JSON.parse(head).parentSession, parentSession);
    assertEquals((await client.ask({ type: "new_session", parentSession: 1 })).success, false);
  });
});
