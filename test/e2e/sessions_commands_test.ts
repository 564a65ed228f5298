import { untouchedFiles } from "../../src/sandbox/names/named_files.ts";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";
import { sessionsFolder } from "../../src/session/folder.ts";
import { openSession } from "../../src/session/reopen.ts";
import { cassette, inWorkspace, PROGRAM, type Ran, run } from "../helpers/program.ts";

interface Place {
  readonly ws: string;
  readonly home: string;
  /** Runs the program in the workspace, or in another folder. */
  readonly sandpiper: (args: readonly string[], cwd?: string) => Promise<Ran>;
}

/** A workspace in which two prompts were answered, the first with calls of which one was denied. */
async function afterTwoPrompts(work: (place: Place) => Promise<void>): Promise<void> {
  await inWorkspace({ "a.txt": "the text of a\n" }, async ({ ws, home }) => {
    const sandpiper = (args: readonly string[], cwd = ws) => run(PROGRAM, args, { cwd, env: { HOME: home } });
    const calls = [{ name: "read", args: { path: "a.txt" } }, { name: "read", args: { path: "/srv/elsewhere.txt" } }];
    const first = cassette(home, [{ text: "I look.", calls }, { text: "**Done**: `x < y`" }]);
    const said = await sandpiper(["-p", "-m", `replay:${first}`, "what is <in> a.txt?"]);
    assertEquals([said.code, said.stdout], [0, "**Done**: `x < y`\n"], said.stderr);
    const second = cassette(home, [{ expect: ["what is <in> a.txt?"], text: "Again." }]);
    const more = await sandpiper(["-c", "-p", "-m", `replay:${second}`, "and again"]);
    assertEquals([more.code, more.stdout], [0, "Again.\n"], more.stderr);
    await work({ ws, home, sandpiper });
  });
}

/** Every file of sessions with its content. */
function filesIn(home: string): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  const walk = (folder: string): void => {
    for (const { name, isDirectory } of Deno.readDirSync(folder)) {
      const path = join(folder, name);
      if (isDirectory) walk(path);
      else files[path] = Deno.readTextFileSync(path);
    }
  };
  walk(join(home, ".sandpiper", "agent"));
  return files;
}

Deno.test("sessions lists, shows, draws and exports a session, open elsewhere or not, and changes nothing R300", async () => {
  await afterTwoPrompts(async ({ ws, home, sandpiper }) => {
    const listed = JSON.parse((await sandpiper(["sessions", "--json"])).stdout);
    assertEquals([listed.length, listed[0].cwd, listed[0].firstMessage], [1, ws, "what is <in> a.txt?"]);
    const open = openSession(listed[0].path, {
      now: Date.now,
      random: Math.random,
      files: untouchedFiles,
      onFailure: (error) => assert(false, error.message),
    });
    try {
      const before = filesIn(home);
      const list = await sandpiper(["sessions"]);
      assert(/^[0-9a-f]{8} {2}\S+ \S+ {6}7 messages {2}what is <in> a\.txt\?\n$/.test(list.stdout), list.stdout);
      const id = list.stdout.slice(0, 8);
      const shown = await sandpiper(["sessions", "show", id]);
      for (
        const part of ['  > read {"path":"a.txt"}', "the text of a", "  Denied: ", "  **Done**: `x < y`", "and again"]
      ) {
        assertStringIncludes(shown.stdout, part);
      }
      const tree = await sandpiper(["sessions", "tree", listed[0].path]);
      assert(
        /^[0-9a-f]{8} User: what is <in> a\.txt\?\n/.test(tree.stdout) && tree.stdout.endsWith("Again.  <- here\n"),
        tree.stdout,
      );
      const page = await sandpiper(["sessions", "export", "latest"]);
      assert(page.stdout.startsWith("<!DOCTYPE html>") && page.stdout.endsWith("</html>\n"));
      assertStringIncludes(page.stdout, "<p><strong>Done</strong>: <code>x &lt; y</code></p>");
      const markdown = await sandpiper(["sessions", "export", id, "--format", "md"]);
      assertStringIncludes(markdown.stdout, "```text\nwhat is <in> a.txt?\n```");
      assertEquals(
        [list, shown, tree, page, markdown].map(({ code, stderr }) => [code, stderr]),
        Array(5).fill([0, ""]),
      );
      assertEquals(filesIn(home), before);
    } finally {
      open.close();
    }
  });
});

