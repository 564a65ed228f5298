// --trial and apply by the whole program: the workspace is never written, and the patch is all that there is of a run.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { cassette, events, inWorkspace, PROGRAM, run, start } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";
import { canMakeMachines, type Left, onMachine, withoutNamespaces } from "../sandbox/machine.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";
import { snapshot, treeAt } from "../trial/trees.ts";

const FILES = {
  "src/a.txt": "one\ntwo\nthree\n",
  "gone.txt": "gone\n",
  "run.sh": "echo ran\n",
  ".gitignore": "node_modules/\n*.log\n",
  "node_modules/p/index.js": "module.exports = 1;\n",
};

interface Place {
  readonly ws: string;
  readonly home: string;
  /** All of the workspace, `.git` among it. */
  readonly shot: () => Readonly<Record<string, string>>;
  readonly program: (...args: readonly string[]) => Promise<Left>;
  /** Runs a task in which the model makes some calls in one reply. */
  readonly trial: (calls: readonly object[], ...args: readonly string[]) => Promise<Left>;
}

const bash = (command: string) => ({ name: "bash", args: { command } });

/** A workspace with a repository whose files are committed. */
function inPlace(work: (place: Place) => Promise<void>, lacks: Parameters<typeof onMachine>[0] = []) {
  return () =>
    inWorkspace(FILES, async ({ ws, home }) => {
      for (const args of [["init", "-qb", "main"], ["add", "-A"], ["commit", "-qm", "one"]]) {
        const env = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
        const names = ["-c", "user.name=n", "-c", "user.email=e@x"];
        assert(new Deno.Command("git", { args: [...names, ...args], cwd: ws, env }).outputSync().success);
      }
      const program = (...args: readonly string[]): Promise<Left> => onMachine(lacks, args, { cwd: ws, home });
      const shot = (): Readonly<Record<string, string>> => {
        const tree = treeAt(ws);
        try {
          return snapshot(tree);
        } finally {
          tree.close();
        }
      };
      await work({
        ws,
        home,
        shot,
        program,
        trial(calls, ...args) {
          const file = cassette(home, [{ calls }, { text: "done" }]);
          return program("-p", "--trial", "-m", `replay:${file}`, ...args, "go");
        },
      });
    });
}

function patchesIn(home: string): string[] {
  const found: string[] = [];
  const walk = (folder: string): void => {
    for (const { name, isDirectory } of Deno.readDirSync(folder)) {
      if (isDirectory) walk(join(folder, name));
      else if (name.endsWith(".patch")) found.push(join(folder, name));
    }
  };
  walk(join(home, ".sandpiper"));
  return found.sort();
}

function copiesIn(home: string): string[] {
  return [...Deno.readDirSync(join(home, ".cache/sandpiper/trials"))].map(({ name }) => name);
}

