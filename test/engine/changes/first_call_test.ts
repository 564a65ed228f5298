// The first call of a session changes files at once: undo gives back all that was there, since no call begins before it is known.
import { assert, assertEquals } from "@std/assert";
import { withSession } from "../world.ts";

const bash = (command: string, more: object = {}) => ({ calls: [{ name: "bash", args: { command, ...more } }] });
const FILES = {
  "src/a.ts": "one\ntwo\n",
  "src/b.ts": "three\n",
  "docs/deep/read.me": "docs\n",
  "run.sh": "#!/bin/sh\n",
  "keep.txt": "kept\n",
};

/** Kind, mode and content by path. */
function snapshot(root: string, inner = "", into: Record<string, string> = {}): Readonly<Record<string, string>> {
  for (const { name } of [...Deno.readDirSync(`${root}/${inner}`)].sort((a, b) => a.name < b.name ? -1 : 1)) {
    if (name === ".git") continue;
    const [path, info] = [inner + name, Deno.lstatSync(`${root}/${inner}${name}`)];
    const mode = ((info.mode ?? 0) & 0o7777).toString(8);
    if (info.isSymlink) into[path] = `link ${Deno.readLinkSync(`${root}/${path}`)}`;
    else if (info.isDirectory) snapshot(root, `${path}/`, Object.assign(into, { [path]: `directory ${mode}` }));
    else into[path] = `file ${mode} ${Deno.readTextFileSync(`${root}/${path}`)}`;
  }
  return into;
}

/** What the user had before, as commands. */
const BEFORE = "chmod 640 src/b.ts; chmod 755 run.sh; chmod 750 docs; ln -s src/a.ts link; ln -s ../src docs/src; " +
  "mkdir empty; ln keep.txt hard; truncate -s 20000 sparse";

const REPOSITORY =
  "git init -q; git add -A; git -c user.name=a -c user.email=a@b commit -qm first; echo changed >> keep.txt; " +
  "echo staged >> src/b.ts; git add src/b.ts; echo untracked > untracked";

const FIRST: Readonly<Record<string, object>> = {
  "removes a file": bash("rm keep.txt"),
  "replaces a file with sed -i": bash("sed -i s/one/ONE/ src/a.ts"),
  "moves a new file over an old one": bash("echo new > fresh; mv fresh src/b.ts"),
  "copies over a file": bash("cp --reflink=auto src/a.ts src/b.ts; cp --remove-destination src/a.ts run.sh"),
  "renames a directory": bash("mv src moved; mv moved/a.ts moved/c.ts"),
  "removes a directory": bash("rm -rf docs src"),
  "puts a file in the place of a link": bash("rm link; echo file > link; ln -sfn /etc docs/src"),
  "puts a directory in the place of a file": bash(
    "rm run.sh; mkdir run.sh; echo x > run.sh/x; rmdir empty; touch empty",
  ),
  "changes modes alone": bash("chmod 600 src/a.ts; chmod 700 src; chmod 644 run.sh"),
  "truncates": bash(": > src/a.ts; truncate -s 3 keep.txt; truncate -s 5 sparse"),
  "writes through a hard link": bash("echo more >> hard; ln src/a.ts second"),
  "makes files and removes them again": bash("touch x y; rm x y; mkdir z; rmdir z; echo t > t; mv t src/t"),
  "writes a file with a file tool": { calls: [{ name: "write", args: { path: "src/a.ts", content: "new\n" } }] },
  "edits a file": {
    calls: [{ name: "edit", args: { path: "src/a.ts", edits: [{ oldText: "one", newText: "1" }] } }],
  },
  "is in the background": bash("rm -rf docs; sed -i s/one/ONE/ src/a.ts", { background: true }),
};

const IN_REPOSITORY: Readonly<Record<string, object>> = {
  ...FIRST,
  "checks files out": bash("git checkout -q -- . ; git reset -q --hard"),
  "stashes": bash("git stash -q -u"),
  "cleans": bash("git clean -fdq; git rm -q -f src/a.ts"),
};

async function firstCall(prepare: string, replies: readonly object[], args: readonly string[] = []): Promise<void> {
  await withSession(
    { files: FILES, replies: [...replies, { text: "done" }], args },
    async ({ engine, ws, say, events }) => {
      const { success } = new Deno.Command("bash", { args: ["-ec", prepare], cwd: ws }).outputSync();
      assert(success);
      const before = snapshot(ws);
      await say("go");
      assert(events.some(({ type }) => type === "tool_execution_end"));
      const outcome = await engine.undo();
      assertEquals(outcome.left, []);
      assertEquals(snapshot(ws), before);
    },
  );
}

for (const [what, first] of Object.entries(FIRST)) {
  Deno.test(`undo gives back everything when the first call ${what}`, () => firstCall(BEFORE, [first]));
}

for (const [what, first] of Object.entries(IN_REPOSITORY)) {
  Deno.test(`undo gives back everything when the first call in a repository ${what}`, () =>
    firstCall(`${BEFORE}; ${REPOSITORY}`, [first]));
}

Deno.test("undo gives back everything when the first call is that of a sub-agent", () =>
  firstCall(BEFORE, [
    { calls: [{ name: "task", args: { description: "d", prompt: "p", write: ["."] } }] },
    bash("rm keep.txt; sed -i s/one/ONE/ src/a.ts"),
    { text: "done" },
  ], ["--tools", "read,bash,task"]));

Deno.test("what undo cannot restore is a warning when it happens, in the facts of the run, and in what undo leaves", () =>
  withSession({
    files: { "big.bin": "x".repeat(3000), "small.txt": "small\n" },
    settings: { checkpoints: { maxFileBytes: 1000 } },
    replies: [
      bash("rm big.bin small.txt"),
      { text: "more", calls: [{ name: "bash", args: { command: "sleep 0.3" } }] },
      {
        text: "done",
      },
    ],
  }, async ({ engine, ws, say, events }) => {
    await say("go");
    const told = events.findIndex((event) =>
      event.type === "notice" && event.message.startsWith("Undo cannot restore: big.bin")
    );
    const end = events.findIndex(({ type }) => type === "agent_end");
    assert(told >= 0 && told < end, JSON.stringify(events.filter(({ type }) => type === "notice")));
    const run = events.flatMap((event) =>
      event.type === "changes" && event.changes.of === "run" ? [event.changes] : []
    );
    assertEquals(run[0]?.files.map(({ path, notRestorable }) => [path, notRestorable]), [
      ["big.bin", "it was larger than 1 kB"],
      ["small.txt", undefined],
    ]);
    const { left } = await engine.undo();
    assertEquals(left.map(({ path, why }) => [path, why]), [["big.bin", "it was larger than 1 kB"]]);
    assertEquals(Deno.readTextFileSync(`${ws}/small.txt`), "small\n");
  }));

Deno.test("a call that has waited for as long as the setting allows begins, and a warning says what that means", () =>
  withSession({
    files: FILES,
    settings: { checkpoints: { waitMs: 0 } },
    replies: [bash("rm keep.txt"), { text: "done" }],
  }, async ({ engine, ws, say, events }) => {
    await say("go");
    assert(events.some((event) => event.type === "notice" && event.message.includes("had not finished after 0 s")));
    await engine.undo();
    assertEquals(Deno.readTextFileSync(`${ws}/src/a.ts`), FILES["src/a.ts"]);
  }));