Deno.test("sessions exports to a new file only, and what it exported goes on elsewhere after an import", async () => {
  await afterTwoPrompts(async ({ ws, home, sandpiper }) => {
    const args = ["sessions", "export", "latest", "--format", "jsonl", "--output", "out.jsonl"];
    assertEquals(await sandpiper(args), { code: 0, stdout: "", stderr: "" });
    const written = Deno.readTextFileSync(join(ws, "out.jsonl"));
    const again = await sandpiper(args);
    assertEquals([again.code, Deno.readTextFileSync(join(ws, "out.jsonl"))], [2, written]);
    assertStringIncludes(again.stderr, "there is something of that name");

    const other = join(home, "other");
    Deno.mkdirSync(other);
    const none = await sandpiper(["sessions", "show", "latest"], other);
    assertEquals([none.code, none.stderr.split("\n")[0]], [2, "error: Cannot find the latest session"]);
    const imported = await sandpiper(["sessions", "import", join(ws, "out.jsonl")], other);
    assertEquals([imported.code, imported.stderr], [0, ""]);
    assert(imported.stdout.endsWith(".jsonl\n") && Deno.statSync(imported.stdout.trim()).isFile);
    const file = cassette(home, [{ expect: ["what is <in> a.txt?", "the text of a", "Again."], text: "On." }]);
    const gone = await sandpiper(["-c", "-p", "-m", `replay:${file}`, "go on"], other);
    assertEquals([gone.code, gone.stdout], [0, "On.\n"], gone.stderr);
    const all = await sandpiper(["sessions", "--all"]);
    assertEquals(all.stdout.trimEnd().split("\n").map((line) => line.split("  ").at(-1)), [other, ws]);
    assertEquals((await sandpiper(["sessions"])).stdout.split("\n").length, 2);
  });
});

const PI = [
  { version: undefined, entry: (id: number) => ({ id: undefined, parentId: undefined, number: id }) },
  { version: 2, entry: (id: number) => ({ id: `e${id}`, parentId: id === 1 ? null : `e${id - 1}` }) },
  { version: 3, entry: (id: number) => ({ id: `e${id}`, parentId: id === 1 ? null : `e${id - 1}` }) },
] as const;
Deno.test("sessions import takes pi's files of every format, and leaves them as they are", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const at = "2026-01-01T00:00:00.000Z";
    for (const { version, entry } of PI) {
      const text = `asked in format ${version ?? 1}`;
      const messages = [
        { role: "user", content: text, timestamp: 1 },
        {
          role: "assistant",
          content: [{ type: "text", text: "Yes." }],
          provider: "p",
          model: "m",
          stopReason: "stop",
          timestamp: 2,
        },
      ];
      const lines = [
        { type: "session", version, id: "0-0", timestamp: at, cwd: "/elsewhere" },
        ...messages.map((message, i) => ({ type: "message", ...entry(i + 1), timestamp: at, message })),
      ].map((line) => JSON.stringify(line) + "\n").join("");
      const path = join(home, `pi ${version}.jsonl`);
      Deno.writeTextFileSync(path, lines);
      const imported = await run(PROGRAM, ["sessions", "import", path], { cwd: ws, env: { HOME: home } });
      assertEquals([imported.code, imported.stderr, Deno.readTextFileSync(path)], [0, "", lines]);
      const shown = await run(PROGRAM, ["sessions", "show", imported.stdout.trim()], {
        cwd: ws,
        env: { HOME: home },
      });
      assertStringIncludes(shown.stdout, text);
      assertStringIncludes(shown.stdout, `Workspace   ${ws}`);
    }
  });
});

