import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { cassette, FULL_PROGRAM, inWorkspace, PROGRAM, type Ran, run } from "../../helpers/program.ts";

// A repository or an earlier command has put a link to a key where the user's command line reads.

const KEY = "KEYKEYKEY";
const SECRET_SKILL = `---\nname: s\ndescription: ${KEY}\n${KEY}: x\n---\n${KEY}\n`;
const common = ["-p", "--model", "replay:../outside/cassette.jsonl", "--session-dir", "../outside/sessions"];

/** Runs the program in a workspace with links, a key at ~/.ssh/id_rsa, and a request that must not have the key in it. */
async function attack(
  links: Readonly<Record<string, string>>,
  args: readonly string[],
  { files = {}, program = PROGRAM }: { files?: Readonly<Record<string, string>>; program?: typeof PROGRAM } = {},
): Promise<Ran> {
  let ran: Ran = { code: -1, stdout: "", stderr: "" };
  await inWorkspace({ "a.txt": "one\n", ...files }, async ({ ws, home, outside }) => {
    cassette(outside, [{ text: "SENT-THE-KEY", expect: [KEY] }]);
    for (const folder of [".ssh", "s", "plans", "x"]) Deno.mkdirSync(`${home}/${folder}`);
    Deno.writeTextFileSync(`${home}/.ssh/id_rsa`, `${KEY}\n`);
    Deno.writeTextFileSync(`${home}/s/SKILL.md`, SECRET_SKILL);
    Deno.writeTextFileSync(`${home}/plans/t.md`, `${KEY}\n`);
    Deno.writeTextFileSync(`${home}/x/index.ts`, "throw new Error('it ran');\n");
    Deno.writeTextFileSync(`${home}/schema.json`, `{"title": "${KEY}"}`);
    Deno.writeTextFileSync(`${home}/tasks.jsonl`, `{"id":"${KEY}"}\n`);
    for (const [name, target] of Object.entries(links)) {
      Deno.symlinkSync(target.replace("HOME", home), `${ws}/${name}`);
    }
    const named = args.map((arg) => arg.replace("WS", ws).replace("HOME", home));
    ran = await run(program, named, { cwd: ws, env: { HOME: home } });
  });
  assert(!`${ran.stdout}${ran.stderr}`.includes("SENT-THE-KEY"), ran.stdout + ran.stderr);
  // The recording's own demand names the key.
  const shown = ran.stderr.split("\n").filter((line) => !line.includes("Cassette ")).join("\n");
  assert(!`${ran.stdout}${shown}`.includes(KEY), ran.stdout + ran.stderr);
  return ran;
}