for (const [level, lacks] of [["kernel+", []], ["kernel", [withoutNamespaces]]] as const) {
  Deno.test({
    name: `at ${level} a trial changes a copy and never the workspace; apply makes the workspace the same`,
    ignore: !CONFINED.includes(level) || (lacks.length > 0 && !canMakeMachines()),
    fn: inPlace(async ({ ws, home, shot, program, trial }) => {
      const before = shot();
      const report = join(home, "report.json");
      const { code, stdout, stderr } = await trial(
        [
          bash(
            "set -e; sed -i s/two/TWO/ src/a.txt; rm gone.txt; chmod +x run.sh; ln -s src link; mkdir -p 'n ew'; " +
              "printf 'x\\0y' > 'n ew/b\nin'; echo noise > some.log; echo changed >> node_modules/p/index.js; " +
              "git add -A; git -c user.name=n -c user.email=e@x commit -qm inside",
          ),
          bash(`echo bad > ${ws}/bad; echo bad >> ${ws}/src/a.txt; rm -rf ${ws}/src; ln ${ws}/run.sh hard; echo tried`),
          bash(`ln -s ${ws} way; echo bad > way/src/a.txt; rm way; cat ${ws}/src/a.txt`),
          { name: "write", args: { path: join(ws, "bad"), content: "bad" } },
          { name: "edit", args: { path: join(ws, "src/a.txt"), edits: [{ oldText: "one", newText: "bad" }] } },
          { name: "write", args: { path: "told.txt", content: "told\n" } },
        ],
        "--report",
        report,
      );
      assertEquals([code, stdout], [0, "done\n"], stderr);
      assertEquals(shot(), before);
      // What went well is no warning.
      assertEquals(stderr.match(/^warning: .*(?:Trial: tools work|The trial changed)/gm), null);
      assertStringIncludes(stderr, "commits and branches are not in the patch");
      assertEquals(copiesIn(home), []);
      const [patch = ""] = patchesIn(home);
      const told = JSON.parse(Deno.readTextFileSync(report));
      assertEquals(told.trial.patch, patch);
      assertEquals(told.sandbox.level, level);
      assertEquals(told.cwd, ws);
      type File = { path: string; kind: string; becomes?: string };
      assertEquals(
        told.trial.files.map(({ path, kind, becomes }: File) => `${kind} ${path} ${becomes ?? ""}`.trimEnd()),
        [
          "deleted gone.txt",
          "created link a link",
          "created n ew/b\nin",
          "mode run.sh executable",
          "changed src/a.txt",
          "created told.txt",
        ],
      );
      assert(
        told.denials.some(({ target }: { target: string }) => target === join(ws, "bad")),
        JSON.stringify(told.denials),
      );
      const applied = await program("apply");
      assertEquals(applied.code, 0, applied.stderr);
      assertStringIncludes(applied.stdout, "\n  mode run.sh, becomes executable\n");
      assertStringIncludes(applied.stdout, "\n  new link +1 -0, a link\n");
      const { "gone.txt": _, "run.sh": script, ...rest } = before;
      assertEquals(shot(), {
        ...rest,
        "run.sh": (script ?? "").replace("file", "program"),
        "src/a.txt": "file one\nTWO\nthree\n",
        link: "link src",
        "n ew/b\nin": "file x\0y",
        "told.txt": "file told\n",
      });
    }, lacks),
  });
}

Deno.test(
  "at permissions a trial holds, too",
  inPlace(async ({ ws, home, shot, trial, program }) => {
    const before = shot();
    const { code, stderr } = await trial(
      [
        { name: "write", args: { path: join(ws, "bad"), content: "bad" } },
        { name: "write", args: { path: "told.txt", content: "told\n" } },
        bash(`echo bad > ${ws}/bad; echo more > more.txt`),
      ],
      "--sandbox",
      "permissions",
    );
    assertEquals([code, shot(), copiesIn(home)], [0, before, []], stderr);
    assertEquals((await program("apply")).code, 0);
    assertEquals(shot(), { ...before, "told.txt": "file told\n", "more.txt": "file more\n" });
  }),
);

Deno.test(
  "what may not be read in the workspace may not be read in its copy, however it is written",
  inPlace(async ({ ws, trial }) => {
    Deno.writeTextFileSync(join(ws, "secret.txt"), "hunter2\n");
    for (const denied of ["secret.txt", join(ws, "secret.txt")]) {
      for (const more of [[], ["--allow-read"]]) {
        const { code, stdout, stderr } = await trial(
          [bash(`cat secret.txt ${ws}/secret.txt; cat ../../kept/secret.txt; ls ../..; true`)],
          ...[`--deny-read=${denied}`, "--mode", "json", ...more],
        );
        assertEquals(code, 0, stderr);
        assert(!stdout.includes("hunter2"), `${denied} ${more}`);
      }
    }
  }),
);