Deno.test("audit reads back after a restart what each request was made from and what each call came to R352 R354 R355 R481", async () => {
  await afterTwoPrompts(async ({ home, sandpiper }) => {
    const before = filesIn(home);
    const { stdout, stderr, code } = await sandpiper(["audit", "latest"]);
    assertEquals([code, stderr], [0, ""]);
    const lines = stdout.split("\n");
    // As `--model` takes it, and as reports and the list of sessions spell it.
    assertEquals(lines.filter((line) => /^ {4}sent to {2}replay:\//.test(line)).length, 3, stdout);
    assert(/^Model +replay:\//m.test((await sandpiper(["sessions", "show", "latest"])).stdout));
    assertEquals(lines.filter((line) => /^turn /.test(line)), ["turn 1", "turn 2"]);
    assertEquals(lines.filter((line) => /^ {2}round /.test(line)).length, 3);
    for (const part of ["history  full", "tools    read, bash, edit, write", "identity_base stable", "skills   "]) {
      assertStringIncludes(stdout, part);
    }
    assertEquals(lines.filter((line) => /^ {2}turn 1 .* read .* allowed {2}ok /.test(line)).length, 1);
    assertEquals(lines.filter((line) => /^ {2}turn 1 .* read .* denied {3}error /.test(line)).length, 1);

    const json = JSON.parse((await sandpiper(["audit", "latest", "--json", "--turn", "1"])).stdout);
    assertEquals([json.rounds.length, json.calls.length, json.rounds[1].manifest.trigger], [2, 2, "round"]);
    const compiled = JSON.parse((await sandpiper(["prompt", "--json"])).stdout);
    const [first] = json.rounds;
    assertEquals(first.manifest.fingerprints.stable, compiled.manifest.fingerprints.stable);
    for (const text of ["what is <in>", "the text of a", "a.txt", "/srv/elsewhere.txt", "I look."]) {
      assert(!stdout.includes(text) && !JSON.stringify(json).includes(text), text);
    }

    const diff = await sandpiper(["audit", "latest", "--diff", "1", json.rounds[1].entryId.slice(0, 6)]);
    assertStringIncludes(diff.stdout, "stable    same (");
    assertStringIncludes(diff.stdout, "  + retry_instruction dynamic ");
    assertEquals(JSON.parse((await sandpiper(["audit", "latest", "--diff", "2", "2", "--json"])).stdout).sections, []);
    assertEquals(filesIn(home), before);
  });
});

Deno.test("--no-session leaves no session, and the audit has its calls all the same R334 R481", async () => {
  await inWorkspace({ "a.txt": "a" }, async ({ ws, home }) => {
    const sandpiper = (args: readonly string[]) => run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
    const file = cassette(home, [{ calls: [{ name: "read", args: { path: "a.txt" } }] }, { text: "Done." }]);
    const ran = await sandpiper(["-p", "--no-session", "-m", `replay:${file}`, "read it"]);
    assertEquals([ran.code, ran.stdout], [0, "Done.\n"], ran.stderr);
    assertEquals((await sandpiper(["sessions", "--all"])).stdout, "No sessions\n");
    // What root cannot look into either: nothing is known of what is there.
    const folder = sessionsFolder(join(home, ".sandpiper", "agent"), Deno.realPathSync(ws));
    Deno.mkdirSync(dirname(folder), { recursive: true });
    Deno.writeTextFileSync(folder, "");
    const closed = await sandpiper(["sessions", "-q"]);
    const unknown = `Whether there are sessions is not known: ${folder} cannot be opened\n`;
    assertEquals(closed, { code: 1, stdout: unknown, stderr: "" });
    assertEquals((await sandpiper(["sessions", "--json"])).code, 1);
    assertEquals(
      (await sandpiper(["sessions", "search", "-q", "x"])).stdout,
      `In no session that can be looked into: ${folder} cannot be opened\n`,
    );
    const [audit] = [...Deno.readDirSync(join(home, ".sandpiper", "agent", "audit"))];
    const id = audit?.name.replace(".jsonl", "") ?? "";
    const { stdout } = await sandpiper(["audit", id.slice(0, 10)]);
    assertStringIncludes(stdout, `session    ${id}\nworkspace  the session was not kept\n`);
    assert(/\n {2}turn - .* read .* allowed {2}ok .* ms\n$/.test(stdout), stdout);
  });
});

Deno.test("sessions and audit say what to write when they are called wrongly", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const cases = [
      [["sessions", "shwo", "x"], 'Cannot do "sessions shwo x"'],
      [["sessions", "show"], 'Cannot do "sessions show"'],
      [["sessions", "show", "none"], 'Cannot find session "none"'],
      [["sessions", "import", "none.jsonl"], "Cannot open session"],
      [["sessions", "export", "latest", "--format", "pdf"], "--format pdf is not known"],
      [["audit"], "No session is named"],
      [["audit", "a", "--diff", "1"], 'Cannot audit "a 1"'],
      [["audit", "../../x"], "Cannot open session"],
    ] as const;
    for (const [args, what] of cases) {
      const ran = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
      assertEquals([ran.code, ran.stdout], [2, ""], args.join(" "));
      assertStringIncludes(ran.stderr, `error: ${what}`);
    }
  });
});

