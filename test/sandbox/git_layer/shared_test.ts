// Repositories that several users share: files of another group, and modes that let the others write.
import { assertEquals } from "@std/assert";
import { sharedModes } from "../../../src/sandbox/git_layer/shared_modes.ts";
import { makeWorld } from "../confined_world.ts";
import { git, inWorld, repository } from "../guarded_world.ts";
import { HAS_OWN } from "../namespaces_here.ts";

/** A group that no namespace of the user's knows. Only root can give files to one that it is not in. */
const GROUP = 7777;
const IS_ROOT = Deno.build.os === "linux" && Deno.uid() === 0;

function own(root: string, script: string): string {
  const { success, stdout, stderr } = new Deno.Command("bash", { args: ["-ec", script], cwd: root }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}

const ODD: Readonly<Record<string, string>> = {
  "the directory": `chgrp ${GROUP} .git; chmod g+s .git`,
  "all of it": `chgrp -R ${GROUP} .git; find .git -type d -exec chmod g+s {} +`,
  "all of it, new files elsewhere": `chgrp -R ${GROUP} .git`,
  "objects": `chgrp -R ${GROUP} .git/objects`,
  "one object's directory": `chgrp ${GROUP} $(find .git/objects -type d -name '??' | head -1)`,
  "references": `chgrp -R ${GROUP} .git/refs`,
  "logs": `chgrp -R ${GROUP} .git/logs`,
  "index and HEAD": `chgrp ${GROUP} .git/index .git/HEAD .git/COMMIT_EDITMSG`,
  "an owner": "chown 65533 .git/COMMIT_EDITMSG $(find .git/objects -type f | head -1)",
};
for (const [name, script] of Object.entries(ODD)) {
  Deno.test({
    name: `commands commit where another group has ${name}`,
    ignore: !HAS_OWN || !IS_ROOT,
    fn: () =>
      inWorld("kernel+", (root) => {
        repository(root);
        own(root, script);
      }, async ({ world: { root }, run }) => {
        for (const n of [1, 2, 3]) {
          const { output, exitCode } = await run(
            `echo ${n} >> a; git add a && git commit -qm c${n} && git branch b${n} && git stash list && git log -1 --format=%s`,
          );
          assertEquals([output.trim(), exitCode], [`c${n}`, 0]);
          // The user's own git changes the same files in between.
          git(root, "commit", "-q", "--allow-empty", "-m", `user${n}`);
        }
        assertEquals(git(root, "log", "--format=%s").trim(), "user3\nc3\nuser2\nc2\nuser1\nc1\nfirst");
        assertEquals(git(root, "status", "--porcelain"), "");
        assertEquals(git(root, "fsck", "--no-dangling"), "");
        const { notes } = await run("git config core.fsmonitor x; echo y > .git/hooks/post-commit");
        assertEquals(notes.length, 2, notes.join("\n"));
        assertEquals(git(root, "config", "--get-all", "core.repositoryFormatVersion").trim(), "0");
      }),
  });
}

Deno.test({
  name: "what commands commit to a shared repository is as open to its group as what git writes",
  ignore: !HAS_OWN || !IS_ROOT,
  fn: () =>
    inWorld("kernel+", (root) => {
      git(root, "init", "-q", "--shared=group");
      own(
        root,
        `git config user.name a; git config user.email a@b.test; chgrp -R ${GROUP} .git; find .git -type d -exec chmod g+s {} +`,
      );
      git(root, "commit", "-q", "--allow-empty", "-m", "first");
    }, async ({ world: { root }, run }) => {
      const { output, exitCode } = await run(
        "for n in $(seq 30); do echo $n > f$n; done; git add . && git commit -qm two && git branch d/e",
      );
      assertEquals([output.trim(), exitCode], ["(no output)", 0].toSpliced(0, 1, ""));
      const closed =
        `find .git ! -path '.git/hooks/*' \\( -type d ! -perm -2070 -o -type f ! -perm -040 -o ! -group ${GROUP} \\)`;
      assertEquals(own(root, `${closed} | sort`), "");
      assertEquals(own(root, "find .git/refs .git/logs .git/index -type f ! -perm -060"), "");
    }),
});

Deno.test("sharedModes() opens files and directories as core.sharedRepository says", () => {
  using world = makeWorld();
  const cases: readonly (readonly [value: string, file: number, readOnly: number, directory: number])[] = [
    ["", 0o644, 0o444, 0o755],
    ["\tsharedRepository = false\n", 0o644, 0o444, 0o755],
    ["\tsharedRepository = umask\n", 0o644, 0o444, 0o755],
    ["\tsharedRepository = group\n", 0o664, 0o444, 0o2775],
    ["\tsharedRepository\n", 0o664, 0o444, 0o2775],
    ["\tsharedRepository = 1\n", 0o664, 0o444, 0o2775],
    ["\tsharedrepository = WORLD\n", 0o664, 0o444, 0o2775],
    ["\tsharedRepository = 0640\n", 0o640, 0o440, 0o2750],
    ["\tsharedRepository = 0400\n", 0o644, 0o444, 0o755],
    ["\tsharedRepository = x\n", 0o644, 0o444, 0o755],
  ];
  for (const [at, [value, ...expected]] of cases.entries()) {
    const modes = sharedModes(`[core]\n\tbare = false\n${value}`);
    const [file, readOnly, directory] = ["f", "r", "d/e"].map((name) => `${world.base}/${at}${name}`) as [
      string,
      string,
      string,
    ];
    Deno.writeTextFileSync(file, "");
    Deno.chmodSync(file, 0o644);
    Deno.writeTextFileSync(readOnly, "");
    Deno.chmodSync(readOnly, 0o444);
    modes.file(file);
    modes.file(readOnly);
    modes.makeDirectory(directory);
    const found = [file, readOnly, directory].map((path) => (Deno.lstatSync(path).mode ?? 0) & 0o7777);
    assertEquals(found, expected, value);
  }
});
