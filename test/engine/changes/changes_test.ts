import { assert, assertEquals } from "@std/assert";
import type { ChangeSet, FileChange } from "../../../src/core/changes.ts";
import type { AgentEvent } from "../../../src/core/event.ts";
import { type Session, withSession } from "../world.ts";

const bash = (command: string) => ({ calls: [{ name: "bash", args: { command } }] });

/** What was told to have changed. */
function sets({ events }: Pick<Session, "events">, of: ChangeSet["of"]): readonly ChangeSet[] {
  return events.flatMap((event: AgentEvent) =>
    event.type === "changes" && event.changes.of === of ? [event.changes] : []
  );
}

/** Files by what became of them. */
function shown(files: readonly FileChange[]): readonly string[] {
  return files.map(({ kind, from, path, linesAdded, linesRemoved }) =>
    `${kind} ${from === undefined ? "" : `${from} > `}${path}${
      linesAdded === undefined ? "" : ` +${linesAdded} -${linesRemoved}`
    }`
  );
}

const FILES = { "src/a.ts": "one\ntwo\n", "src/b.ts": "three\n", "run.sh": "#!/bin/sh\n", "keep.txt": "kept\n" };

Deno.test("what bash did to files is told by looking, and undo brings all of it back", () =>
  withSession({
    files: FILES,
    replies: [
      bash(
        "printf 'one\\nTWO\\nfour\\n' > src/a.ts; mv src/b.ts src/c.ts; chmod 755 run.sh; rm keep.txt; ln -s a.ts src/link; echo new > new.txt; rm -rf gone",
      ),
      { text: "done" },
    ],
  }, async (session) => {
    const { engine, ws } = session;
    Deno.chmodSync(`${ws}/run.sh`, 0o644);
    await session.say("change things");
    const run = sets(session, "run")[0];
    assert(run);
    assertEquals(shown(run.files), [
      "deleted keep.txt +0 -1",
      "created new.txt +1 -0",
      "mode run.sh +0 -0",
      "changed src/a.ts +2 -1",
      "moved src/b.ts > src/c.ts +1 -0",
      "created src/link",
    ]);
    const points = await engine.undoPoints();
    assertEquals(points.map(({ number, kind, text, isUndone }) => [number, kind, text, isUndone]), [[
      1,
      "prompt",
      "change things",
      false,
    ]]);
    const preview = await engine.undo({ dryRun: true });
    assertEquals(preview.left, []);
    assertEquals(Deno.readTextFileSync(`${ws}/new.txt`), "new\n");
    const outcome = await engine.undo();
    assertEquals([outcome.left, outcome.isDone], [[], true]);
    for (const [name, text] of Object.entries(FILES)) assertEquals(Deno.readTextFileSync(`${ws}/${name}`), text);
    assertEquals((Deno.statSync(`${ws}/run.sh`).mode ?? 0) & 0o777, 0o644);
    assertEquals([...Deno.readDirSync(ws)].map(({ name }) => name).sort(), ["keep.txt", "run.sh", "src"]);
    assertEquals([...Deno.readDirSync(`${ws}/src`)].map(({ name }) => name).sort(), ["a.ts", "b.ts"]);
  }));

Deno.test("calls that follow one another at once lose nothing, and undo can be undone", () =>
  withSession({
    files: FILES,
    replies: [
      bash("rm -rf src; mkdir out; echo x > out/y"),
      { calls: [{ name: "write", args: { path: "z.txt", content: "z\n" } }] },
      { text: "done" },
      bash("echo more >> keep.txt"),
      { text: "done" },
    ],
  }, async (session) => {
    const { engine, ws } = session;
    await session.say("first");
    assertEquals(shown(sets(session, "run")[0]?.files ?? []), [
      "created out/y +1 -0",
      "deleted src/a.ts +0 -2",
      "deleted src/b.ts +0 -1",
      "created z.txt +1 -0",
    ]);
    await session.say("second");
    assertEquals(shown(sets(session, "run")[1]?.files ?? []), ["changed keep.txt +1 -0"]);
    assertEquals(sets(session, "outside"), []);
    await engine.undo();
    assertEquals(Deno.readTextFileSync(`${ws}/keep.txt`), "kept\n");
    await engine.undo();
    assertEquals([...Deno.readDirSync(ws)].map(({ name }) => name).sort(), ["keep.txt", "run.sh", "src"]);
    assertEquals((await engine.undoPoints()).map(({ kind, isUndone }) => [kind, isUndone]), [
      ["prompt", true],
      ["prompt", true],
      ["undo", false],
      ["undo", false],
    ]);
    await engine.undo({ to: 4 });
    assertEquals(Deno.readTextFileSync(`${ws}/out/y`), "x\n");
    await engine.undo({ to: 3 });
    assertEquals(Deno.readTextFileSync(`${ws}/keep.txt`), "kept\nmore\n");
    assertEquals(sets(session, "outside"), []);
  }));

Deno.test("what somebody else changed since is named and left, unless it is forced", () =>
  withSession({
    files: FILES,
    replies: [bash("echo a >> src/a.ts; echo b >> src/b.ts"), { text: "done" }],
  }, async ({ engine, ws, say }) => {
    await say("first");
    Deno.writeTextFileSync(`${ws}/src/a.ts`, "mine\n");
    const { left, steps } = await engine.undo();
    assertEquals(left, [{ path: "src/a.ts", why: "somebody else changed it since", isForcible: true }]);
    assertEquals(steps.map(({ path }) => path), ["src/b.ts"]);
    assertEquals(Deno.readTextFileSync(`${ws}/src/a.ts`), "mine\n");
    assertEquals((await engine.undo({ to: 1, force: true })).left, []);
    assertEquals(Deno.readTextFileSync(`${ws}/src/a.ts`), FILES["src/a.ts"]);
  }));
