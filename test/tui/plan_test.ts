import { type Choice, shownOf } from "../../src/tui/widgets/picker.ts";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { BackgroundView } from "../../src/core/engine.ts";
import { backgroundCommand } from "../../src/tui/commands/background.ts";
import type { CommandContext } from "../../src/tui/commands/command.ts";
import { createAttention } from "../../src/tui/options/attention.ts";
import { until } from "../helpers/until.ts";
import { open } from "./open_app.ts";
import { scriptedEngine } from "./scripted_engine.ts";

const PLAN = { text: "1. write a.ts\n2. test it" };

/** A screen in which a plan has just come. */
async function withPlan() {
  const opened = await open();
  opened.engine.set({ plan: PLAN });
  opened.engine.emit({ type: "plan_update", phase: "proposed", text: PLAN.text });
  const said = await opened.see("Accept the plan? Nothing was written for it so far.");
  return { ...opened, said };
}

const pause = () => new Promise((later) => setTimeout(later, 600)); // a letter counts when nothing was typed for half a second

for (
  const [letter, asked] of [["a", "answerPlan accept"], ["x", "answerPlan leave"]] as const
) {
  Deno.test(`a plan that waits is asked about, and ${letter} answers it`, async () => {
    const { app, engine, said } = await withPlan();
    assertStringIncludes(said, "PLANNING");
    await pause();
    app.input(letter);
    app.input("\r");
    await until(() => engine.asked.includes(asked), () => engine.asked.join());
    app.quit(0);
    await app.done;
  });
}

Deno.test("a plan that is not accepted now can be taken after all", async () => {
  const { app, engine, see } = await withPlan();
  await pause();
  app.input("\x1b");
  await see("Not accepted: say what should be different.");
  assertEquals(engine.asked.filter((line) => line.startsWith("answerPlan")), []);
  for (const key of ["/plan accept", "\r"]) app.input(key);
  await until(() => engine.asked.includes("answerPlan accept"), () => engine.asked.join());
  app.quit(0);
  await app.done;
});

Deno.test("a plan is changed in the editor, and Enter has it carried out as it stands there", async () => {
  const { app, engine, see } = await withPlan();
  await pause();
  app.input("e");
  app.input("\r");
  await see("/plan accept");
  app.input(" twice");
  app.input("\r");
  await until(() => engine.asked.some((line) => line.startsWith("answerPlan accept")), () => engine.asked.join());
  assertEquals(engine.asked.find((line) => line.startsWith("answerPlan")), `answerPlan accept ${PLAN.text} twice`);
  app.quit(0);
  await app.done;
});

Deno.test("the question about a plan goes away when a run begins, and answers nothing", async () => {
  const { app, engine, see } = await withPlan();
  await pause();
  engine.emit({ type: "agent_start" });
  app.input("x");
  assert(!(await see("x")).includes("❯ x"));
  assertEquals(engine.asked.filter((line) => line.startsWith("answerPlan")), []);
  app.quit(0);
  await app.done;
});

const RUNNING: BackgroundView = {
  id: "b1",
  command: "npm run \x1b]0;evil\x07dev",
  startedAt: Date.now() - 65_000,
  tail: "ready\nlistening on 3000",
};

Deno.test("what runs in the background, and how far the list is, stands above the editor; an end is told", async () => {
  const { app, engine, see } = await open();
  engine.set({
    background: [RUNNING],
    todo: [{ text: "look", state: "completed" }, { text: "write it", state: "in_progress" }],
  });
  engine.emit({ type: "background_start", id: "b1", command: RUNNING.command });
  const said = await see("☑ 1 of 2 · write it");
  assertMatch(said, /⚙ b1 npm run dev · \d+m \d\ds · listening on 3000/);
  engine.set({ background: [{ ...RUNNING, exitCode: 3 }] });
  engine.emit({
    type: "background_end",
    id: "b1",
    command: RUNNING.command,
    exitCode: 3,
    tail: "",
    durationMs: 65_000,
  });
  await see("b1 has ended with code 3 after 1m 05s: npm run dev");
  app.quit(0);
  await app.done;
});

Deno.test("/background lists commands, shows what one said last, and stops one", async () => {
  const engine = scriptedEngine();
  const shown: string[] = [];
  const answers = [0, 1, 0, 0];
  const context = {
    engine,
    world: { now: () => RUNNING.startedAt + 65_000 },
    say: (text: string) => void shown.push(text),
    page: (lines: (theme: unknown) => readonly string[]) => {
      const plain = (text: string) => text;
      shown.push(...lines({ strong: plain, dim: plain }));
    },
    pick: (title: string, choices: readonly Choice<unknown>[]) => {
      const lines = choices.map(({ label, detail }) => [shownOf(label), shownOf(detail)].join(" ").trim());
      shown.push(`${title}: ${lines.join(" | ")}`);
      return Promise.resolve(choices[answers.shift() ?? 0]?.value);
    },
  } as unknown as CommandContext;
  await backgroundCommand(context, "");
  engine.set({ background: [{ ...RUNNING, command: "npm run dev" }] });
  await backgroundCommand(context, "");
  await backgroundCommand(context, "");
  await backgroundCommand(context, "stop b7");
  assertEquals(engine.asked, ["stopBackground b1", "stopBackground b7"]);
  const list = "Commands in the background: b1  npm run dev running for 1m 05s";
  const choice = "b1 is running: Show its last lines | Stop it";
  assertEquals(shown, [
    "Nothing was started in the background",
    ...[list, choice, list, choice],
    ...["b1  npm run dev", "running for 1m 05s", "  ready", "  listening on 3000"],
  ]);
});

Deno.test("nobody is called while the terminal has the focus; OSC 777 takes no field and no end from a text", () => {
  let written = "";
  const attention = createAttention("osc777", (text) => written += text);
  attention.asks("a;b\x07\x1b]0;c");
  assertEquals(written, "\x1b]777;notify;sandpiper;a,b\x07");
  attention.hasFocus(true);
  attention.asks("again");
  assertEquals(written.split("777").length, 2);
  attention.hasFocus(false);
  attention.asks("again");
  assertEquals(written.split("777").length, 3);
});
