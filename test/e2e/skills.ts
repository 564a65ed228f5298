import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { cassette, events, inWorkspace, type Program, run } from "../helpers/program.ts";

/** The skills that come with the program, each used as a model would: read, then followed. */
export function bundledSkills(program: Program): void {
  const test = (name: string, work: () => Promise<void>): void => Deno.test(`${program.name}: ${name}`, work);

  test("the commit skill is read and followed: two ideas, two commits, the secret stays out R117 R509", async () => {
    await inWorkspace({}, async ({ ws, home }) => {
      const git = repository(ws, { "add.sh": "echo $(($1 - $2))\n", "README.md": "Adds.\n" });
      Deno.writeTextFileSync(join(ws, "add.sh"), "echo $(($1 + $2))\n");
      Deno.writeTextFileSync(join(ws, "README.md"), "Adds two numbers.\n");
      Deno.writeTextFileSync(join(ws, "key.env"), "TOKEN=x\n");
      const message = (text: string): string => `git commit -q -F - <<'END'\n${text}\nEND`;
      const file = cassette(home, [
        { calls: [{ name: "read", args: { path: await location(program, ws, home, "commit") } }] },
        {
          expect: ["Stage by path", "never everything at once"],
          calls: [bash("git status --short --branch; git diff; git diff --cached; git log -8")],
        },
        { expect: ["?? key.env"], calls: [bash(`git add -- add.sh && ${message("add: adds\n\nIt took $2 away.")}`)] },
        { calls: [bash(`git add -- README.md && ${message("readme: say what is added")}`)] },
        { calls: [bash("git log --oneline -2; git status --short")] },
        { expect: ["readme: say what is added"], text: "Two commits; key.env was left out." },
      ]);
      const ran = await run(program, ["-p", "-m", `replay:${file}`, "commit"], { cwd: ws, env: { HOME: home } });
      assertEquals([ran.code, ran.stdout], [0, "Two commits; key.env was left out.\n"], ran.stderr);
      assertEquals(
        git("log", "--format=%B", "-2").replace(/\n+/g, "\n"),
        [
          "readme: say what is added",
          "add: adds",
          "It took $2 away.",
          "",
        ].join("\n"),
      );
      assertEquals(git("status", "--short"), "?? key.env\n");
    });
  });

  test("a skill linked into a folder of the user can be read where it is; one that would open more is left out", async () => {
    await inWorkspace({}, async ({ ws, home }) => {
      const skill = (name: string): string => `---\nname: ${name}\ndescription: Does ${name}.\n---\nText of ${name}.\n`;
      const put = (folder: string, name: string): void => {
        Deno.mkdirSync(join(home, folder), { recursive: true });
        Deno.writeTextFileSync(join(home, folder, "SKILL.md"), skill(name));
      };
      put(".claude/skills/rel", "rel");
      put("dotfiles/skills/team/deep", "deep");
      put("elsewhere/planted", "planted");
      put(".ssh", "keys");
      Deno.writeTextFileSync(join(home, ".ssh/id_rsa"), "s3cret");
      Deno.writeTextFileSync(join(home, "elsewhere/planted/other"), "s3cret");
      Deno.writeTextFileSync(join(home, ".claude/settings.json"), "s3cret");
      Deno.mkdirSync(join(home, ".agents/skills"), { recursive: true });
      Deno.symlinkSync("../../.claude/skills/rel", join(home, ".agents/skills/rel"));
      Deno.symlinkSync(join(home, "dotfiles/skills/team"), join(home, ".agents/skills/team"));
      Deno.symlinkSync(join(home, ".ssh"), join(home, ".agents/skills/keys"));
      Deno.mkdirSync(join(ws, ".agents/skills"), { recursive: true });
      Deno.symlinkSync(join(home, "elsewhere/planted"), join(ws, ".agents/skills/planted"));
      const at = (path: string): string => join(home, ".agents/skills", path);
      const file = cassette(home, [
        {
          calls: [
            { name: "read", args: { path: at("rel/SKILL.md") } },
            bash(`cat ${at("rel/SKILL.md")} ${at("team/deep/SKILL.md")}`),
            bash(`cat ${at("keys/id_rsa")} ${home}/.claude/settings.json ${ws}/.agents/skills/planted/other`),
          ],
        },
        { text: "done" },
      ]);
      const args = ["--trust", "--mode", "json", "--no-session", "-m", `replay:${file}`, "go"];
      const ran = await run(program, args, { cwd: ws, env: { HOME: home } });
      const ends = events(ran.stdout).filter(({ type }) => type === "tool_execution_end")
        .map(({ result }) => result.content[0].text);
      assertStringIncludes(ends[0] ?? "", "Text of rel.", ran.stderr);
      assertStringIncludes(ends[1] ?? "", "Text of rel.");
      assertStringIncludes(ends[1] ?? "", "Text of deep.");
      assert(!String(ends[2]).includes("s3cret"), ends[2]);
      const prompt = (await run(program, ["prompt", "--trust"], { cwd: ws, env: { HOME: home } })).stdout;
      assertStringIncludes(prompt, "rel/SKILL.md");
      assertStringIncludes(prompt, "deep/SKILL.md");
      assert(!prompt.includes("keys/SKILL.md") && !prompt.includes("planted/SKILL.md"), prompt);
    });
  });

  test("the review skill is read and followed: a finding with its proof, and nothing changed", async () => {
    await inWorkspace({}, async ({ ws, home }) => {
      const git = repository(ws, { "clean.sh": 'rm -f "$1"/*.tmp\n', "use.sh": 'sh clean.sh "$DIR"\n' });
      Deno.writeTextFileSync(join(ws, "clean.sh"), "echo cleaning\nrm -f $1/*.tmp\n");
      const before = git("diff");
      const reproduction =
        'd=$(mktemp -d) && mkdir "$d/a b" && touch "$d/a b/x.tmp" && sh clean.sh "$d/a b"; ls "$d/a b"';
      const file = cassette(home, [
        { calls: [bash(`cat ${quoted(await location(program, ws, home, "review"))}`)] },
        {
          expect: ["one line of verdict first"],
          calls: [bash("git diff HEAD; git status --short; grep -rn clean.sh .")],
        },
        { expect: ["use.sh:1"], calls: [{ name: "read", args: { path: "clean.sh" } }, bash(reproduction)] },
        { expect: ["x.tmp"], text: "Not safe: clean.sh:2 fails for names with a space." },
      ]);
      const ran = await run(program, ["-p", "-m", `replay:${file}`, "review"], { cwd: ws, env: { HOME: home } });
      assertEquals([ran.code, ran.stdout], [0, "Not safe: clean.sh:2 fails for names with a space.\n"], ran.stderr);
      assertEquals([git("diff"), git("status", "--short")], [before, " M clean.sh\n"]);
    });
  });

  test("the debug skill is read and followed: reproduced, tested, mended at its cause", async () => {
    await inWorkspace({}, async ({ ws, home }) => {
      repository(ws, { "last.sh": 'shift $(($# - 2))\necho "$1"\n' });
      const path = await location(program, ws, home, "debug");
      const file = cassette(home, [
        { calls: [{ name: "read", args: { path, limit: 12 } }, { name: "read", args: { path } }] },
        {
          expect: ["Reproduce it with one command"],
          calls: [bash("sh last.sh a b c; sh last.sh a b c; git log -S shift")],
        },
        { expect: ["more lines in file"], calls: [{ name: "read", args: { path: "last.sh" } }] },
        {
          calls: [{
            name: "write",
            args: { path: "test.sh", content: '[ "$(sh last.sh a b c)" = c ] && echo passed\n' },
          }],
        },
        { calls: [bash("sh test.sh")] },
        {
          expect: ["exited with code 1"],
          calls: [{ name: "edit", args: { path: "last.sh", edits: [{ oldText: "$# - 2", newText: "$# - 1" }] } }],
        },
        {
          calls: [
            bash(
              "sh test.sh && git worktree add -q --detach old HEAD && sh old/last.sh a b c; git worktree remove old",
            ),
          ],
        },
        { expect: ["passed\\nb"], text: "It shifted one too few." },
      ]);
      const ran = await run(program, ["-p", "-m", `replay:${file}`, "why?"], { cwd: ws, env: { HOME: home } });
      assertEquals([ran.code, ran.stdout], [0, "It shifted one too few.\n"], ran.stderr);
      assertStringIncludes(Deno.readTextFileSync(join(ws, "last.sh")), "$# - 1");
    });
  });

  test("the folder of the bundled skills can be read and not written R148", async () => {
    await inWorkspace({}, async ({ ws, home }) => {
      const path = await location(program, ws, home, "commit");
      const before = Deno.readTextFileSync(path);
      const file = cassette(home, [
        {
          calls: [
            { name: "write", args: { path, content: "x" } },
            bash(`echo x >> ${quoted(path)}; ls ${quoted(path)}`),
          ],
        },
        { text: "Tried." },
      ]);
      const ran = await run(program, ["-p", "-m", `replay:${file}`, "try"], { cwd: ws, env: { HOME: home } });
      assertEquals([ran.code, Deno.readTextFileSync(path)], [0, before], ran.stderr);
    });
  });
}

