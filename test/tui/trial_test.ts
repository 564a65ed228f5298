// /trial on a real session; what the person chooses comes from a list.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { stripControls } from "../../src/core/support/text.ts";
import { type Choice, type PickOptions, shownOf } from "../../src/tui/widgets/picker.ts";
import type { CommandContext } from "../../src/tui/commands/command.ts";
import { trialCommand } from "../../src/tui/commands/trial.ts";
import { sandboxGlance } from "../../src/tui/options/sandbox_glance.ts";
import { themeOf } from "../../src/tui/screen/theme.ts";
import { type Session, withSession } from "../engine/world.ts";

const OPTIONS = {
  files: { "a.txt": "one\n", "b.txt": "two\n" },
  replies: [
    {
      calls: [{
        name: "bash",
        args: { command: "echo more >> a.txt; echo $'\\e[31mred' > b.txt; printf '\\0' > $'c\\e[2J'; chmod +x b.txt" },
      }],
    },
    { text: "done" },
  ],
};

/** Runs /trial; `answers`: how the labels begin that are chosen, one after the other, with Space where that is said. What was shown. */
async function trial({ engine }: Session, ...answers: readonly string[]): Promise<string> {
  const shown: string[] = [];
  const left = [...answers];
  // Only what this command uses.
  const context = {
    engine,
    page: (lines: Parameters<CommandContext["page"]>[0]) => void shown.push(...lines(themeOf("none"))),
    say: (text: string) => void shown.push(text),
    pick: <T>(title: string, choices: readonly Choice<T>[], { mark }: PickOptions<T> = {}) => {
      for (;;) {
        shown.push(`${title}: ${choices.map(({ label }) => shownOf(label)).join(" | ")}`);
        const answer = left.shift();
        const start = answer?.replace(/^Space on /, "");
        const value = choices.find(({ label }) => start !== undefined && shownOf(label).startsWith(start))?.value;
        if (start === answer || value === undefined) return Promise.resolve(value);
        mark?.(value);
      }
    },
  } as unknown as CommandContext;
  await trialCommand(context, "");
  return shown.join("\n");
}

const text = (path: string): string => Deno.readTextFileSync(path);

Deno.test("/trial begins one, shows the diff without what could steer a terminal, and takes the files that were marked", () =>
  withSession(OPTIONS, async (session) => {
    const { engine, ws } = session;
    assertMatch(
      await trial(session),
      /^Trial: tools work on a private copy of .*2 files.*The workspace stays as it is/,
    );
    assertStringIncludes(sandboxGlance(engine.state().policy), "TRIAL");
    await session.say("go");
    const on = await trial(session, "Go on");
    assertStringIncludes(on, "The trial has changed 3 files");
    assertStringIncludes(on, "changed +1 −1, becomes executable");
    assertStringIncludes(on, "+more");
    assertStringIncludes(
      on,
      "The trial: Go on with it | Take all: 3 files | Take some files | Take nothing and end it",
    );
    assertStringIncludes(stripControls(on), "\n one\n+more\n");
    for (const steers of ["\x1b[31m", "\x1b[2J", "literal", "index "]) assert(!on.includes(steers), steers);
    assert(engine.trial());
    const left = await trial(
      session,
      "Take some",
      "Space on [ ] a.txt",
      "Space on [x] a.txt",
      "Nothing is marked",
      "[ ] b.txt",
      "Space on [ ] b.txt",
    );
    assertEquals(left.split("Nothing is marked: Space marks a file").length, 3);
    assertStringIncludes(left, "[x] b.txt");
    assert(engine.trial(), "Esc leaves it going on");
    const some = await trial(session, "Take some", "Space on [ ] a.txt", "[ ] b.txt");
    assertStringIncludes(some, "Taken into the workspace: 1 file. The trial has ended");
    assertEquals([text(`${ws}/a.txt`), text(`${ws}/b.txt`), engine.trial()], ["one\nmore\n", "two\n", undefined]);
    assert(!sandboxGlance(engine.state().policy).includes("TRIAL"));
  }));

Deno.test("/trial that does not fit says where, takes nothing and goes on; nothing can be taken and all", () =>
  withSession(OPTIONS, async (session) => {
    const { engine, ws } = session;
    await trial(session);
    await session.say("go");
    Deno.writeTextFileSync(`${ws}/a.txt`, "mine\n");
    const all = await trial(session, "Take all");
    assertStringIncludes(all, "Nothing was taken, and the trial goes on");
    assertStringIncludes(all, "a.txt, @@ -1 +1,2 @@: these lines are not as they were");
    assertEquals([text(`${ws}/b.txt`), engine.trial() !== undefined], ["two\n", true]);
    assertStringIncludes(await trial(session, "Take nothing"), "the workspace is as it was");
    assertEquals([text(`${ws}/a.txt`), text(`${ws}/b.txt`)], ["mine\n", "two\n"]);
    assertStringIncludes(text(engine.trialResult()?.patch ?? ""), "+more");
  }));
