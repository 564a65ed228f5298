import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { createAgent } from "../../src/mod.ts";
import { cassette, events, inWorkspace, PROGRAM, run } from "../helpers/program.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";
import { acpClient, newSession, prompt } from "./acp_client.ts";
import { rpcClient } from "./rpc_client.ts";

const write = { name: "write", args: { path: "new.txt", content: "made" } };
const bash = (command: string, more: object = {}) => ({ name: "bash", args: { command, ...more } });

Deno.test("-p --plan prints the plan and writes nothing; the session plans on until --no-plan", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [{ calls: [write, bash("echo x > x.txt; touch y.txt")] }, {
      text: "1. write new.txt",
    }]);
    const place = { cwd: ws, env: { HOME: home } };
    const model = ["-m", `replay:${file}`];
    const { code, stdout, stderr } = await run(PROGRAM, ["-p", "--plan", ...model, "make it"], place);
    assertEquals([code, stdout, [...Deno.readDirSync(ws)]], [0, "1. write new.txt\n", []], stderr);
    const again = await run(PROGRAM, ["-p", "-c", ...model, "go"], place);
    assertEquals([again.code, [...Deno.readDirSync(ws)]], [0, []]);
    const done = ["-m", `replay:${cassette(ws, [{ calls: [write] }, { text: "done" }])}`];
    const carried = await run(PROGRAM, ["-p", "-c", "--no-plan", ...done, "carry it out"], place);
    assertEquals([carried.code, Deno.readTextFileSync(`${ws}/new.txt`)], [0, "made"], carried.stderr);
    for (const more of [["--require", "true"], ["--output-schema", "x.json"], ["--no-plan"]]) {
      const refused = await run(PROGRAM, ["-p", "--plan", ...more, ...model, "x"], place);
      assertEquals(refused.code, 2, refused.stderr);
      assertStringIncludes(refused.stderr, "--plan cannot be combined with");
    }
  });
});

Deno.test("policy --plan and prompt --plan show what holds while a session plans", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const place = { cwd: ws, env: { HOME: home } };
    const asked = async (...args: string[]) => {
      const { code, stdout, stderr } = await run(PROGRAM, args, place);
      assertEquals(code, 0, stderr);
      return stdout;
    };
    const [whole, narrow] = [await asked("policy", "--json"), await asked("policy", "--json", "--plan")].map((text) =>
      JSON.parse(text)
    );
    assert(whole.write.list.includes(ws) && whole.tools.includes("write") && narrow.read.list.includes(ws));
    assertEquals([narrow.write, narrow.net], [{ all: false, list: [] }, { all: false, list: [] }]);
    assertEquals(narrow.tools, whole.tools.filter((name: string) => name !== "write" && name !== "edit"));
    assertStringIncludes(await asked("policy", "--plan"), "until a plan is accepted");
    assertStringIncludes(await asked("prompt", "--dynamic", "--plan"), "## Planning");
    assertStringIncludes(await asked("prompt", "--section", "plan_mode", "--plan"), "The user wants a plan first");
    // What a provider has in its cache is the same; the clock is not among it.
    assertEquals(await asked("prompt", "--stable", "--plan"), await asked("prompt", "--stable"));
    const refused = await run(PROGRAM, ["policy", "--plan", "--no-plan"], place);
    assertEquals(refused.code, 2, refused.stdout);
  });
});

Deno.test("rpc: a plan is begun, proposed, changed and carried out", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [
      { calls: [write] },
      { text: "the plan" },
      { calls: [write], expect: ["the plan, changed"] },
      { text: "done" },
    ]);
    await using client = rpcClient(PROGRAM, ["-m", `replay:${file}`], { cwd: ws, env: { HOME: home } });
    const early = await client.ask({ type: "answer_plan", answer: "accept" });
    assertEquals(early.success, false);
    assertEquals((await client.ask({ type: "start_plan" })).success, true);
    await client.ask({ type: "prompt", message: "go" });
    const proposed = await client.wait(({ type, phase }) => type === "plan_update" && phase === "proposed");
    assertEquals(proposed.text, "the plan");
    assert(client.lines.indexOf(proposed) > client.lines.findIndex(({ type }) => type === "agent_settled"));
    assertEquals((await client.ask({ type: "get_state" })).data.plan, { text: "the plan" });
    assertEquals([...Deno.readDirSync(ws)], []);
    const from = client.lines.length;
    const accepted = await client.ask({ type: "answer_plan", answer: "accept", text: "the plan, changed" });
    assertEquals(accepted.data, { disposition: "started" });
    await client.wait(({ type }) => type === "agent_settled", from);
    assertEquals(Deno.readTextFileSync(`${ws}/new.txt`), "made");
    assertEquals((await client.ask({ type: "get_state" })).data.plan, undefined);
  });
});