Deno.test("sessions are searched, named and deleted with all that was kept of them, and only when nobody has them open", async () => {
  await afterTwoPrompts(async ({ home, sandpiper }) => {
    const found = await sandpiper(["sessions", "search", "`X", "< Y"]);
    assert(/ what is <in> a\.txt\?\n {4}assistant: \*\*Done\*\*: `x < y`\n$/.test(found.stdout), found.stdout);
    const none = await sandpiper(["sessions", "search", "the text of a"]); // what a tool gave was said by nobody
    assertEquals([none.code, none.stdout], [1, "In no session of this workspace; --all searches those of others\n"]);
    const [{ newest, count, id, path }] = JSON.parse(
      (await sandpiper(["sessions", "search", "again", "--json"])).stdout,
    );
    assertEquals([newest.by, newest.excerpt, count], ["assistant", "Again.", 2]);

    const { mtime } = Deno.statSync(path);
    assertEquals(await sandpiper(["sessions", "rename", "latest", "my", "name"]), { code: 0, stdout: "", stderr: "" });
    assertEquals(Deno.statSync(path).mtime, mtime, "a name makes no session the newest");
    assertStringIncludes((await sandpiper(["sessions"])).stdout, "  my name\n");

    const journal = join(home, ".sandpiper", "agent", "checkpoints", id, "journal.jsonl");
    Deno.mkdirSync(dirname(journal), { recursive: true });
    Deno.writeTextFileSync(journal, "");
    const open = openSession(path, { now: Date.now, random: Math.random, files: untouchedFiles, onFailure: () => {} });
    const before = filesIn(home);
    try {
      for (const args of [["rename", id, "other"], ["delete", id, "--yes"]]) {
        const held = await sandpiper(["sessions", ...args]);
        assertEquals([held.code, held.stderr.includes(`process ${Deno.pid} has had it open`)], [2, true], held.stderr);
      }
    } finally {
      open.close();
    }
    const unsure = await sandpiper(["sessions", "delete", id]);
    assertEquals([unsure.code, unsure.stderr.includes(`sandpiper sessions delete ${id} --yes`)], [2, true]);
    const { [`${path}.lock`]: _, ...kept } = before;
    assertEquals(filesIn(home), kept);

    const copy = join(home, "copy.jsonl");
    Deno.copyFileSync(path, copy);
    const elsewhere = await sandpiper(["sessions", "delete", copy, "--yes"]);
    assertEquals([elsewhere.code, Deno.statSync(copy).isFile, filesIn(home)], [2, true, kept], elsewhere.stderr);
    const gone = await sandpiper(["sessions", "delete", id.slice(0, 18), "--yes"]);
    assertEquals([gone.code, gone.stdout], [0, `Deleted ${id}: my name\n`], gone.stderr);
    const of = Object.keys(kept).filter((file) => file.includes(id));
    assertEquals([of.length, of.includes(journal)], [3, true], String(of)); // the session, its audit, its journal
    assertEquals(Object.keys(filesIn(home)), Object.keys(kept).filter((file) => !file.includes(id)));
  });
});

