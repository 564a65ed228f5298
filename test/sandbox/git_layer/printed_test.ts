// What git prints of a repository later, on the user's terminal, is nothing that steers a terminal.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { printableBytes } from "../../../src/sandbox/git/terminal_text.ts";
import { isRefName } from "../../../src/sandbox/git_layer/refs.ts";
import { settingsChange } from "../../../src/sandbox/git_layer/settings.ts";
import { git, inWorld, repository } from "../guarded_world.ts";
import { CONFINED } from "../shell_fixture.ts";
import { HAS_OWN } from "../namespaces_here.ts";

/** In a shell's printf: a clipboard and a title are set, in two encodings; text runs backwards. */
const EVIL = String.raw`\033]52;c;UFdO\007\033]0;PWN\007\302\23331m\342\200\256\233`;

/** What a user's git prints afterwards. */
const LATER = [
  ["status"],
  ["status", "-v"],
  ["rebase", "--show-current-patch"],
  ["log", "-1", "FETCH_HEAD"],
  ["bisect", "log"],
  ["reflog"],
  ["stash", "list"],
  ["log", "--all", "--format=%an%n%B"],
  ["log", "-2", "--notes=*"],
  ["branch", "-avv"],
  ["tag", "-n9"],
  ["worktree", "list"],
  ["remote", "-v"],
];

function printed(root: string): string {
  return LATER.map((args) => {
    const { stdout, stderr } = new Deno.Command("git", {
      args: ["-C", root, "-c", "core.quotePath=false", ...args],
      env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", GIT_EDITOR: "cat", GIT_PAGER: "cat" },
      stdin: "null",
    }).outputSync();
    const bytes = [...stdout, ...stderr].map((byte) => String.fromCharCode(byte)).join("");
    const odd = printableBytes(bytes) === bytes ? "" : ` prints ${JSON.stringify(bytes.slice(0, 2_000))}`;
    return odd === "" ? "" : `git ${args.join(" ")}${odd}`;
  }).join("");
}

const REBASE =
  "h=$(git rev-parse HEAD); mkdir .git/rebase-merge; cd .git/rebase-merge; echo refs/heads/main > head-name; " +
  "echo $h > onto; echo $h > orig-head; touch interactive; echo 1 > msgnum; echo 2 > end; ";

/** Commands that plant it; the last where a layer alone can tell. */
const PLANTED: readonly (readonly [name: string, command: string, isLayered?: true])[] = [
  ["the list of a rebase", `${REBASE} echo "pick $h $E" > git-rebase-todo; echo "pick $h x" > done`],
  ["what a rebase has done", `${REBASE} echo "pick $h x" > git-rebase-todo; echo "pick $h $E" > done`],
  ["the patch and message of a rebase", `${REBASE} echo "$E" > message; echo "$E" > patch`],
  ["the author of a rebase", `${REBASE} echo "GIT_AUTHOR_NAME='$E'" > author-script`],
  [
    "the message of a merge",
    'git rev-parse HEAD > .git/MERGE_HEAD; echo "$E" > .git/MERGE_MSG; echo "$E" > .git/SQUASH_MSG',
  ],
  ["what was fetched", `printf "$(git rev-parse HEAD)\\t\\t$E\\n" > .git/FETCH_HEAD`],
  [
    "a bisection",
    'git rev-parse HEAD > .git/BISECT_START; echo "git bisect start # $E" > .git/BISECT_LOG; echo > .git/BISECT_NAMES',
  ],
  [
    "a cherry-pick",
    'mkdir .git/sequencer; h=$(git rev-parse HEAD); echo $h > .git/CHERRY_PICK_HEAD; echo $h > .git/sequencer/head; echo "pick $h $E" > .git/sequencer/todo; echo "$E" > .git/MERGE_MSG',
  ],
  [
    "an application of mails",
    'mkdir .git/rebase-apply; cd .git/rebase-apply; echo 1 > next; echo 2 > last; touch applying; echo "$E" > patch; echo "$E" > 0001; echo "refs/heads/$E" > head-name',
  ],
  [
    "a log of HEAD",
    'h=$(git rev-parse HEAD); printf "$h $h $E <a@b.test> 1700000000 +0000\\tcommit: $E\\n" >> .git/logs/HEAD',
  ],
  ["the stash", 'echo x > a; git stash push -qm "$E"', true],
  ["a commit's message", 'git commit -q --allow-empty -m "$E"', true],
  ["a commit's author", 'git -c user.name="x$E" commit -q --allow-empty -m x', true],
  ["a commit below the last", 'git commit -q --allow-empty -m "$E"; git commit -q --allow-empty -m fine', true],
  ["a commit of a detached HEAD", 'git checkout -q --detach; git commit -q --allow-empty -m "$E"', true],
  ["a tag's message", 'git tag -a v1 -m "$E"', true],
  ["a note", 'git notes add -m "$E"', true],
  [
    "a branch's name",
    String
      .raw`git branch "$(printf 'a\302\233b')"; git branch "$(printf 'a\342\200\256b')"; git tag "$(printf 't\342\200\213')"`,
  ],
  ["the name of a packed branch", String.raw`git branch "$(printf 'a\302\233b')"; git tag v1; git pack-refs --all`],
  ["the branch that is checked out", String.raw`git checkout -q -b "$(printf 'a\302\233b')"`],
  [
    "the branch that is checked out and has no commit",
    String.raw`printf 'ref: refs/heads/a\342\200\256b\n' > .git/HEAD`,
  ],
  ["a branch's name of bytes", String.raw`git update-ref "$(printf 'refs/heads/a\233b')" HEAD`, true],
];
for (const level of CONFINED) {
  for (const [name, command, isLayered = false] of PLANTED) {
    Deno.test({
      name: `${name} steers no terminal of the user's after a command at ${level}`,
      ignore: isLayered && (level !== "kernel+" || !HAS_OWN),
      fn: () =>
        inWorld(level, repository, async ({ world: { root }, run }) => {
          git(root, "commit", "-q", "--allow-empty", "-m", "second");
          await run(`E=$(printf '${EVIL}'); ${command}`);
          assertEquals(printed(root), "");
        }),
    });
  }
}

