// The commands on a real session; what the person chooses comes from a list.
import { assertEquals, assertRejects } from "@std/assert";
import { UserError } from "../../src/core/error.ts";
import type { CommandContext } from "../../src/tui/commands/command.ts";
import { treeCommand } from "../../src/tui/commands/session.ts";
import { filesThere, redoCommand, undoCommand } from "../../src/tui/commands/undo.ts";
import { stripControls } from "../../src/core/support/text.ts";
import { themeOf } from "../../src/tui/screen/theme.ts";
import { type Session, withSession } from "../engine/world.ts";
import { cutOffApply } from "../trial/trees.ts";

const bash = (command: string) => ({ calls: [{ name: "bash", args: { command } }] });
const OPTIONS = {
  files: { "src/a.ts": "one\n" },
  replies: [bash("echo two >> src/a.ts; echo new > new.txt"), { text: "done" }, bash("rm -rf src"), { text: "done" }],
};

/** A context whose lists are answered, one after the other, by the place of a choice from the end; and what was shown. */
function contextOf({ engine }: Session, answers: readonly number[]) {
  const shown: string[] = [];
  const left = [...answers];
  // Only what these commands use.
  const context = {
    engine,
    world: { now: () => Date.now() },
    page: (lines: Parameters<CommandContext["page"]>[0]) =>
      void shown.push(...lines(themeOf("dark")).map(stripControls)),
    say: (text: string) => void shown.push(text),
    write: (text: string) => void shown.push(`editor: ${text}`),
    pick: (title: string, choices: readonly { label: string; value: unknown }[]) => {
      shown.push(`${title}: ${choices.map(({ label }) => label).join(" | ")}`);
      const answer = left.shift();
      return Promise.resolve(answer === undefined ? undefined : choices.at(answer)?.value);
    },
  } as unknown as CommandContext;
  return { context, shown };
}

function read(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}

Deno.test("/undo asks nothing where nothing can be put back: the copy of a trial is gone", () =>
  withSession(OPTIONS, async (session) => {
    await session.engine.beginTrial();
    await session.say("first");
    await session.engine.endTrial({});
    const { context, shown } = contextOf(session, [0]);
    await undoCommand(context);
    assertEquals(shown.slice(0, 2), ["Files as they were before: first", "This would leave as it is"]);
    assertEquals(shown.at(-1), "Nothing can be put back");
  }));

Deno.test("/undo in a trial says that the trial has to end before what was changed ahead of it comes back", () =>
  withSession(OPTIONS, async (session) => {
    await session.say("first");
    await session.engine.beginTrial();
    const { context, shown } = contextOf(session, [0]);
    await undoCommand(context);
    assertEquals(shown.at(-1), "Nothing can be put back while the trial goes on; /trial ends it");
  }));

Deno.test("/undo names a folder only where nothing in it is named", () =>
  withSession(
    { files: {}, replies: [bash("mkdir -p a/b empty && echo x > a/b/c.txt"), { text: "done" }] },
    async (session) => {
      await session.engine.undoPoints();
      await session.say("make");
      const { context, shown } = contextOf(session, [0]);
      await undoCommand(context);
      assertEquals(shown.slice(1), [
        "This would",
        "  remove a/b/c.txt",
        "  remove empty/",
        "Put them back?: No | Yes: 1 file and 1 folder",
        "Nothing was put back",
      ]);
    },
  ));

