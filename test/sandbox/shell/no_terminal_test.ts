// No command has a terminal: what would open an editor, a pager or a prompt ends at once, and says what to do instead.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { isFile } from "../../../src/core/support/on_disk.ts";
import { needs } from "../../helpers/needs.ts";
import { git, inWorld, repository } from "../guarded_world.ts";
import { HAS_OWN } from "../namespaces_here.ts";

const furnish = (root: string): void => {
  repository(root);
  for (const n of [1, 2]) git(root, "commit", "-q", "--allow-empty", "-m", `c${n}`);
  Deno.writeTextFileSync(`${root}/a`, "two\n");
};

/** Longer than vim's own pause before it starts without a terminal, which is two seconds; far less than any limit of a call. */
const LONGEST_MS = 30_000;
const NO_EDITOR = /^No editor can run here: there is no terminal\. .*-m/m;

/** Commands that would open an editor; what they exit with. */
const EDITED: readonly (readonly [command: string, code: number, program?: string])[] = [
  ["git commit -a", 1],
  ["git commit -a --amend", 1],
  ["git stash -q; git rebase -i HEAD~2", 1],
  ["git tag -a v1", 1],
  ["git notes add", 128],
  ["git branch --edit-description", 1],
  ["git add -e", 128],
  ["git commit -a -m x -e", 1],
  ["git config core.editor vim; git commit -a", 1],
  ["EDITOR=vim VISUAL=vim git commit -a", 1],
  ["$EDITOR a", 1],
  ["vim a", 1, "/usr/bin/vim"],
  ["vi a", 1, "/usr/bin/vim.basic"],
  ["view a", 1, "/usr/bin/vim.basic"],
  ["/usr/bin/vim -R a a", 1, "/usr/bin/vim"],
  ["echo x | vim -", 1, "/usr/bin/vim"],
];
for (const [command, code, program] of EDITED) {
  // What a shell makes of the variable is words; a program gets the same ones.
  const line = command.startsWith("$EDITOR") ? 'sh -c "$EDITOR \\"\\$@\\"" editor a' : command;
  Deno.test({
    name: `${command} ends at once without a terminal`,
    ignore: !HAS_OWN || (program !== undefined && !isFile(program)),
    fn: () =>
      inWorld("kernel+", furnish, async ({ run }) => {
        const start = performance.now();
        const { exitCode, output } = await run(`(${line}) 2>&1 | cat; exit \${PIPESTATUS[0]}`);
        assertMatch(output, NO_EDITOR);
        assertEquals(exitCode, code, output);
        assert(performance.now() - start < LONGEST_MS);
      }),
  });
}

/** Commands that end well without a terminal, and what they say. */
const PLAIN: readonly (readonly [command: string, output: RegExp, program?: string])[] = [
  ["GIT_EDITOR=true git commit -aq --amend; git log -1 --format=%s", /^c2$/m],
  ["git stash -q; GIT_SEQUENCE_EDITOR=: git rebase -q -i HEAD~1; git log -1 --format=%s", /^c2$/m],
  ["git -p log --oneline | wc -l", /^3$/m],
  ["git -c core.pager=less log --oneline | wc -l", /^3$/m],
  ["git config core.pager 'less -X'; git diff | tail -1", /^\+two$/m],
  ["vim -es -c '%s/two/three/' -c wq a; cat a", /^three$/m, "/usr/bin/vim"],
  ["vim -c '%s/two/three/' -c wq a > /dev/null 2>&1; cat a", /^three$/m, "/usr/bin/vim"],
  ["less a", /^two$/m, "/usr/bin/less"],
  ["git ls-remote https://127.0.0.1:1/x 2>&1 | tail -1; echo ended", /^ended$/m],
  ['read -r line; echo "[$line]"', /^\[\]$/m],
];
for (const [command, expected, program] of PLAIN) {
  Deno.test({
    name: `${command} works without a terminal`,
    ignore: !HAS_OWN || (program !== undefined && !isFile(program)),
    fn: () =>
      inWorld("kernel+", furnish, async ({ run }) => {
        const start = performance.now();
        assertMatch((await run(command)).output, expected);
        assert(performance.now() - start < LONGEST_MS);
      }),
  });
}

/** Programs that read keys; each ends by itself, with this exit code. */
const READERS: readonly (readonly [command: string, code: number])[] = [
  ["nano a", 1],
  ["busybox vi a", 1],
  ["ed a", 0],
  ["more a", 0],
  ["top", 1],
  ["python3", 0],
  ["python3 -i", 0],
];
for (const [command, code] of READERS) {
  const program = command.split(" ")[0] as string;
  Deno.test({
    ...needs([program], `${command} ends by itself without a terminal`, !HAS_OWN, true),
    fn: () =>
      inWorld("kernel+", furnish, async ({ run }) => {
        const { exitCode, output } = await run(command);
        assertEquals(exitCode, code, output);
      }),
  });
}
