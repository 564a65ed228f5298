// A trial that begins and ends in an open session: what is taken, what is kept, where tools work before and after.
import { until } from "../../helpers/until.ts";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { UserError } from "../../../src/core/error.ts";
import { withSession } from "../world.ts";

const bash = (command: string) => ({ calls: [{ name: "bash", args: { command } }] });
const FILES = { "a.txt": "a\n", "b.txt": "b\n", "sub/c.txt": "c\n" };
const text = (path: string): string => Deno.readTextFileSync(path);

Deno.test("a trial of an open session: some files are taken, of the rest a patch is kept, tools are back", () =>
  withSession({
    files: FILES,
    replies: [
      bash("echo 1 >> a.txt; echo 2 >> b.txt; mv sub/c.txt d.txt; pwd"),
      { text: "one" },
    ],
  }, async ({ engine, ws, say }) => {
    assertEquals(engine.trial(), undefined);
    await assertRejects(() => engine.trialChanges(), UserError, "There is no trial");
    const { folder, workspace, cost } = await engine.beginTrial();
    assertEquals([workspace, cost.files, engine.state().policy.root], [ws, 3, folder]);
    await assertRejects(() => engine.beginTrial(), UserError, "one goes on already");
    assertEquals(await say("go"), "one");
    assertStringIncludes(engine.compiled().full, `a private copy, ${folder}, of ${ws}`);
    assertStringIncludes(engine.compiled().full, `Current working directory: ${folder}`);
    assertEquals([text(`${ws}/a.txt`), text(`${ws}/b.txt`)], ["a\n", "b\n"]);
    const { files, patch } = await engine.trialChanges();
    assertEquals(files.map(({ path, kind, from }) => [path, kind, from]), [
      ["a.txt", "changed", undefined],
      ["b.txt", "changed", undefined],
      ["d.txt", "moved", "sub/c.txt"],
    ]);
    assertStringIncludes(patch, "rename from sub/c.txt");
    // Somebody works in the workspace meanwhile.
    Deno.writeTextFileSync(`${ws}/a.txt`, "mine\n");
    const all = await engine.endTrial();
    assertEquals([all.isDone, all.misfits.map(({ path }) => path)], [false, ["a.txt"]]);
    assert(engine.trial(), "it goes on");
    assertEquals([text(`${ws}/a.txt`), text(`${ws}/b.txt`)], ["mine\n", "b\n"]);
    assertEquals((await engine.endTrial({ paths: ["b.txt"], dryRun: true })).isDone, false);
    await assertRejects(() => engine.endTrial({ paths: ["none"] }), UserError, "no such file");
    const some = await engine.endTrial({ paths: ["b.txt"] });
    assertEquals([some.isDone, some.files.length, engine.trial()], [true, 1, undefined]);
    assertEquals([text(`${ws}/a.txt`), text(`${ws}/b.txt`), text(`${ws}/sub/c.txt`)], ["mine\n", "b\n2\n", "c\n"]);
    const kept = text(engine.trialResult()?.patch ?? "");
    assert(kept.includes("a.txt") && kept.includes("d.txt") && !kept.includes("b.txt"), kept);
    await assertRejects(() => Deno.lstat(folder), Deno.errors.NotFound);
  }));

for (const args of [[], ["--no-session"]]) {
  Deno.test(`what was changed before a trial can be undone in the same session after it ${args.join()}`, async () => {
    const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-trial-" }));
    const at = { ws: `${top}/ws`, home: `${top}/home` };
    const kept = (): number => [...Deno.readDirSync(`${at.home}/.sandpiper/agent/checkpoints`)].length;
    try {
      await withSession({ files: FILES, args, at, replies: [bash("rm a.txt"), { text: "one" }] }, async (session) => {
        const { engine, ws, say } = session;
        const points = async () => (await engine.undoPoints()).map(({ text, files }) => [text, files]);
        await say("go");
        assertEquals(await points(), [["go", 1]]);
        await engine.beginTrial();
        assertEquals(await points(), [["go", 1]]);
        await engine.endTrial({});
        await engine.undo({});
        assertEquals(text(`${ws}/a.txt`), "a\n");
        // It ends while nobody has the journal open.
        await engine.beginTrial();
        assertEquals(kept(), 1);
      });
      assertEquals(kept(), args.length === 0 ? 1 : 0);
    } finally {
      Deno.removeSync(top, { recursive: true });
    }
  });
}

Deno.test("after a trial that nothing was taken of tools work in the workspace again", () =>
  withSession({
    files: FILES,
    replies: [bash("rm -rf *; pwd"), { text: "one" }, bash("echo here > here.txt"), { text: "two" }],
  }, async ({ engine, ws, say, events }) => {
    const { folder } = await engine.beginTrial();
    // A file that was made within the clock's grain before the first call may be taken for one of the call's.
    const made = Date.now();
    await until(() => Date.now() - made > 100);
    await say("go");
    const outcome = await engine.endTrial({ paths: [] });
    assertEquals([outcome.isDone, engine.state().policy.root, text(`${ws}/a.txt`)], [true, ws, "a\n"]);
    assertEquals(engine.trialResult()?.files.length, 3);
    await assertRejects(() => Deno.lstat(folder), Deno.errors.NotFound);
    await say("go on");
    assertEquals(text(`${ws}/here.txt`), "here\n");
    assert(!engine.compiled().full.includes("private copy"), "the prompt says so still");
    const paths = events.flatMap((event) =>
      event.type === "changes" && event.changes.of === "run" ? event.changes.files.map(({ path }) => path) : []
    );
    assertEquals(paths, ["a.txt", "b.txt", "sub/c.txt", "here.txt"]);
  }));

Deno.test("a session that closes in a trial keeps its patch and removes the copy", async () => {
  let folder = "";
  let patch: string | undefined;
  const told: string[] = [];
  await withSession(
    { files: FILES, replies: [bash("echo 1 >> a.txt"), { text: "one" }], onLeft: (line) => void told.push(line) },
    async ({ engine, ws, say }) => {
      folder = (await engine.beginTrial()).folder;
      await say("go");
      await engine.close();
      patch = engine.trialResult()?.patch;
      assertStringIncludes(text(patch ?? ""), "+1");
      assertEquals(text(`${ws}/a.txt`), "a\n");
      await assertRejects(() => Deno.lstat(folder), Deno.errors.NotFound);
    },
  );
  assertStringIncludes(told.join("\n"), "To apply it: sandpiper apply");
});

Deno.test("a session that is gone on with in a trial, and after it, tells the model where it works", async () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync());
  const at = { ws: `${top}/ws`, home: `${top}/home` };
  try {
    for (const [args, isTrial] of [[[], false], [["-c", "--trial"], true], [["-c"], false]] as const) {
      await withSession(
        { at, args, replies: [{ text: "one" }, { text: "two" }, { text: "three" }] },
        async ({ engine, ws, say }) => {
          await say("go");
          const { root } = engine.state().policy;
          assertEquals(root !== ws, isTrial);
          assertStringIncludes(engine.compiled().full, `Current working directory: ${root}\n`.trimEnd());
        },
      );
    }
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});