Deno.test({
  name: "what was replaced or not taken because it steers a terminal is told",
  ignore: !HAS_OWN,
  fn: () =>
    inWorld("kernel+", repository, async ({ world: { root }, run }) => {
      const evil = `E=$(printf '${EVIL}')`;
      const { notes: [text] } = await run(`${evil}; git rev-parse HEAD > .git/MERGE_HEAD; echo "$E" > .git/MERGE_MSG`);
      assertMatch(text ?? "", /^Characters that would control your terminal were replaced in MERGE_MSG\.$/);
      git(root, "merge", "--abort");
      const { notes: [commit] } = await run(`${evil}; git commit -q --allow-empty -m "$E"`);
      assertMatch(commit ?? "", /^Characters .*|^Not taken: refs\/heads\/main\. The text of a new commit/);
      // The next one is taken.
      assertEquals((await run("git commit -q --allow-empty -m fine")).notes, []);
      assertEquals(git(root, "log", "--format=%s").trim(), "fine\nfirst");
    }),
});

Deno.test("printableBytes() keeps text of any language and encoding", () => {
  const raw = (text: string): string =>
    [...new TextEncoder().encode(text)].map((byte) => String.fromCharCode(byte)).join("");
  for (const text of ["plain\ttext\r\nnext\n", "žluťoučký kůň Ärger À", "日本語", "👩‍👩‍👧 ⚠️", "עברית العربية"]) {
    assertEquals(printableBytes(raw(text)), raw(text), text);
  }
  assertEquals(printableBytes("Arger \xc4 \xe9"), "Arger \xc4 \xe9");
  assertEquals(printableBytes("a\x1b[31m\x9bb\rc\x7f\0"), "a?[31m?b?c??");
  assertEquals(printableBytes(raw("a\u202eb\u2066c\u009bd")), "a?b?c?d");
});

Deno.test("isRefName() knows no name with characters that nobody sees", () => {
  for (const char of ["\x1b", "\x9b", "\u202e", "\u2066", "\u200b", "\u200d", "\ufeff", "\u2028", "\u00ad", "\ufffd"]) {
    assert(!isRefName(`refs/heads/a${char}b`), JSON.stringify(char));
  }
  for (const name of ["ü", "日本", "a-b_c/d", "v1.0"]) assert(isRefName(`refs/heads/${name}`), name);
});

Deno.test("settingsChange() gives no setting that leads a later git of the user's elsewhere", () => {
  const own = '[remote "origin"]\n\turl = https://good.test/x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n' +
    '[remote "later"]\n\turl = https://evil.test/x\n[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n';
  const of = (more: string) => settingsChange(own, own + more, undefined, (branch) => branch === "mine");
  const remote = (name: string): string => `[remote "${name}"]\n\turl = https://evil.test/x\n`;
  const branch = (name: string, remote: string, merge = name): string =>
    `[branch "${name}"]\n\tremote = ${remote}\n\tmerge = refs/heads/${merge}\n`;
  for (
    const more of [
      ...["ORIGIN", "Origin", "0rigin", "or1gin", "origln", "origin/fork", "ori-gin", "origin."].map(remote),
      '[remote "origin"]\n\tpushurl = https://evil.test/x\n',
      '[remote "origin"]\n\turl = https://evil.test/x\n',
      '[remote "origin"]\n\tpush = refs/heads/*:refs/heads/*\n',
      "[remote]\n\tpushDefault = evil\n",
      '[branch "mine"]\n\tpushRemote = evil\n',
      '[url "https://evil.test/"]\n\tinsteadOf = https://good.test/\n',
      '[url "https://evil.test/"]\n\tpushInsteadOf = https://good.test/\n',
      "[push]\n\tdefault = matching\n",
      branch("mine", "origin", "main"),
      branch("mine", "."),
      // What an earlier command added is no remote of the user's.
      branch("mine", "later"),
      branch("new", "later", "main").replace(/\tmerge.*\n/, ""),
      '[branch "main"]\n\tremote = later\n',
      '[branch "mine"]\n\tmerge = refs/heads/mine\n',
      "[http]\n\tproxy = http://evil.test\n",
    ]
  ) assertEquals(of(more).added, [], more);
  const upstream = of(remote("fork") + branch("mine", "fork"));
  assertEquals(upstream.added.map(([name]) => name), ["remote.fork.url"]);
  // git push -u origin BRANCH, and a branch of the command's own.
  for (
    const more of [branch("mine", "origin"), branch("new", "origin", "main")]
  ) {
    assertEquals(of(more).refused, [], more);
  }
  // A repository that the command created, as a submodule's: its branch follows the remote that came with it, and no other.
  const created = (more: string) => settingsChange("", more, undefined, () => false, true);
  const cloned = remote("origin") + branch("main", "origin");
  assertEquals(created(cloned).refused, []);
  assertEquals(created(remote("origin") + branch("main", "elsewhere")).refused, ["branch.main.remote"]);
  assertEquals(settingsChange("", cloned, undefined, () => false).refused, ["branch.main.remote"]);
});