Deno.test("-r without a session lists them where nobody can choose, and runs nothing", async () => {
  await afterTwoPrompts(async ({ home, sandpiper }) => {
    const before = filesIn(home);
    for (const args of [["-p", "go on", "-r"], ["--mode", "rpc", "-r"]]) {
      const asked = await sandpiper(args);
      assertEquals([asked.code, asked.stdout], [2, ""], asked.stderr);
      assert(/sandpiper -r [0-9a-f-]{13} …\n[0-9a-f]{8} .* what is <in> a\.txt\?/.test(asked.stderr), asked.stderr);
    }
    assertEquals(filesIn(home), before);
    const none = await sandpiper(["-p", "go on", "-r"], home);
    assertEquals([none.code, none.stderr.includes("this workspace has none")], [2, true], none.stderr);
  });
});

Deno.test("many sessions are exported and deleted at once, by name and by age; doctor says what they take", async () => {
  await afterTwoPrompts(async ({ ws, home, sandpiper }) => {
    const { path } = JSON.parse((await sandpiper(["sessions", "--json"])).stdout)[0];
    const copies = ["one", "two", "three"].map((name) => {
      const copy = join(dirname(path), `2026-01-01T00-00-00-000Z_${name}.jsonl`);
      Deno.writeTextFileSync(copy, Deno.readTextFileSync(path).replace(/"id":"[^"]+"/, `"id":"${name}"`));
      return copy;
    });
    const old = new Date(Date.now() - 40 * 86_400_000);
    for (const copy of copies.slice(0, 2)) Deno.utimeSync(copy, old, old);
    const doctor = JSON.parse((await sandpiper(["doctor", "--json"])).stdout);
    const kept = doctor.find(({ name }: { readonly name: string }) => name === "sessions");
    assert(/^[4-9] files, 0\.\d MB; for undo \d+ files/.test(kept.found), kept.found);

    const exported = await sandpiper(["sessions", "export", "-o", "out", "--format", "md"]);
    assertEquals([exported.code, exported.stdout], [0, `4 of 4 sessions are in ${join(ws, "out")}\n`], exported.stderr);
    assertEquals([...Deno.readDirSync(join(ws, "out"))].length, 4);
    const again = await sandpiper(["sessions", "export", "-o", "out", "--format", "md"]);
    assertEquals([again.code, again.stdout.startsWith("0 of 4")], [1, true]);

    const unsure = await sandpiper(["sessions", "delete", "--older-than", "30d"]);
    assertEquals([unsure.code, unsure.stderr.includes("Cannot delete 2 sessions")], [2, true], unsure.stderr);
    const gone = await sandpiper(["sessions", "delete", "--older-than", "30d", "--yes"]);
    assertEquals([gone.code, gone.stdout.split("\n").length - 1], [0, 2], gone.stderr);
    const none = await sandpiper(["sessions", "delete", "--older-than", "30d", "--yes"]);
    assertEquals([none.code, none.stdout], [0, "Nothing was deleted: no session is as old\n"]);
    // One that is open stays, the others go.
    const open = openSession(path, {
      now: Date.now,
      random: Math.random,
      files: untouchedFiles,
      onFailure: (error) => assert(false, error.message),
    });
    try {
      const part = await sandpiper(["sessions", "delete", path, "three", "--yes"]);
      assertEquals(part.code, 1, part.stdout);
    } finally {
      open.close();
    }
    assertEquals(Object.keys(filesIn(home)).filter((file) => file.includes("/sessions/") && file.endsWith(".jsonl")), [
      path,
    ]);
  });
});
