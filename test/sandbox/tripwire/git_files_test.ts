import { assertEquals } from "@std/assert";
import { programsInOptions, programsInStrategy, programsInTodo } from "../../../src/sandbox/git/sequencer_check.ts";
import { openGitFiles } from "../../../src/sandbox/tripwire/git_files.ts";
import { inFolder } from "../folder.ts";
import { git, repository } from "../guarded_world.ts";

Deno.test("openGitFiles() reads an index anew when the settings say that names of objects have another length", () =>
  inFolder((root) => {
    repository(root);
    const look = openGitFiles();
    const folder = `${root}/.git`;
    const found = (): string[] => [...look([folder]).keys()];
    assertEquals(found(), []);
    const config = Deno.readTextFileSync(`${folder}/config`);
    Deno.writeTextFileSync(`${folder}/config`, `${config}# objectformat = sha256\n`);
    assertEquals(found(), []);
    const longer = `${config}[extensions]\nobjectformat = sha256\n`.replace("version = 0", "version = 1");
    Deno.writeTextFileSync(`${folder}/config`, longer);
    assertEquals(found(), [`${folder}/index`]);
    Deno.writeTextFileSync(`${folder}/config`, longer + "[");
    assertEquals(found(), [`${folder}/index`]);
    Deno.writeTextFileSync(`${folder}/config`, config);
    assertEquals(found(), []);
  }));

Deno.test("openGitFiles() finds the settings of a linked working folder, and a shared index", () =>
  inFolder((root) => {
    git(root, "init", "-q", "--object-format=sha256");
    Deno.writeTextFileSync(`${root}/a`, "");
    git(root, "add", "a");
    git(root, "commit", "-qm", "first");
    git(root, "worktree", "add", "-q", "wt");
    git(`${root}/wt`, "update-index", "--split-index");
    const folder = `${root}/.git/worktrees/wt`;
    const shared = [...Deno.readDirSync(folder)].find(({ name }) => name.startsWith("sharedindex."));
    const look = openGitFiles();
    assertEquals([...look([`${root}/.git`, folder]).keys()], []);
    Deno.chmodSync(`${folder}/${shared?.name}`, 0o644);
    Deno.writeTextFileSync(`${folder}/${shared?.name}`, "x", { append: true });
    assertEquals([...look([`${root}/.git`, folder]).keys()], [`${folder}/${shared?.name}`]);
  }));

Deno.test("openGitFiles() takes for the user's own what a half-done rebase would run at the first look", () =>
  inFolder((root) => {
    const todo = `${root}/rebase-merge/git-rebase-todo`;
    const write = (text: string): void => Deno.writeTextFileSync(todo, text);
    Deno.mkdirSync(`${root}/rebase-merge`);
    write("pick 1\nexec a\nexec b\n");
    const look = openGitFiles();
    const found = (isOwn?: boolean): string[] => [...look([root], isOwn).keys()];
    assertEquals(found(), []);
    write("exec b\n");
    assertEquals(found(), []);
    write("exec b\nexec c\n");
    // However often it is asked.
    assertEquals([found(), found()], [[todo], [todo]]);
    assertEquals(found(true), []);
    assertEquals(found(), []);
    Deno.removeSync(todo);
    assertEquals(found(), []);
    write("exec c\n");
    assertEquals(found(), [todo]);
  }));

Deno.test("what a half-done pick or rebase would run is seen however it is spelt", () => {
  const todo =
    "# x\n; exec\n\n\r\npick 1 exec\n p 1\nlabel onto\nt onto\nm -C 1 onto\nbreak\nnoop\nupdate-ref refs/heads/x\n";
  assertEquals(programsInTodo(todo), []);
  for (const line of ["exec x", "x\ty", " \tx y", "x\r", "exec", "run x", "x"]) {
    assertEquals(programsInTodo(`${todo}${line}\npick 2\n`), [line]);
  }
  for (const strategy of ["ort", "ort\n", "octopus\r\n"]) assertEquals(programsInStrategy(strategy), []);
  for (const strategy of ["", "x/y", "ort\n\n", " ort"]) assertEquals(programsInStrategy(strategy).length, 1);
  const options = "[options]\n\tmainline = 1\n\tstrategy-option = x\n";
  assertEquals(programsInOptions(`${options}\tstrategy = ort\n`), []);
  for (const bad of ['strategy = "x"\n', "Strategy = ort/x", "strategy", "strategy = x\\\n\nstrategy = ort", "["]) {
    assertEquals([bad, programsInOptions(options + bad).length], [bad, 1]);
  }
});