Deno.test("/undo lists no message that changed no file, and names what is left once for each reason", () =>
  withSession(
    {
      files: {},
      replies: [{ text: "just words" }, bash("echo a > a.txt; echo b > b.txt; echo c > c.txt"), { text: "done" }],
    },
    async (session) => {
      const { engine, ws } = session;
      await engine.undoPoints();
      await session.say("talk");
      await assertRejects(() => undoCommand(contextOf(session, []).context), UserError, "There is nothing to undo");
      await session.say("make");
      for (const name of ["a.txt", "b.txt"]) Deno.writeTextFileSync(`${ws}/${name}`, "mine\n");
      const { context, shown } = contextOf(session, [0, 1]);
      await undoCommand(context);
      assertEquals(shown, [
        "Files as they were before: make",
        "This would",
        "  remove c.txt",
        "and leave",
        "  somebody else changed it since:",
        "    a.txt",
        "    b.txt",
        "Put them back?: No | Yes: 1 file | Also overwrite 2 files that somebody else changed",
        "Put back: 1 file",
        "Each of 2 files is left as it is: somebody else changed it since: a.txt, b.txt",
      ]);
    },
  ));

Deno.test("/undo takes a patch back that was applied in part, before anything else", () =>
  withSession({ ...OPTIONS, files: { "a.txt": "a\n", "b.txt": "b\n" } }, async (session) => {
    const { ws, home } = session;
    cutOffApply(ws, home);
    const { context, shown } = contextOf(session, [1]);
    assertEquals(await filesThere(context, "any"), false);
    await undoCommand(context);
    assertEquals([read(`${ws}/a.txt`), read(`${ws}/b.txt`), read(`${ws}/made.txt`)], ["a\n", "b\n", undefined]);
    assertEquals(shown.at(-1), "Put back: 2 files");
    assertEquals(shown.filter((line) => line.includes("was cut off in the middle")).length, 1);
    assertEquals(shown.filter((line) => line.startsWith("  ")), ["  remove made.txt", "  restore a.txt"]);
  }));

Deno.test("/undo lists messages, shows what it would do, and does it when it is told to", () =>
  withSession(OPTIONS, async (session) => {
    await session.engine.undoPoints(); // the first look has ended
    await session.say("first");
    await session.say("second");
    const no = contextOf(session, [0, 0]);
    await undoCommand(no.context);
    assertEquals(no.shown, [
      "Files as they were before: first | second",
      "This would",
      "  remove new.txt",
      "  restore src/a.ts",
      "Put them back?: No | Yes: 2 files",
      "Nothing was put back",
    ]);
    assertEquals(read(`${session.ws}/new.txt`), "new\n");
    const yes = contextOf(session, [0, -1]);
    await undoCommand(yes.context);
    assertEquals(yes.shown.at(-1), "Put back: 2 files");
    assertEquals([read(`${session.ws}/src/a.ts`), read(`${session.ws}/new.txt`)], ["one\n", undefined]);
    const not = contextOf(session, [0]);
    await redoCommand(not.context);
    assertEquals([not.shown.slice(-2), read(`${session.ws}/new.txt`)], [
      ["Put them back?: No | Yes: 2 files", "Nothing was put back"],
      undefined,
    ]);
    const again = contextOf(session, [-1]);
    await redoCommand(again.context);
    assertEquals(again.shown.at(-1), "Put back: 2 files");
    assertEquals([read(`${session.ws}/src`), read(`${session.ws}/new.txt`)], [undefined, "new\n"]);
    const error = await assertRejects(() => redoCommand(again.context), UserError);
    assertEquals(error.what, "There is nothing to redo");
  }));

Deno.test("/tree offers the files as they were at the entry that is gone to", () =>
  withSession(OPTIONS, async (session) => {
    await session.engine.undoPoints(); // the first look has ended
    await session.say("first");
    await session.say("second");
    // The second message: leave the branch as it is, put the files back.
    const second = contextOf(session, [-2, 0, -1]);
    await treeCommand(second.context);
    assertEquals(second.shown.slice(-2), ["Put back: 1 file", "editor: second"]);
    assertEquals(read(`${session.ws}/src/a.ts`), "one\ntwo\n");
    const first = contextOf(session, [0, 0, 0]);
    await treeCommand(first.context);
    assertEquals(read(`${session.ws}/src/a.ts`), "one\ntwo\n", "the files were to be left");
  }));