const key = { out: "HOME/.ssh/id_rsa" };
const REJECTED: readonly (readonly [name: string, links: Readonly<Record<string, string>>, args: readonly string[]])[] =
  [
    ["@file", key, [...common, "go", "@out"]],
    ["@./file", key, [...common, "go", "@./out"]],
    ["@ and an absolute name", key, [...common, "go", "@WS/out"]],
    ["@file in a linked directory", { dir: "HOME/.ssh" }, [...common, "go", "@dir/id_rsa"]],
    ["@file by a chain of links", { out: "one", one: "../home/.ssh/id_rsa" }, [...common, "@out"]],
    ["@file by a magic link", { root: "/proc/self/root" }, [...common, "@rootHOME/.ssh/id_rsa"]],
    ["@file of the environment", { env: "/proc/self/environ" }, [...common, "@env"]],
    ["--output-schema", { out: "HOME/schema.json" }, [...common, "--output-schema", "out", "go"]],
    ["--template and a file", { "t.md": "HOME/plans/t.md" }, [...common, "--template", "t.md", "--", "/t"]],
    ["--template and a directory", { tp: "HOME/plans" }, [...common, "--template", "tp", "--", "/t"]],
    ["--skill and a directory", { sk: "HOME/s" }, [...common, "--skill", "sk", "--", "/skill:s"]],
    ["--skill and a file", { "SKILL.md": "HOME/s/SKILL.md" }, [...common, "--skill", "SKILL.md", "--", "/skill:s"]],
    ["-e and a file", { "e.ts": "HOME/x/index.ts" }, [...common, "-e", "e.ts", "go"]],
    ["-e and a directory", { e: "HOME/x" }, [...common, "-e", "e", "go"]],
    ["a recording to replay", { rec: "HOME/.ssh/id_rsa" }, ["-p", "--model", "replay:rec", "go"]],
    ["a patch", { "p.diff": "HOME/.ssh/id_rsa" }, ["apply", "p.diff"]],
    ["tasks of a batch", { "t.jsonl": "HOME/tasks.jsonl" }, ["batch", "t.jsonl", "-o", "../outside/results"]],
    ["results of a batch", { res: "HOME" }, ["batch", "report", "res"]],
    ["a packed program", { prog: "HOME/.ssh/id_rsa" }, ["pack", "--inspect", "prog"]],
    ["a prompt of a pack", key, ["pack", "-o", "x", "--append-system-prompt", "out", "--target", "none"]],
    ["settings of a pack", key, ["pack", "-o", "x", "--settings", "out", "--target", "none"]],
    ["skills of a pack", { sk: "HOME" }, ["pack", "-o", "x", "--skills", "sk", "--target", "none"]],
    ["the program of a pack", key, ["pack", "-o", "x", "--target", "out"]],
    ["a skill to validate", { sk: "HOME/s" }, ["skills", "validate", "sk"]],
    ["a skill's file to validate", { "SKILL.md": "HOME/s/SKILL.md" }, ["skills", "validate", "SKILL.md"]],
    ["an agent to validate", { "a.md": "HOME/s/SKILL.md" }, ["agents", "validate", "a.md"]],
    ["a recording to check", { "r.jsonl": "HOME/.ssh/id_rsa" }, ["check", "r.jsonl"]],
    ["a session to resume", { "s.jsonl": "HOME/.ssh/id_rsa" }, [...common, "-r", "s.jsonl", "go"]],
    ["a session to fork", { "s.jsonl": "HOME/.ssh/id_rsa" }, [...common, "--fork", "./s.jsonl", "go"]],
    ["a session to show", { "s.jsonl": "HOME/.ssh/id_rsa" }, ["sessions", "show", "./s.jsonl"]],
    ["a session to import", { "s.jsonl": "HOME/.ssh/id_rsa" }, ["sessions", "import", "./s.jsonl"]],
  ];
for (const [name, links, args] of REJECTED) {
  Deno.test(`a link out of the workspace is rejected as ${name}`, async () => {
    const { code, stderr } = await attack(links, args);
    assertEquals(code, 2, stderr);
    assertStringIncludes(stderr, "is a link to");
  });
}

Deno.test("a link inside a directory that the user names is left out if it leads out of the workspace", async () => {
  const cases: readonly (readonly [Readonly<Record<string, string>>, readonly string[], Record<string, string>])[] = [
    [{ "sk/s": "../../home/s" }, [...common, "--skill", "sk", "--", "/skill:s"], { "sk/keep": "" }],
    [{ "sk/s/SKILL.md": "HOME/.ssh/id_rsa" }, [...common, "--skill", "sk", "--", "/skill:s"], { "sk/s/keep": "" }],
    [{ "sk/s": "../../home/s" }, ["skills", "validate", "sk"], { "sk/keep": "" }],
    [{ "tp/t.md": "HOME/plans/t.md" }, [...common, "--template", "tp", "--", "/t"], { "tp/keep": "" }],
  ];
  for (const [links, args, files] of cases) {
    const { code, stderr } = await attack(links, args, { files });
    assert(code !== 0, stderr);
  }
});