Deno.test(
  "what would widen a trial, or leave nothing of it, is refused before anything is sent",
  inPlace(async ({ ws, home, shot, program }) => {
    const file = cassette(home, [{ text: "done" }]);
    const outside = join(home, "outside");
    Deno.mkdirSync(outside);
    const before = shot();
    for (
      const [args, why] of [
        [["--trial", "--read-only"], "contradict each other"],
        [["--trial", "--allow-write=+" + outside], "only the workspace is copied"],
        [["--trial", "--allow-write"], "only the workspace is copied"],
        [["--trial", "--deny-write=."], "tools may write nothing in the workspace"],
        [["--trial", "--sandbox", "off"], "nothing would keep tools out"],
        [["--trial", "--no-session"], "no folder for it"],
        [["--patch", "x.patch"], "only a trial makes a patch"],
        [["--trial", "--patch", "none/x.patch"], "there is no folder"],
        [["--trial", "-C", home], "is your home folder"],
      ] as const
    ) {
      const { code, stdout, stderr } = await program("-p", "-m", `replay:${file}`, ...args, "go");
      assertEquals([code, stdout], [2, ""], `${args}: ${stderr}`);
      assertStringIncludes(stderr, why);
    }
    const tool = await program("tool", "--trial", "bash", "--", "echo bad > bad");
    assertEquals([tool.code, shot()], [2, before], tool.stderr);
    const trials = join(home, ".cache/sandpiper/trials");
    assertEquals([...Deno.readDirSync(trials)], [], ws);
  }),
);

Deno.test(
  "a trial takes its part in checks, conditions, JSON and sessions",
  inPlace(async ({ home, shot, trial, program }) => {
    const before = shot();
    const patch = join(home, "p.patch");
    const checked = await trial(
      [bash("echo new > new.txt")],
      ...["--require", "test -f new.txt && test -f node_modules/p/index.js", "--patch", patch],
    );
    assertEquals([checked.code, shot()], [0, before], checked.stderr);
    assertStringIncludes(Deno.readTextFileSync(patch), "+++ b/new.txt");
    assertEquals(checked.stderr, `The trial changed 1 file: ${patch}. To apply it: sandpiper apply ${patch}\n`);
    assertEquals(patchesIn(home), []);
    const nothing = await trial([bash("true")], "--fail-on", "no-change", "-c");
    assertEquals(nothing.code, 5, nothing.stderr);
    assertStringIncludes(nothing.stderr, "The trial changed nothing");
    const json = await trial([bash("echo second > second.txt; git diff > all.log")], "--mode", "json", "-c");
    const all = events(json.stdout);
    const last = all.at(-1);
    assertEquals([json.code, last.type, last.trial.files.length], [0, "run_report", 1], json.stderr);
    const change = all.find(({ type, changes }) => type === "changes" && changes.of === "run");
    assertEquals(change.changes.files.map(({ path }: { path: string }) => path), ["all.log", "second.txt"]);
    const again = await trial([bash("echo third > third.txt")], "-c");
    assertEquals(again.code, 0, again.stderr);
    const listed = JSON.parse((await program("sessions", "list", "--json")).stdout);
    assertEquals(listed.length, 1);
    assertEquals(patchesIn(home).length, 2, "an earlier patch is no less than a later one");
    assertEquals((await program("undo", "--list")).code, 0);
    const undone = await program("undo");
    assertEquals([undone.code, shot()], [1, before]);
    assertStringIncludes(
      undone.stderr,
      "/third.txt is left as it is: it was in the private copy of a trial, which is removed",
    );
    assertEquals([(await program("apply", patch)).code, (await program("apply")).code], [0, 0]);
    assertEquals(shot(), { ...before, "new.txt": "file new\n", "third.txt": "file third\n" });
    assertEquals(Object.keys(shot()).filter((name) => name.endsWith(".patch")), []);
    const twice = await program("apply", "--json");
    assertEquals([twice.code, JSON.parse(twice.stdout).misfits.length], [1, 1]);
    assertEquals((await program("sessions", "delete", "latest", "--yes")).code, 0);
    assertEquals(patchesIn(home), []);
  }),
);

Deno.test(
  "a denial in a trial names an option that works when it is typed",
  inPlace(async ({ ws, home, shot, trial }) => {
    Deno.mkdirSync(join(ws, "lib"));
    const before = shot();
    const write = { name: "write", args: { path: "lib/new.txt", content: "x\n" } };
    for (const call of [bash("echo x > $PWD/lib/new.txt"), write]) {
      const first = await trial([call], "--allow-write=src");
      const option = /--allow-write=\S*[^\s;]/.exec(first.stderr)?.[0] ?? "";
      assertEquals(option, `--allow-write=+${ws}/lib/`, first.stderr);
      const second = await trial([call], option, "--patch", `${home}/p`);
      assertEquals([second.code, shot()], [0, before], second.stderr);
      assertStringIncludes(Deno.readTextFileSync(`${home}/p`), "+++ b/lib/new.txt");
    }
  }),
);

