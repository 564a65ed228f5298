// git does not show the temporary files of sandpiper: `info/exclude` of a repository names them, and nothing else of it changes.
import { assertEquals } from "@std/assert";
import type { Policy } from "../../../src/core/policy.ts";
import { temporaryName } from "../../../src/core/support/replace_file.ts";
import { excludeTemporaryFiles } from "../../../src/engine/tools/git_exclude.ts";
import { makeWorld, type World, worldPolicy, type WorldRequest } from "../../sandbox/confined_world.ts";
import { alsoWithFullPermissions, canHold } from "../../helpers/full_permissions.ts";
import { needs } from "../../helpers/needs.ts";

const LINES = "# sandpiper: temporary files\n.sandpiper-*.tmp\n";
const NAME = temporaryName("sandpiper-1-2-3-");

alsoWithFullPermissions(import.meta.url);

const test = (name: string, work: (world: World) => void): void =>
  Deno.test({
    ...needs(["git"], `excludeTemporaryFiles() ${name}`, Deno.build.os !== "linux" || !canHold),
    fn: () => {
      using world = makeWorld();
      git(world.root, "init", "-q");
      git(world.root, "commit", "-q", "--allow-empty", "-m", "first");
      work(world);
    },
  });

function git(folder: string, ...args: readonly string[]): string {
  const given = [
    "-C",
    folder,
    "-c",
    "user.name=a",
    "-c",
    "user.email=a@b",
    "-c",
    "protocol.file.allow=always",
    ...args,
  ];
  const { stdout, stderr, success } = new Deno.Command("git", { args: given }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

/** All files of a directory but those of `info`, with what they contain. */
function contents(folder: string): Record<string, string> {
  const all = [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory
      ? name === "info"
        ? []
        : Object.entries(contents(`${folder}/${name}`)).map(([at, text]) => [`${name}/${at}`, text])
      : [[name, [...Deno.readFileSync(`${folder}/${name}`)].join()]]
  );
  return Object.fromEntries(all);
}

const policyOf = (world: World, request: WorldRequest = {}): Policy => worldPolicy(world, "kernel", request);
const exclude = (world: World): string => `${world.root}/.git/info/exclude`;
const textAt = (path: string): string => Deno.readTextFileSync(path);

for (const [before, after] of [["", LINES], ["a\n", `a\n${LINES}`], ["a\r\nb\xff", `a\r\nb\xff\n${LINES}`]] as const) {
  test(`adds the pattern once behind ${JSON.stringify(before)}`, (world) => {
    const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
    Deno.writeFileSync(exclude(world), bytes(before));
    const old = contents(`${world.root}/.git`);
    for (let times = 0; times < 2; times++) excludeTemporaryFiles(policyOf(world));
    assertEquals(Deno.readFileSync(exclude(world)), bytes(after));
    assertEquals(contents(`${world.root}/.git`), old);
    Deno.mkdirSync(`${world.root}/src`);
    for (const name of [NAME, "src/new"]) Deno.writeTextFileSync(`${world.root}/${name}`, "");
    assertEquals(git(world.root, "status", "--porcelain"), "?? src/\n");
  });
}

for (const missing of ["info/exclude", "info"]) {
  test(`creates what is missing of the file: ${missing}`, (world) => {
    Deno.removeSync(`${world.root}/.git/${missing}`, { recursive: true });
    excludeTemporaryFiles(policyOf(world));
    assertEquals(textAt(exclude(world)), LINES);
  });
}

test("finds the repository around the workspace, of a linked worktree and of a submodule", (world) => {
  const { root, base } = world;
  git(root, "submodule", "--quiet", "add", `${root}/.git`, "lib/sub");
  git(root, "worktree", "add", "-q", `${base}/linked`);
  Deno.mkdirSync(`${base}/linked/part`);
  Deno.mkdirSync(`${root}/part`);
  for (const start of [`${root}/part`, `${base}/linked`, `${base}/linked/part`]) {
    for (const folder of ["", "modules/lib/sub/"]) Deno.writeTextFileSync(`${root}/.git/${folder}info/exclude`, "");
    excludeTemporaryFiles(policyOf({ ...world, root: start }));
    for (const folder of [root, `${root}/lib/sub`, `${base}/linked`]) {
      Deno.writeTextFileSync(`${folder}/${NAME}`, "");
      assertEquals(git(folder, "status", "--porcelain").includes(NAME), false, `${start} ${folder}`);
    }
  }
});

const untouched: Readonly<Record<string, (world: World) => Policy>> = {
  "of which tools can write nothing": (world) => policyOf(world, { readOnly: true }),
  "of a trial's copy": (world) => ({ ...policyOf(world), copyOf: world.outside }),
  "if its file is a link": (world) => {
    Deno.renameSync(exclude(world), `${world.outside}/exclude`);
    Deno.symlinkSync(`${world.outside}/exclude`, exclude(world));
    return policyOf(world);
  },
  "if its directory is a link": (world) => {
    Deno.renameSync(`${world.root}/.git/info`, `${world.outside}/info`);
    Deno.symlinkSync(`${world.outside}/info`, `${world.root}/.git/info`);
    return policyOf(world);
  },
  "if its file has a second name": (world) => {
    Deno.linkSync(exclude(world), `${world.outside}/exclude`);
    return policyOf(world);
  },
  "if its file is a pipe": (world) => {
    Deno.removeSync(exclude(world));
    new Deno.Command("mkfifo", { args: [exclude(world)] }).outputSync();
    return policyOf(world);
  },
  "if another process has the lock of the file": (world) => {
    const file = Deno.openSync(exclude(world), { read: true });
    file.lockSync(true);
    locked.push(file);
    return policyOf(world);
  },
};
const locked: Deno.FsFile[] = [];
for (const [what, make] of Object.entries(untouched)) {
  test(`changes nothing in a repository ${what}`, (world) => {
    const old = textAt(exclude(world));
    const policy = make(world);
    excludeTemporaryFiles(policy);
    const { isFile, isSymlink } = Deno.lstatSync(exclude(world));
    if (isFile || isSymlink) assertEquals(textAt(exclude(world)), old);
    for (const file of locked.splice(0)) file.close();
  });
}

test("changes nothing in a repository of another user", (world) => {
  if (Deno.uid() !== 0) return;
  const old = textAt(exclude(world));
  new Deno.Command("chown", { args: ["-R", "1:1", `${world.root}/.git`] }).outputSync();
  excludeTemporaryFiles(policyOf(world));
  assertEquals(textAt(exclude(world)), old);
});