Deno.test("a project's own files that are links out of it are left out, trusted or not", async () => {
  const cases: readonly (readonly [Readonly<Record<string, string>>, Record<string, string>])[] = [
    [{ "AGENTS.md": "HOME/.ssh/id_rsa" }, {}],
    [{ "CLAUDE.md": "../home/.ssh/id_rsa" }, {}],
    [{ ".sandpiper/SYSTEM.md": "HOME/.ssh/id_rsa" }, { ".sandpiper/keep": "" }],
    [{ ".agents/skills": "../../home" }, { ".agents/keep": "" }],
    [{ ".sandpiper/skills": "HOME" }, { ".sandpiper/keep": "" }],
    [{ ".sandpiper": "HOME/plans" }, {}],
    [{ ".sandpiper/settings.json": "HOME/schema.json" }, { ".sandpiper/keep": "" }],
    [{ ".mcp.json": "HOME/schema.json" }, {}],
    [{ ".sandpiper/prompts": "HOME/plans" }, { ".sandpiper/keep": "" }],
    [{ ".sandpiper/agents": "HOME/plans" }, { ".sandpiper/keep": "" }],
    [{ "SOUL.md": "HOME/.ssh/id_rsa" }, {}],
    [{ ".sandpiper/extensions": "HOME" }, { ".sandpiper/keep": "" }],
    [{ ".sandpiper/extensions/x.ts": "HOME/x/index.ts" }, { ".sandpiper/extensions/keep": "" }],
  ];
  for (const [links, files] of cases) {
    const { stdout, stderr } = await attack(links, [...common, "--trust", "go"], { files, program: FULL_PROGRAM });
    assert(!`${stdout}${stderr}`.includes("it ran"), stderr);
  }
});

Deno.test("a link in another repository than that of the workspace leads nowhere outside of it either", async () => {
  await inWorkspace({ "a.txt": "one\n" }, async ({ ws, home, outside }) => {
    const clone = `${home}/clone`;
    for (const folder of [`${clone}/.git`, `${clone}/sub`, `${home}/.ssh`, `${home}/s`]) {
      Deno.mkdirSync(folder, { recursive: true });
    }
    Deno.writeTextFileSync(`${clone}/.git/HEAD`, "ref: refs/heads/main\n");
    Deno.writeTextFileSync(`${clone}/sub/notes`, `${KEY}\n`);
    Deno.writeTextFileSync(`${home}/.ssh/id_rsa`, `${KEY}\n`);
    Deno.writeTextFileSync(`${home}/s/SKILL.md`, SECRET_SKILL);
    Deno.writeTextFileSync(`${home}/.bashrc`, "mine\n");
    Deno.mkdirSync(`${home}/other/.git`, { recursive: true });
    Deno.writeTextFileSync(`${home}/other/key`, `${KEY}\n`);
    Deno.symlinkSync(`${home}/other`, `${clone}/other`);
    Deno.symlinkSync("sub/notes", `${clone}/inside`);
    Deno.symlinkSync(clone, `${home}/own`);
    for (const [name, target] of [["key", ".ssh/id_rsa"], ["s", "s"], ["out", ".bashrc"]]) {
      Deno.symlinkSync(`${home}/${target}`, `${clone}/sub/${name}`);
    }
    const asked = async (...args: string[]): Promise<Ran> => {
      cassette(outside, [{ text: "SENT", expect: [KEY] }]);
      return await run(PROGRAM, [...common, ...args], { cwd: ws, env: { HOME: home } });
    };
    for (
      const args of [
        ["go", `@${clone}/sub/key`],
        ["go", "@../home/own/sub/key"],
        ["go", `@${clone}/other/key`],
        ["--append-system-prompt", "@../home/clone/sub/key", "go"],
        ["--skill", `${clone}/sub/s`, "--", "/skill:s"],
        ["-o", `${clone}/sub/out`, "go"],
        ["--report", "../home/own/sub/out", "go"],
        ["-C", `${clone}/sub/s`, "go"],
      ]
    ) {
      const { code, stderr } = await asked(...args);
      assertEquals(code, 2, `${args}: ${stderr}`);
      assertStringIncludes(stderr, "which is outside of");
    }
    for (const path of [`${clone}/inside`, "../home/own/inside", "../home/clone/sub/notes"]) {
      const { code, stderr } = await asked("go", `@${path}`);
      assertEquals(code, 0, `${path}: ${stderr}`);
    }
    // A home that is a repository has links of the user's own.
    Deno.mkdirSync(`${home}/.git`);
    Deno.symlinkSync(`${outside}/notes`, `${home}/notes`);
    Deno.writeTextFileSync(`${outside}/notes`, `${KEY}\n`);
    const { code, stderr } = await asked("go", "@../home/notes");
    assertEquals(code, 0, stderr);
    assertEquals(Deno.readTextFileSync(`${home}/.bashrc`), "mine\n");
  });
});

