// What a copy has of special workspaces: links, linked working folders, submodules, folders below the top of a repository.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Config } from "../../../src/config/config.ts";
import { type OpenTrial, openTrial } from "../../../src/engine/trial/open_trial.ts";

interface Place {
  readonly top: string;
  readonly home: string;
  readonly git: (cwd: string, ...args: readonly string[]) => string;
  readonly open: (root: string) => Promise<OpenTrial>;
}

async function inPlace(work: (place: Place) => Promise<void>): Promise<void> {
  const top = Deno.realPathSync(Deno.makeTempDirSync());
  const home = `${top}/home`;
  Deno.mkdirSync(home);
  const env = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", GIT_ALLOW_PROTOCOL: "file" };
  const opened: OpenTrial[] = [];
  try {
    await work({
      top,
      home,
      git: (cwd, ...args) => {
        const words = ["-c", "user.name=n", "-c", "user.email=e@x", "-c", "init.defaultBranch=main", ...args];
        const { success, stdout, stderr } = new Deno.Command("git", { args: words, cwd, env }).outputSync();
        assert(success, `${args}: ${new TextDecoder().decode(stderr)}`);
        return new TextDecoder().decode(stdout);
      },
      open: async (root) => {
        const trial = await openTrial({ root, world: { env: { HOME: home } } } as unknown as Config);
        opened.push(trial);
        return trial;
      },
    });
  } finally {
    opened.forEach(({ remove }) => remove());
    Deno.removeSync(top, { recursive: true });
  }
}

/** A repository with one commit. */
function repository({ top, git }: Place, name: string): string {
  const path = `${top}/${name}`;
  Deno.mkdirSync(`${path}/sub`, { recursive: true });
  Deno.writeTextFileSync(`${path}/a.txt`, "a\n");
  Deno.writeTextFileSync(`${path}/sub/b.txt`, "b\n");
  git(path, "init", "-q");
  git(path, "add", "-A");
  git(path, "commit", "-qm", "one");
  return path;
}

Deno.test("a commit in the copy of a linked working folder changes nothing of the repository", () =>
  inPlace(async (place) => {
    const { top, git, open } = place;
    const main = repository(place, "main");
    git(main, "worktree", "add", "-q", "../linked", "-b", "side");
    const refs = git(main, "for-each-ref");
    const trial = await open(`${top}/linked`);
    assertEquals(git(trial.folder, "status", "--short", "--branch"), "## side\n");
    Deno.writeTextFileSync(`${trial.folder}/a.txt`, "changed\n");
    git(trial.folder, "commit", "-qam", "inside");
    assertEquals(git(trial.folder, "log", "--format=%s"), "inside\none\n");
    assertEquals([git(main, "for-each-ref"), git(`${top}/linked`, "status", "--short")], [refs, ""]);
    const { files, leftOut } = await trial.changes();
    assertEquals(files.map(({ path }) => path), ["a.txt"]);
    assertStringIncludes(JSON.stringify(leftOut), "commits and branches");
  }));

Deno.test("a submodule is a repository in the copy; its files are in the patch, its commits are not", () =>
  inPlace(async (place) => {
    const { git, open } = place;
    const inner = repository(place, "inner");
    const main = repository(place, "main");
    git(main, "submodule", "add", "-q", inner, "mod");
    git(main, "commit", "-qm", "two");
    const trial = await open(main);
    assertEquals(git(trial.folder, "status", "--short"), "");
    Deno.writeTextFileSync(`${trial.folder}/mod/a.txt`, "changed\n");
    git(`${trial.folder}/mod`, "commit", "-qam", "inside");
    assertEquals((await trial.changes()).files.map(({ path }) => path), ["mod/a.txt"]);
    assertEquals(git(`${main}/mod`, "log", "--format=%s"), "one\n");
    const fsck = git(trial.folder, "fsck", "--full");
    assertEquals(fsck, "");
  }));

Deno.test("a folder below the top of its repository has none in the copy, and that is said", () =>
  inPlace(async (place) => {
    const trial = await place.open(`${repository(place, "main")}/sub`);
    assertStringIncludes(trial.notices.join("\n"), "its top lies above the workspace");
    assertEquals([...Deno.readDirSync(trial.folder)].map(({ name }) => name), ["b.txt"]);
  }));

