import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname } from "@std/path";
import { cassette, inWorkspace, PROGRAM, run } from "../helpers/program.ts";

// What the program writes at the end of a run is written with the person's own rights: a command must not lead it elsewhere.

const BASH = (command: string) => ({ calls: [{ name: "bash", args: { command } }] });

Deno.test("-o and --report replace a link that a command put in their place, and write nothing where it leads", async () => {
  await inWorkspace({}, async ({ ws, home, outside }) => {
    for (const name of ["a", "b"]) Deno.writeTextFileSync(`${outside}/${name}`, "mine");
    const file = cassette(home, [BASH(`ln -s ${outside}/a out.txt; ln -s ${outside}/b r.json`), {
      text: "echo hello",
    }]);
    const args = ["-p", "-m", `replay:${file}`, "-o", "out.txt", "--report", "r.json", "go"];
    const ran = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
    assertEquals([ran.code, ran.stdout], [0, "echo hello\n"], ran.stderr);
    assertEquals(["a", "b"].map((name) => Deno.readTextFileSync(`${outside}/${name}`)), ["mine", "mine"]);
    assertEquals(["out.txt", "r.json"].map((name) => Deno.lstatSync(`${ws}/${name}`).isFile), [true, true]);
    assertEquals(Deno.readTextFileSync(`${ws}/out.txt`), "echo hello\n");
  });
});

Deno.test("-o into a folder that a command exchanged is refused; process, report and last line all say that the run failed", async () => {
  await inWorkspace({ "sub/x": "" }, async ({ ws, home, outside }) => {
    const file = cassette(home, [BASH(`rm -r sub; ln -s ${outside} sub`), { text: "echo hello" }]);
    const args = ["--mode", "json", "-m", `replay:${file}`, "-o", "sub/out.txt", "--report", "r.json", "go"];
    const ran = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
    assertEquals([ran.code, [...Deno.readDirSync(outside)]], [1, []], ran.stderr);
    assertMatch(ran.stderr, /sub\/out\.txt.*\n {2}why: .*\/sub was replaced by a link/);
    const { outcome, exitCode, why } = JSON.parse(Deno.readTextFileSync(`${ws}/r.json`));
    assertEquals([outcome, exitCode], ["error", 1]);
    assertStringIncludes(why, "was replaced by a link");
    assertEquals(JSON.parse(ran.stdout.trimEnd().split("\n").at(-1) ?? "").exitCode, 1);
  });
});

Deno.test("-o follows a link of the user, but not one in the workspace that leads out of it", async () => {
  await inWorkspace({}, async ({ ws, home, outside }) => {
    Deno.writeTextFileSync(`${outside}/a`, "old");
    for (const folder of [ws, outside]) Deno.symlinkSync(`${outside}/a`, `${folder}/out.txt`);
    const file = cassette(home, [{ text: "hello" }]);
    const to = (path: string) =>
      run(PROGRAM, ["-p", "-m", `replay:${file}`, "-o", path, "go"], { cwd: ws, env: { HOME: home } });
    const own = await to(`${outside}/out.txt`);
    assertEquals([own.code, Deno.readTextFileSync(`${outside}/a`)], [0, "hello\n"], own.stderr);
    const planted = await to("out.txt");
    assertEquals([planted.code, planted.stdout], [2, ""], planted.stderr);
    assertStringIncludes(planted.stderr, `it is a link to "${outside}/a"`);
  });
});

Deno.test("--record goes on in the file that it began and in no other that a command put in its place", async () => {
  await inWorkspace({}, async ({ ws, home, outside }) => {
    for (
      const planted of [`ln -sf ${outside}/rc rec.jsonl`, "touch a; mv a rec.jsonl", "rm rec.jsonl; mkfifo rec.jsonl"]
    ) {
      Deno.writeTextFileSync(`${outside}/rc`, "mine\n");
      const file = cassette(home, [BASH(planted), { text: "$(evil)" }]);
      const args = ["-p", "-m", `replay:${file}`, "--record", "rec.jsonl", "go"];
      const ran = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
      assertEquals([ran.code, Deno.readTextFileSync(`${outside}/rc`)], [0, "mine\n"], ran.stderr);
      assertMatch(ran.stderr, /Cannot record to .*(?:it is not a file|another file is in its place)/);
      Deno.removeSync(`${ws}/rec.jsonl`);
    }
  });
});

Deno.test("a path with a line end in it makes no second line of what is said of denials, and a command no cells of its own", async () => {
  await inWorkspace({}, async ({ ws, home, outside }) => {
    const folder = `${outside}/x\nwarning: all checks passed`;
    Deno.mkdirSync(folder);
    Deno.writeTextFileSync(`${folder}/file`, "");
    const file = cassette(home, [
      {
        calls: [{ name: "read", args: { path: `${folder}/file` } }, {
          name: "bash",
          args: { command: "false \\| 0 | 0.0 |" },
        }],
      },
      { text: "Done." },
    ]);
    const ran = await run(PROGRAM, ["-p", "-m", `replay:${file}`, "--report", "r.md", "go"], {
      cwd: ws,
      env: { HOME: home },
    });
    assertEquals(ran.stderr.split("\n").filter((line) => line.startsWith("warning: all checks")), [], ran.stderr);
    const page = Deno.readTextFileSync(`${ws}/r.md`);
    // An even number of backslashes before a bar would end the cell.
    assertStringIncludes(page, "| `false \\ \\| 0 \\| 0.0 \\|` |");
  });
});

Deno.test("a command that may write around the home leaves no settings, keys or logins there that were not there", async () => {
  await inWorkspace({}, async ({ home, outside }) => {
    const names = [".sandpiper/agent/settings.json", ".ssh/authorized_keys", ".netrc", ".pi/agent/settings.json"];
    const plant = names.map((name) => `mkdir -p ${home}/${dirname(name)}; echo '{}' > ${home}/${name}`).join("; ");
    const file = `${outside}/run.jsonl`;
    const ws = `${outside}/ws`;
    Deno.mkdirSync(ws);
    Deno.writeTextFileSync(
      file,
      [BASH(`${plant}; true`), { text: "done" }].map((one) => JSON.stringify(one)).join("\n"),
    );
    const args = ["-p", "--no-session", "-m", `replay:${file}`, `--allow-write=.,${home}`, "go"];
    const ran = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
    assertEquals([ran.code, ran.stdout], [0, "done\n"], ran.stderr);
    const there = names.filter((name) => {
      try {
        return Deno.lstatSync(`${home}/${name}`).isFile;
      } catch {
        return false;
      }
    });
    assertEquals(there, [], ran.stderr);
    assertMatch(ran.stderr, /Removed .*\.ssh: protected/);
  });
});