Deno.test(
  "a folder that is granted and missing is made in the copy, and never in the workspace",
  inPlace(async ({ ws, shot, trial, program }) => {
    const before = shot();
    const made = [bash("echo 1 > one/f; echo 2 > two/f")];
    const { code, stderr } = await trial(made, `--allow-write=${ws}/one/,two/`);
    assertEquals([code, stderr.includes("Nothing is at"), shot()], [0, false, before], stderr);
    assertEquals([...Deno.readDirSync(ws)].filter(({ name }) => name === "one" || name === "two"), []);
    const applied = await program("apply", "--allow-write=.");
    assertEquals([applied.code, shot()], [0, { ...before, "one/f": "file 1\n", "two/f": "file 2\n" }], applied.stderr);
  }),
);

Deno.test(
  "apply refuses a foreign patch that touches what is protected or closed, and changes nothing, not even the rest of it",
  inPlace(async ({ home, shot, program }) => {
    const before = shot();
    const created = (path: string): string =>
      `diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+bad\n`;
    const file = join(home, "foreign.patch");
    for (
      const [path, why, ...args] of [
        [".envrc", "it is protected"],
        [".vscode/tasks.json", "it is protected"],
        [".VSCode/tasks.json", "it is protected"],
        [".gitmodules", "it is protected"],
        [".git/hooks/pre-commit", "it is git's own"],
        ["../home/.bashrc", "it lies outside of the workspace"],
        ["src/new.txt", "it is protected", "--deny-write=src"],
        ["new.txt", "it lies outside of what tools may write", "--allow-write=src"],
        ["new.txt", "it lies outside of what tools may write", "--read-only"],
      ] as const
    ) {
      Deno.writeTextFileSync(file, (path.startsWith("src") ? "" : created("src/fine.txt")) + created(path));
      const { code, stderr } = await program("apply", file, ...args);
      assertEquals([code, shot()], [1, before], stderr);
      assertStringIncludes(stderr, `${path}: ${why}`);
    }
    Deno.writeTextFileSync(file, "no patch\n");
    assertEquals((await program("apply", file)).code, 2);
    const none = await program("apply");
    assertEquals([none.code, shot()], [2, before], none.stderr);
  }),
);

Deno.test("an interrupted trial leaves its patch and no copy; a killed one's is removed by the next", () =>
  inWorkspace(FILES, async ({ ws, home }) => {
    const calls = [bash("echo first > first.txt; chmod 500 src; sleep 600")];
    const options = { cwd: ws, env: { HOME: home } };
    const begin = async (): Promise<Deno.ChildProcess> => {
      const child = start(PROGRAM, ["-p", "--trial", "-m", `replay:${cassette(home, [{ calls }])}`, "go"], options);
      const copy = (): string => `${home}/.cache/sandpiper/trials/${copiesIn(home)[0]}/work/ws/first.txt`;
      await until(() => {
        try {
          return Deno.statSync(copy()).isFile;
        } catch {
          return false;
        }
      });
      return child;
    };
    const interrupted = await begin();
    interrupted.kill("SIGTERM");
    const { code, stderr } = await interrupted.output();
    assertEquals(code, 143, new TextDecoder().decode(stderr));
    assertEquals(copiesIn(home), []);
    assertStringIncludes(Deno.readTextFileSync(patchesIn(home)[0] ?? ""), "+first");
    const killed = await begin();
    killed.kill("SIGKILL");
    await killed.output();
    assertEquals(copiesIn(home).length, 1);
    const next = await run(
      PROGRAM,
      ["-pv", "--trial", "-m", `replay:${cassette(home, [{ text: "done" }])}`, "go"],
      options,
    );
    assertEquals([next.code, copiesIn(home)], [0, []], next.stderr);
    assertMatch(
      next.stderr,
      /^Trial: tools work on a private copy .* copied 5 files, .* \(reflink: (?:yes|no|partly)\)/,
    );
  }));