Deno.test("links lead into the copy or where they led, no file has two names, and a patch has links as they were", () =>
  inPlace(async ({ top, open }) => {
    const root = `${top}/ws`;
    Deno.mkdirSync(`${root}/in`, { recursive: true });
    Deno.writeTextFileSync(`${top}/beside`, "beside\n");
    Deno.writeTextFileSync(`${root}/file`, "file\n");
    Deno.linkSync(`${root}/file`, `${root}/in/second`);
    Deno.symlinkSync(`${root}/file`, `${root}/absolute`);
    Deno.symlinkSync("../../beside", `${root}/in/out`);
    Deno.symlinkSync("../file", `${root}/in/near`);
    new Deno.Command("mkfifo", { args: [`${root}/pipe`] }).outputSync();
    const trial = await open(root);
    const { folder } = trial;
    assertEquals(
      ["absolute", "in/out", "in/near"].map((name) => Deno.readLinkSync(`${folder}/${name}`)),
      [`${folder}/file`, `${top}/beside`, "../file"],
    );
    assertStringIncludes(trial.notices.join("\n"), "Not in the copy: pipe: it is a device, socket or pipe");
    Deno.writeTextFileSync(`${folder}/file`, "changed\n");
    assertEquals([Deno.readTextFileSync(`${root}/file`), Deno.readTextFileSync(`${folder}/in/second`)], [
      "file\n",
      "file\n",
    ]);
    Deno.removeSync(`${folder}/in/out`);
    Deno.removeSync(`${folder}/absolute`);
    Deno.symlinkSync(`${folder}/in/second`, `${folder}/new`);
    const { files, patch } = await trial.changes();
    assertEquals(files.map(({ path, kind }) => `${kind} ${path}`), [
      "deleted absolute",
      "changed file",
      "deleted in/out",
      "created new",
    ]);
    assertStringIncludes(patch, "-../../beside\n");
    assertStringIncludes(patch, `-${root}/file\n`);
    assertStringIncludes(patch, `+${root}/in/second\n`);
    assert(!patch.includes(folder), "the patch names the copy");
  }));

Deno.test("a copy for which there is no room is refused, and leaves nothing", () =>
  inPlace(async ({ top, home, open }) => {
    const root = `${top}/ws`;
    Deno.mkdirSync(root);
    for (let at = 0; at < 8; at++) Deno.writeFileSync(`${root}/f${at}`, new Uint8Array(1e6));
    Deno.mkdirSync(`${home}/.cache`);
    const mounted = new Deno.Command("mount", { args: ["-t", "tmpfs", "-o", "size=3m", "none", `${home}/.cache`] });
    if (!mounted.outputSync().success) return;
    try {
      const why = await open(root).then(() => "it was made", (error) => `${error.what}: ${error.why}`);
      assertStringIncludes(why, "There can be no trial: the copy failed");
      assertStringIncludes(why, "the disk is full");
      assertEquals([...Deno.readDirSync(`${home}/.cache/sandpiper/trials`)], []);
    } finally {
      new Deno.Command("umount", { args: [`${home}/.cache`] }).outputSync();
    }
  }));

Deno.test("a file of the same size and times with other bytes is in the patch, one that was only written again is not", () =>
  inPlace(async ({ top, open }) => {
    const root = `${top}/ws`;
    Deno.mkdirSync(root);
    for (const name of ["same", "other"]) Deno.writeTextFileSync(`${root}/${name}`, "one\n");
    const trial = await open(root);
    const [atime, mtime] = [new Date(1e12), Deno.statSync(`${trial.folder}/other`).mtime ?? new Date()];
    assertEquals(mtime, Deno.statSync(`${root}/other`).mtime, "the copy has other times");
    Deno.writeTextFileSync(`${trial.folder}/same`, "one\n");
    Deno.writeTextFileSync(`${trial.folder}/other`, "two\n");
    Deno.utimeSync(`${trial.folder}/other`, atime, mtime);
    const { files, leftOut } = await trial.changes();
    assertEquals([files.map(({ path }) => path), leftOut], [["other"], []]);
  }));
