// A user's git sees files and commits as they are, whatever a command wrote into the repository.
import { assertEquals } from "@std/assert";
import { git, inWorld, repository } from "../sandbox/guarded_world.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";

const HIDING: readonly (readonly [name: string, command: string])[] = [
  ["assume-unchanged", "git update-index --assume-unchanged a; echo evil > a"],
  ["skip-worktree", "git update-index --skip-worktree a; echo evil > a"],
  [
    "both in an index of version 4",
    "git update-index --index-version 4 --skip-worktree --assume-unchanged a; echo evil > a",
  ],
  ["flags in a new index", "rm .git/index; git reset -q; git update-index --assume-unchanged a; echo evil > a"],
  [
    "an object in the place of a commit",
    "h=$(git rev-parse HEAD); echo evil > a; git add a; n=$(git commit-tree -m first $(git write-tree)); " +
    "git reset -q; git update-ref refs/replace/$h $n",
  ],
  [
    "a packed object in the place of a commit",
    "h=$(git rev-parse HEAD); echo evil > a; git add a; n=$(git commit-tree -m first $(git write-tree)); " +
    "git reset -q; git update-ref refs/replace/$h $n; git tag -a -m v1 v1; git pack-refs --all",
  ],
];
for (const level of CONFINED) {
  for (const [name, command] of HIDING) {
    Deno.test(`a change is seen by the user's git in spite of ${name} at ${level}`, () =>
      inWorld(level, repository, async ({ world: { root }, run }) => {
        await run(command);
        assertEquals(Deno.readTextFileSync(`${root}/a`), "evil\n");
        assertEquals(git(root, "diff", "HEAD", "--name-only"), "a\n");
        assertEquals(git(root, "replace", "-l"), "");
        // The repository is whole, and so is what the command may do in it.
        git(root, "fsck", "--strict");
        assertEquals(git(root, "ls-files"), "a\n");
        if (command.includes("pack-refs")) assertEquals(git(root, "tag"), "v1\n");
      }));
  }

  Deno.test(`flags and references that the user has stay at ${level}`, () =>
    inWorld(level, repository, async ({ world: { root }, run }) => {
      for (const name of ["b", "c"]) Deno.writeTextFileSync(`${root}/${name}`, "one\n");
      git(root, "add", ".");
      git(root, "commit", "-qm", "second");
      git(root, "update-index", "--assume-unchanged", "a");
      git(root, "update-index", "--skip-worktree", "b");
      git(root, "replace", "HEAD~1", "HEAD");
      const replaced = git(root, "replace", "-l");
      const { notes } = await run("git update-index --assume-unchanged c; echo two > c; git branch fine");
      assertEquals(git(root, "ls-files", "-v"), "h a\nS b\nH c\n", notes.join("\n"));
      assertEquals(git(root, "replace", "-l"), replaced);
      assertEquals(git(root, "branch", "--list", "fine").trim(), "fine");
    }));
}