/** Of the binary alone: from source they lie in the repository, and nothing is copied. */
export function unpackedSkills(program: Program): void {
  const test = (name: string, work: () => Promise<void>): void => Deno.test(`${program.name}: ${name}`, work);

  test("without a home the bundled skills lie among temporary files, readable and not writable R7 R120 R148", async () => {
    await inWorkspace({}, async ({ ws, home }) => {
      const env = { TMPDIR: Deno.makeTempDirSync({ dir: home }) };
      const { stdout } = await run(program, ["prompt"], { cwd: ws, env });
      const path = /<location>(.*?)<\/location>/.exec(stdout)?.[1] ?? "";
      assert(path.startsWith(`${env.TMPDIR}/`), stdout);
      assertEquals((Deno.statSync(join(path, "../../..")).mode ?? 0) & 0o777, 0o700);
      const file = cassette(home, [
        { calls: [{ name: "read", args: { path } }, { name: "write", args: { path, content: "x" } }] },
        { expect: ["# Commit"], calls: [bash(`head -2 ${quoted(path)}; echo x >> ${quoted(path)}`)] },
        { expect: ["name: commit"], text: "Tried." },
      ]);
      const before = Deno.readTextFileSync(path);
      const ran = await run(program, ["-p", "-m", `replay:${file}`, "try"], { cwd: ws, env });
      assertEquals([ran.code, ran.stdout, Deno.readTextFileSync(path)], [0, "Tried.\n", before], ran.stderr);
    });
  });

  test("the default prompt with the bundled skills has at most 2,600 characters in a plain home", async () => {
    await inWorkspace({ ".git/HEAD": "ref: refs/heads/main\n", ".git/config": "" }, async ({ ws, home }) => {
      // Without toolchains of the machine that tests run on.
      const { stdout } = await run(program, ["prompt"], { cwd: ws, env: { HOME: home, PATH: "/usr/bin:/bin" } });
      const text = stdout.trimEnd().replaceAll(ws, "/home/ana/app").replaceAll(home, "/home/ana");
      assertEquals([text.match(/<skill>/g)?.length, text.match(/^- (?:read|bash|edit|write): /gm)?.length], [3, 4]);
      assert([...text].length <= 2600, `${[...text].length} characters:\n${text}`);
    });
  });

  test("bundled skills that can be copied nowhere are told of, with what to do R123", async () => {
    await inWorkspace({}, async ({ ws, home }) => {
      // Somebody else's folder in their place: nothing is taken from it.
      Deno.mkdirSync(join(home, `sandpiper-files-${Deno.uid()}`), { mode: 0o777 });
      Deno.chmodSync(join(home, `sandpiper-files-${Deno.uid()}`), 0o777);
      const env = { TMPDIR: home };
      const listed = await run(program, ["skills"], { cwd: ws, env });
      assertEquals([listed.code, listed.stdout.split("\n")[0]], [0, "No skills"]);
      const manifest = JSON.parse((await run(program, ["prompt", "--manifest"], { cwd: ws, env })).stdout);
      const [told] = manifest.diagnostics.filter((one: { code: string }) => one.code === "missing_file");
      for (const text of [listed.stdout, told.message]) assertStringIncludes(text, "Set HOME or XDG_CACHE_HOME");
      assertEquals((await run(program, ["skills", "--no-skills"], { cwd: ws, env })).stdout, "No skills\n");
    });
  });
}

/** Makes a git repository with one commit and gives a way to run git in it. */
function repository(folder: string, files: Readonly<Record<string, string>>): (...args: string[]) => string {
  const git = (...args: string[]): string => {
    const { success, stdout, stderr } = new Deno.Command("git", { args, cwd: folder }).outputSync();
    assert(success, new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout);
  };
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Somebody");
  git("config", "user.email", "somebody@example.com");
  for (const [name, text] of Object.entries(files)) Deno.writeTextFileSync(join(folder, name), text);
  git("add", ".");
  git("commit", "-q", "-m", "start: first version");
  return git;
}

/** Where the prompt says that a skill lies. */
async function location(program: Program, ws: string, home: string, name: string): Promise<string> {
  const { stdout } = await run(program, ["prompt"], { cwd: ws, env: { HOME: home } });
  const found = new RegExp(`<name>${name}</name>[^]*?<location>(.*?)</location>`).exec(stdout)?.[1];
  assert(found !== undefined && found.endsWith(`/${name}/SKILL.md`), stdout);
  return found;
}

function bash(command: string): { readonly name: string; readonly args: { readonly command: string } } {
  return { name: "bash", args: { command } };
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
