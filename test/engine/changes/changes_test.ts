import { assert, assertEquals } from "@std/assert";
import type { ChangeSet, FileChange } from "../../../src/core/changes.ts";
import type { AgentEvent } from "../../../src/core/event.ts";
import { until } from "../../helpers/until.ts";
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
    await engine.undoPoints(); // the first look has ended
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
    await engine.undoPoints();
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
    await engine.undoPoints();
    await say("first");
    Deno.writeTextFileSync(`${ws}/src/a.ts`, "mine\n");
    const { left, steps } = await engine.undo();
    assertEquals(left, [{ path: "src/a.ts", why: "somebody else changed it since", isForcible: true }]);
    assertEquals(steps.map(({ path }) => path), ["src/b.ts"]);
    assertEquals(Deno.readTextFileSync(`${ws}/src/a.ts`), "mine\n");
    assertEquals((await engine.undo({ to: 1, force: true })).left, []);
    assertEquals(Deno.readTextFileSync(`${ws}/src/a.ts`), FILES["src/a.ts"]);
  }));

/** A workspace and a home that are removed afterwards. */
async function withPlace(work: (at: { readonly ws: string; readonly home: string }) => Promise<void>): Promise<void> {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-changes-" }));
  try {
    const at = { ws: `${top}/ws`, home: `${top}/home` };
    Deno.mkdirSync(at.ws);
    await work(at);
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
}

/** Where a session keeps its journal and what it holds. */
function kept(home: string): { readonly folder: string; readonly journal: string; readonly packBytes: number } {
  const top = `${home}/.sandpiper/agent/checkpoints`;
  const folder = `${top}/${[...Deno.readDirSync(top)][0]?.name}`;
  const size = (path: string): number => {
    try {
      return Deno.statSync(path).size;
    } catch {
      return 0;
    }
  };
  return { folder, journal: Deno.readTextFileSync(`${folder}/journal.jsonl`), packBytes: size(`${folder}/pack`) };
}

function git(folder: string, ...args: readonly string[]): void {
  const { success, stderr } = new Deno.Command("git", {
    args: ["-c", "user.name=a", "-c", "user.email=a@localhost", ...args],
    cwd: folder,
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
  }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

Deno.test("what git has as clean is named and not copied, and comes back from there", () =>
  withPlace(async (at) => {
    git(at.ws, "init", "-q");
    for (const name of ["clean.txt", "dirty.txt"]) {
      Deno.writeTextFileSync(`${at.ws}/${name}`, `${name} as git has it\n`);
      // Else it may have been changed in the moment in which git looked at it.
      Deno.utimeSync(`${at.ws}/${name}`, 1_700_000_000, 1_700_000_000);
    }
    git(at.ws, "add", ".");
    git(at.ws, "commit", "-qm", "first");
    Deno.writeTextFileSync(`${at.ws}/dirty.txt`, "not in git\n");
    await withSession({ at, replies: [bash("rm clean.txt dirty.txt"), { text: "done" }] }, async (session) => {
      await session.engine.undoPoints();
      await session.say("remove all");
      assertEquals(shown(sets(session, "run")[0]?.files ?? []), ["deleted clean.txt +0 -1", "deleted dirty.txt +0 -1"]);
      const { journal, packBytes } = kept(at.home);
      assertEquals(/"path":"[^"]*clean.txt".*?"content":"(\w+):/.exec(journal)?.[1], "git");
      assertEquals(packBytes, 8 + 36 + "not in git\n".length);
      assertEquals((await session.engine.undo()).left, []);
      assertEquals(Deno.readTextFileSync(`${at.ws}/clean.txt`), "clean.txt as git has it\n");
      assertEquals(Deno.readTextFileSync(`${at.ws}/dirty.txt`), "not in git\n");
    });
  }));

Deno.test("what a command in the background does is of the call that started it, also when the run has only that", () =>
  withSession({
    files: FILES,
    replies: [
      {
        calls: [{
          name: "bash",
          args: { command: "until [ -e go ]; do sleep 0.05; done; echo late > late.txt; sleep 60", background: true },
        }],
      },
      { text: "started" },
      bash("touch go; until [ -e late.txt ]; do sleep 0.05; done"),
      { text: "done" },
    ],
  }, async (session) => {
    await session.say("start it");
    await session.say("let it go");
    const run = sets(session, "run")[1];
    assertEquals(shown(run?.files ?? []), ["created go +0 -0", "created late.txt +1 -0"]);
    assertEquals(run?.calls.length, 2);
  }));

Deno.test("a session that is not kept tells what changed and leaves nothing of it", () =>
  withPlace(async (at) => {
    await withSession(
      { at, args: ["--no-session"], replies: [bash("echo x > x"), { text: "done" }] },
      async (session) => {
        await session.say("go");
        assertEquals(shown(sets(session, "run")[0]?.files ?? []), ["created x +1 -0"]);
        await session.engine.undo();
        assertEquals([...Deno.readDirSync(at.ws)].length, 0);
      },
    );
    assertEquals([...Deno.readDirSync(`${at.home}/.sandpiper/agent/checkpoints`)], []);
  }));

Deno.test("a run that only reads tells nothing and keeps nothing, and checkpoints: false switches all of it off", () =>
  withPlace(async (at) => {
    const read = { calls: [{ name: "read", args: { path: "keep.txt" } }] };
    await withSession({ at, files: FILES, replies: [read, { text: "done" }] }, async (session) => {
      await session.say("look");
      assertEquals(session.events.filter(({ type }) => type === "changes"), []);
    });
    assertEquals([...Deno.readDirSync(`${at.home}/.sandpiper/agent/checkpoints`)], []);
    const settings = { checkpoints: false };
    await withSession({ at, settings, replies: [bash("echo x > x"), { text: "done" }] }, async (session) => {
      await session.say("write");
      assertEquals(session.events.filter(({ type }) => type === "changes"), []);
      assertEquals(await session.engine.undoPoints(), []);
    });
  }));

Deno.test("what was kept in case it changes goes when the session ends, and undo still has what it needs", () =>
  withPlace(async (at) => {
    const large = { "large.txt": "x".repeat(100_000), ...FILES };
    const replies = [bash("echo more >> keep.txt"), { text: "done" }];
    await withSession({ at, files: large, replies }, async (session) => {
      await session.engine.undoPoints();
      await session.say("go");
      assertEquals(kept(at.home).packBytes > 100_000, true);
    });
    assertEquals(kept(at.home).packBytes, 8 + 2 * 36 + "kept\n".length + "kept\nmore\n".length);
    await withSession({ at, args: ["-c"], replies: [{ text: "" }] }, async ({ engine }) => {
      assertEquals((await engine.undo()).left, []);
      assertEquals(Deno.readTextFileSync(`${at.ws}/keep.txt`), "kept\n");
    });
  }));

Deno.test("what a command planted for git and lost again does not come back by undo", () => {
  const settings = "[core]\\n\\tfsmonitor = touch pwned\\n";
  const plant = "mkdir -p srv/objects srv/refs; echo 'ref: refs/heads/main' > srv/HEAD; " +
    `printf '${settings}' > srv/config; touch planted; sleep 60`;
  return withSession({
    replies: [
      { calls: [{ name: "bash", args: { command: plant, background: true } }] },
      { text: "started" },
      { text: "seen" },
      bash("touch later"),
      { text: "done" },
    ],
  }, async ({ engine, ws, say }) => {
    await engine.undoPoints();
    await say("start it");
    await until(() => [...Deno.readDirSync(ws)].some(({ name }) => name === "planted"));
    await say("look at it");
    await say("one that is looked after");
    const taken = Deno.readTextFileSync(`${ws}/srv/config`);
    assertEquals(taken.includes("fsmonitor"), false);
    const { left } = await engine.undo({ to: 3, force: true });
    assertEquals(left.map(({ path, why }) => [path, why]), [["srv/config", "it is git's own"]]);
    assertEquals(Deno.readTextFileSync(`${ws}/srv/config`), taken);
  });
});

Deno.test("what git has is read to count its lines within a bound, and a session that only removes it ends well", () =>
  withPlace(async (at) => {
    const git = (...args: string[]): string => {
      const fixed = ["-C", at.ws, "-c", "user.name=A", "-c", "user.email=a@b.test"];
      const { success, stdout, stderr } = new Deno.Command("git", { args: [...fixed, ...args] }).outputSync();
      assert(success, new TextDecoder().decode(stderr));
      return new TextDecoder().decode(stdout);
    };
    git("init", "-q");
    for (const name of ["a", "b", "c"]) {
      Deno.writeTextFileSync(`${at.ws}/${name}`, `${name.repeat(63)}\n`.repeat(1024 ** 2 / 4));
      // Surely before the index is written.
      new Deno.Command("touch", { args: ["-d", "2020-01-01", `${at.ws}/${name}`] }).outputSync();
    }
    git("add", ".");
    git("commit", "-qm", "first");
    await withSession({ at, replies: [bash("rm a b c"), { text: "done" }] }, async (session) => {
      await session.engine.undoPoints();
      await session.say("remove them");
      assertEquals(shown(sets(session, "run")[0]?.files ?? []), [
        "deleted a +0 -262144",
        "deleted b +0 -262144",
        "deleted c",
      ]);
      await session.engine.undo();
      assertEquals(Deno.statSync(`${at.ws}/c`).size, 16 * 1024 ** 2);
    });
  }));