Deno.test("a batch clones no repository that tools can write, but the one around the current directory", async () => {
  await inWorkspace({ "a.txt": "one\n" }, async ({ ws, home, outside }) => {
    const git = async (folder: string, ...args: string[]): Promise<void> => {
      const identity = ["-c", "user.name=u", "-c", "user.email=u@u"];
      assertEquals(
        (await new Deno.Command("git", { args: ["-C", folder, ...identity, ...args] }).output()).success,
        true,
      );
    };
    Deno.mkdirSync(`${home}/private`);
    for (const folder of [`${home}/private`, ws]) {
      Deno.writeTextFileSync(`${folder}/f`, folder === ws ? "mine\n" : `${KEY}\n`);
      await git(folder, "init", "--quiet");
      await git(folder, "add", "f");
      await git(folder, "commit", "--quiet", "-m", "one");
    }
    Deno.symlinkSync(`${home}/private`, `${ws}/link`);
    Deno.mkdirSync(`${ws}/file`);
    Deno.writeTextFileSync(`${ws}/file/.git`, `gitdir: ${home}/private/.git\n`);
    for (const folder of ["inner/.git", "bare"]) {
      Deno.mkdirSync(`${ws}/${folder}`, { recursive: true });
      for (const { name } of Deno.readDirSync(`${home}/private/.git`)) {
        Deno.symlinkSync(`${home}/private/.git/${name}`, `${ws}/${folder}/${name}`);
      }
    }
    const batch = async (repository: string): Promise<Ran> => {
      cassette(outside, [{ calls: [{ name: "read", args: { path: "f" } }] }, { text: "SENT", expect: ["mine"] }]);
      const task = { id: "t", workspace: { git: repository }, prompt: "go", model: `replay:${outside}/cassette.jsonl` };
      Deno.writeTextFileSync(`${ws}/t.jsonl`, JSON.stringify(task) + "\n");
      const results = `${outside}/${crypto.randomUUID()}`;
      return await run(PROGRAM, ["batch", "t.jsonl", "-o", results], { cwd: ws, env: { HOME: home } });
    };
    for (const name of ["link", "./link/.git", "file", "inner", "inner/.git", "bare", `${ws}/bare`]) {
      for (const repository of [name, ...name.startsWith("/") ? [`file://${name}`] : [`file://${ws}/${name}`]]) {
        const { code, stderr } = await batch(repository);
        assertEquals(code, 2, `${repository}: ${stderr}`);
      }
    }
    for (const repository of [".", ws, `file://${ws}`]) {
      const { code, stdout, stderr } = await batch(repository);
      assertEquals(code, 0, `${repository}: ${stdout}${stderr}`);
    }
  });
});

Deno.test("a skill that is named from another directory opens nothing there, and no link leads to it", async () => {
  await inWorkspace({ "a.txt": "one\n" }, async ({ ws, home, outside }) => {
    Deno.mkdirSync(`${home}/d`);
    Deno.writeTextFileSync(`${home}/d/key`, KEY);
    for (const folder of [ws, outside]) Deno.symlinkSync(`${home}/d`, `${folder}/${folder === ws ? "linked" : "s"}`);
    for (const args of [["--skill", "s", "-C", ws], ["--skill", `${ws}/linked`, "-C", ws]]) {
      const asked = ["tool", ...args, "bash", "--", `cat ${home}/d/key`];
      const { stdout, stderr } = await run(PROGRAM, asked, { cwd: outside, env: { HOME: home } });
      assert(!`${stdout}${stderr}`.includes(KEY), `${args}: ${stdout}${stderr}`);
    }
    const open = ["tool", "--skill", `${home}/d`, "bash", "--", `cat ${home}/d/key`];
    const { stdout } = await run(PROGRAM, open, { cwd: ws, env: { HOME: home } });
    assertStringIncludes(stdout, KEY);
  });
});

