import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { serveGated } from "../helpers/gated_server.ts";
import { FULL_PROGRAM, inWorkspace } from "../helpers/program.ts";
import { callReply, textReply } from "../helpers/server.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";
import { acpClient, newSession, prompt } from "./acp_client.ts";
import { installProgram } from "./pi_client.ts";

// The adapter that runs pi in editors, which nobody here wrote. Here it starts sandpiper in the place of pi.
const installed = await installProgram("pi-acp", "0.0.34", "dist/index.js");
if ("why" in installed) console.log(`rpc is not tested with pi-acp: ${installed.why}`);

Deno.test({
  name: "pi-acp: prompts, tool calls, permission prompts, cancelling, models and thinking levels work",
  ignore: "why" in installed || CONFINED.length === 0,
  fn: () =>
    inWorkspace({ "a.txt": "alpha" }, async ({ ws, home, outside }) => {
      if ("why" in installed) return;
      const write = (name: string) => callReply({ name: "write", args: { path: `${outside}/${name}`, content: "x" } });
      await using server = serveGated([
        textReply("Hello."),
        callReply({ name: "read", args: { path: "a.txt" } }),
        textReply("It says alpha."),
        write("yes/a.txt"),
        textReply("Written."),
        write("no/a.txt"),
        textReply("Not written."),
        [...textReply("Wait").slice(0, 1), { gate: "never" }],
        textReply("After."),
      ]);
      for (const name of ["yes", "no"]) Deno.mkdirSync(`${outside}/${name}`);
      const pi = join(home, "pi");
      const words = [...FULL_PROGRAM.command, "-m", "any", "--base-url", server.baseUrl];
      Deno.writeTextFileSync(pi, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(" ")} "$@"\n`);
      Deno.chmodSync(pi, 0o755);
      let allowed = 0;
      const program = { name: "pi-acp", command: ["node", installed.path] };
      await using client = acpClient(program, [], {
        cwd: ws,
        env: { HOME: home, PI_ACP_PI_COMMAND: pi },
        answer: ({ options }) => {
          const option = allowed++ === 0 ? options[0] : options.find(({ name }) => name === "No");
          return { outcome: "selected", optionId: option?.optionId ?? "" };
        },
      });
      // deno-lint-ignore no-explicit-any -- the adapter's answers have fields of older revisions
      const session: any = await newSession(client, ws);
      const { sessionId, modes, configOptions } = session;
      assertEquals(modes.currentModeId, "off");
      const [model] = configOptions;
      assertEquals([model.id, model.currentValue], ["model", "openai/any"]);
      const say = async (text: string): Promise<string> => {
        const from = client.updates.length;
        const { stopReason } = await prompt(client, sessionId, text);
        const said = client.updates.slice(from).map((update) =>
          update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : ""
        ).join("");
        return `${said} (${stopReason})`;
      };
      assertMatch(await say("hi"), /Hello\. \(end_turn\)$/);
      assertMatch(await say("read"), /It says alpha\. \(end_turn\)$/);
      const call = await client.wait((update) =>
        update.sessionUpdate === "tool_call_update" && update.status === "completed"
      );
      assert(JSON.stringify(call).includes("alpha"), JSON.stringify(call));
      assertMatch(await say("write"), /Written\. \(end_turn\)$/);
      assertMatch(await say("write again"), /Not written\. \(end_turn\)$/);
      assertEquals(client.permissions.length, 2);
      assertMatch(client.permissions[0]?.toolCall.title ?? "", /^write wants to write .*\/yes\/a\.txt/);
      const there = (name: string) => Array.from(Deno.readDirSync(`${outside}/${name}`)).length;
      assertEquals([there("yes"), there("no")], [1, 0]);

      const from = client.updates.length;
      const stopped = prompt(client, sessionId, "wait");
      await client.wait((update) => update.sessionUpdate === "agent_message_chunk", from);
      await client.agent.notify("session/cancel", { sessionId });
      assertEquals((await stopped).stopReason, "cancelled");
      assertMatch(await say("go on"), /After\. \(end_turn\)$/);

      await client.agent.request("session/set_mode", { sessionId, modeId: "high" });
      await client.wait((update) => update.sessionUpdate === "current_mode_update" && update.currentModeId === "high");
    }),
});
