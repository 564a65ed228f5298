// A trial by RPC and by the SDK, from its beginning to what is taken.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createAgent } from "../../src/mod.ts";
import { cassette, FULL_PROGRAM, inWorkspace } from "../helpers/program.ts";
import { isEvent, rpcClient } from "./rpc_client.ts";

const FILES = { "a.txt": "a\n", "b.txt": "b\n" };
const replies = (home: string): string =>
  cassette(home, [{ calls: [{ name: "bash", args: { command: "echo 1 >> a.txt; rm b.txt" } }] }, { text: "done" }]);
const text = (path: string): string => Deno.readTextFileSync(path);

Deno.test("rpc: begin_trial, get_trial and end_trial; what was not taken is kept as a patch", () =>
  inWorkspace(FILES, async ({ ws, home }) => {
    await using client = rpcClient(FULL_PROGRAM, ["-m", `replay:${replies(home)}`], { cwd: ws, env: { HOME: home } });
    const ask = async (command: object) => (await client.ask(command)).data;
    assertEquals(await ask({ type: "get_trial" }), { trial: null });
    const refused = await client.ask({ type: "end_trial" });
    assertStringIncludes(refused.error, "none goes on");
    const { folder, workspace } = await ask({ type: "begin_trial" });
    assertEquals(workspace, ws);
    const from = client.lines.length;
    await ask({ type: "prompt", message: "go" });
    await client.wait(isEvent("agent_settled"), from);
    const { trial, files, patch } = await ask({ type: "get_trial" });
    assertEquals([trial.folder, files.map(({ path }: { path: string }) => path)], [folder, ["a.txt", "b.txt"]]);
    assertStringIncludes(patch, "+1\n");
    assertEquals((await ask({ type: "end_trial", dryRun: true })).isDone, false);
    assertEquals([text(`${ws}/a.txt`), text(`${ws}/b.txt`)], ["a\n", "b\n"]);
    const ended = await ask({ type: "end_trial", paths: ["a.txt"] });
    assertEquals([ended.isDone, ended.misfits], [true, []]);
    assertEquals([text(`${ws}/a.txt`), text(`${ws}/b.txt`)], ["a\n1\n", "b\n"]);
    assertStringIncludes(text(ended.patch), "deleted file mode");
    assertEquals(await ask({ type: "get_trial" }), { trial: null });
  }));

Deno.test("the SDK: an agent that begins in a trial writes its patch when it is closed", () =>
  inWorkspace(FILES, async ({ ws, home }) => {
    const patch = `${home}/p.patch`;
    const env = { HOME: home, PATH: Deno.env.get("PATH") ?? "" };
    const agent = await createAgent({ cwd: ws, env, model: `replay:${replies(home)}`, trial: { patch } });
    try {
      assert(agent.trial(), "none was begun");
      assertEquals(await agent.answer("go"), "done");
    } finally {
      await agent.close();
    }
    assertEquals([text(`${ws}/a.txt`), text(`${ws}/b.txt`), agent.trialResult()?.patch], ["a\n", "b\n", patch]);
    assertStringIncludes(text(patch), "+1\n");
  }));