Deno.test("a path that tools must not read is sent only if the user typed it", async () => {
  await inWorkspace({ "secret.txt": `${KEY}\n`, "a.txt": "one\n" }, async ({ ws, home, outside }) => {
    Deno.symlinkSync("secret.txt", `${ws}/notes.md`);
    Deno.symlinkSync("a.txt", `${ws}/fine.md`);
    const sent = async (reply: object, ...more: string[]): Promise<Ran> => {
      cassette(outside, [reply]);
      return await run(PROGRAM, [...common, "--deny-read=secret.txt", ...more], { cwd: ws, env: { HOME: home } });
    };
    const typed = await sent({ text: "ok", expect: [KEY] }, "go", "@secret.txt");
    assertEquals(typed.code, 0, typed.stderr);
    const fine = await sent({ text: "ok", expect: ["one"] }, "go", "@fine.md");
    assertEquals(fine.code, 0, fine.stderr);
    const linked = await sent({ text: "SENT" }, "go", "@notes.md");
    assertEquals([linked.code, linked.stdout], [2, ""], linked.stderr);
    assertStringIncludes(linked.stderr, "secret.txt");
  });
});

Deno.test("where the home is the workspace, a link leads to none of its secrets", async () => {
  await inWorkspace({}, async ({ home, outside }) => {
    cassette(outside, [{ text: "SENT" }]);
    Deno.mkdirSync(`${home}/.ssh`);
    Deno.writeTextFileSync(`${home}/.ssh/id_rsa`, KEY);
    Deno.writeTextFileSync(`${home}/.bashrc`, "mine\n");
    Deno.symlinkSync(".ssh/id_rsa", `${home}/notes.md`);
    Deno.symlinkSync(".bashrc", `${home}/ans`);
    for (const args of [["go", "@notes.md"], ["-o", "ans", "go"]]) {
      const { code, stdout, stderr } = await run(PROGRAM, [...common, ...args], { cwd: home, env: { HOME: home } });
      assertEquals([code, stdout], [2, ""], stderr);
    }
    assertEquals(Deno.readTextFileSync(`${home}/.bashrc`), "mine\n");
  });
});

Deno.test("an input that is a pipe or a device is not waited for", async () => {
  await inWorkspace({}, async ({ ws, home, outside }) => {
    cassette(outside, [{ text: "SENT" }]);
    await new Deno.Command("mkfifo", { args: [`${ws}/pipe`] }).output();
    for (const args of [["go", "@pipe"], ["--output-schema", "pipe", "go"], ["-o", "pipe", "go"], ["@/dev/zero"]]) {
      const { code, stderr } = await run(PROGRAM, [...common, ...args], { cwd: ws, env: { HOME: home } });
      assertEquals(code, 2, stderr);
    }
    const { code, stderr } = await run(PROGRAM, ["-p", "-m", "replay:pipe", "go"], { cwd: ws, env: { HOME: home } });
    assertEquals(code, 2, stderr);
  });
});

Deno.test("the text of a prompt option is never replaced by a file of that name", async () => {
  const links = { "Be brief and kind": "HOME/.ssh/id_rsa", "notes.md": "HOME/.ssh/id_rsa" };
  const files = { "Review as our house does": KEY, "short": KEY };
  for (const option of ["--append-system-prompt", "--system-prompt"]) {
    for (const text of ["Review as our house does", "Be brief and kind", "short", "./short", "notes.md", "WS/short"]) {
      const { code, stderr } = await attack(links, [...common, option, text, "go"], { files });
      assertEquals(code, 2, stderr);
      assertStringIncludes(stderr, `Write ${option} @`);
    }
    for (const path of ["@notes.md", "@Be brief and kind", "@./notes.md"]) {
      const { code, stderr } = await attack(links, [...common, option, path, "go"], { files });
      assertEquals(code, 2, stderr);
      assertStringIncludes(stderr, "is a link to");
    }
  }
});

Deno.test("@FILE of a prompt option is read, and @@ begins a text", async () => {
  await inWorkspace({ "style.md": "Be a poet" }, async ({ ws, home, outside }) => {
    cassette(outside, [{ text: "ok", expect: ["Be a poet", "@style.md is mine"] }]);
    const args = ["--append-system-prompt", "@style.md", "--append-system-prompt=@@style.md is mine", "go"];
    const { code, stderr } = await run(PROGRAM, [...common, ...args], { cwd: ws, env: { HOME: home } });
    assertEquals(code, 0, stderr);
  });
});