Deno.test("acp: the mode plan holds tools to reading; the client is asked about the plan, and a yes carries it out", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [
      { calls: [write] },
      { text: "plan one" },
      { text: "plan two" },
      { calls: [write] },
      { text: "done" },
    ]);
    let asked = 0;
    await using client = acpClient(PROGRAM, ["-m", `replay:${file}`], {
      cwd: ws,
      env: { HOME: home },
      answer: () => ({ outcome: "selected", optionId: asked++ === 0 ? "refuse" : "accept" }),
    });
    const { sessionId, modes } = await newSession(client, ws);
    assertEquals([modes?.currentModeId, modes?.availableModes.map(({ id }) => id)], ["default", ["default", "plan"]]);
    await assertRejects(() => client.agent.request("session/set_mode", { sessionId, modeId: "yolo" }), Error);
    await client.agent.request("session/set_mode", { sessionId, modeId: "plan" });
    await client.wait((update) => update.sessionUpdate === "current_mode_update" && update.currentModeId === "plan");
    await prompt(client, sessionId, "go");
    assertEquals([asked, [...Deno.readDirSync(ws)]], [1, []]);
    const from = client.updates.length;
    assertEquals(await prompt(client, sessionId, "another way"), { stopReason: "end_turn" });
    await client.wait(
      (update) => update.sessionUpdate === "current_mode_update" && update.currentModeId === "default",
      from,
    );
    assertEquals(Deno.readTextFileSync(`${ws}/new.txt`), "made");
    assertEquals(client.permissions.map(({ toolCall }) => toolCall.kind), ["switch_mode", "switch_mode"]);
    await client.agent.request("session/set_mode", { sessionId, modeId: "plan" });
    await client.agent.request("session/set_mode", { sessionId, modeId: "default" });
  });
});

Deno.test("createAgent({ plan }) plans, and answerPlan() has it carried out", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const model = `replay:${cassette(home, [{ text: "the plan" }, { calls: [write] }, { text: "done" }])}`;
    const env = { HOME: home, PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin" };
    await using agent = await createAgent({ cwd: ws, model, env, plan: true });
    assertEquals([await agent.answer("go"), agent.state().plan], ["the plan", { text: "the plan" }]);
    assertEquals((await agent.answerPlan({ kind: "accept" }))?.kind, "run");
    assertEquals(Deno.readTextFileSync(`${ws}/new.txt`), "made");
  });
});

if (CONFINED.length > 0) {
  Deno.test("what became of commands in the background is in events, report and audit, and what still ran is told", async () => {
    await inWorkspace({}, async ({ ws, home }) => {
      const file = cassette(home, [
        { calls: [bash("echo bad; exit 3", { background: true }), bash("exec sleep 3201", { background: true })] },
        { calls: [{ name: "bash_output", args: { id: "b1", wait: 60 } }] },
        { text: "done" },
      ]);
      const place = { cwd: ws, env: { HOME: home } };
      const ran = await run(
        PROGRAM,
        ["--mode", "json", "--report", `${home}/report.md`, "-m", `replay:${file}`, "go"],
        place,
      );
      assertEquals(ran.code, 0, ran.stderr);
      const all = events(ran.stdout);
      const of = (type: string) => all.filter((event) => event.type === type);
      assertEquals(of("background_start").map(({ id }) => id), ["b1", "b2"]);
      assertEquals(of("background_end").map(({ id, exitCode, tail }) => [id, exitCode, tail]), [["b1", 3, "bad"]]);
      // deno-lint-ignore no-explicit-any -- a documented line
      const commands: any[] = of("run_report")[0].commands;
      assertEquals(commands.map(({ background, exitCode }) => [background, exitCode]), [["b1", 3], ["b2", undefined]]);
      const report = Deno.readTextFileSync(`${home}/report.md`);
      assertMatch(report, /`exec sleep 3201` \(background `b2`\) \| still running when the run ended/);
      assertMatch(ran.stderr, /b2 ran in the background and was ended with the session: exec sleep 3201/);
      const audit = `${home}/.sandpiper/agent/audit`;
      const [name = ""] = [...Deno.readDirSync(audit)].map(({ name }) => name);
      const lines = Deno.readTextFileSync(`${audit}/${name}`).trim().split("\n").map((line) => JSON.parse(line));
      assertEquals(
        lines.filter(({ tool }) => tool === "background").map(({ callId, outcome }) => [callId, outcome]),
        [["b1", "error"], ["b2", "error"]],
      );
    });
  });
}
