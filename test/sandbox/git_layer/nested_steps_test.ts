// Ordinary work with submodules and linked working folders at kernel+, beside a twin.
import { git, repository } from "../guarded_world.ts";
import { runTwins, type Step } from "./twins.ts";

const CLONE = `git -c protocol.file.allow=always -c url."$PWD/other".insteadOf=https://h.test/other`;
const ADDED = "Added to the repository's settings: ";

/** In a repository with submodules `sub`, `libs/deep` with one in it, and `late`, and a linked working folder `old`. */
const STEPS: readonly Step[] = [
  ["look", "git status && git submodule status --recursive && git worktree list"],
  ["commit in a submodule", "cd sub && echo s > s && git add s && git commit -qm s && cd .. && git commit -qam sub"],
  ["switch in a submodule", "cd sub && git switch -qc topic && echo t > s && git commit -qam topic && git switch -q -"],
  ["merge in a submodule", "cd sub && git merge -q topic && git branch -qd topic && git tag done"],
  [
    "conflict in a submodule",
    "cd sub && git checkout -qb c1 && echo c1 > s && git commit -qam c1 && git checkout -qb c2 HEAD~1 && echo c2 > s && " +
    "git commit -qam c2 && ! git rebase -q c1",
  ],
  ["continued", "cd sub && echo both > s && git add s && GIT_EDITOR=true git rebase --continue"],
  ["stash in a submodule", "cd sub && echo more >> s && git stash -q && git stash pop -q && git checkout -q s"],
  ["gc in a submodule", "cd sub && git pack-refs --all && git gc -q --prune=now && git branch after"],
  ["update of a submodule", "git submodule --quiet update sub"],
  [
    "commit in a submodule of a submodule",
    "cd libs/deep/inner && git checkout -qb in && echo i > i && git add i && git commit -qm i && cd .. && " +
    "git checkout -qb out && git commit -qam inner && cd ../.. && git commit -qam deep",
  ],
  ["each submodule", "git submodule --quiet foreach --recursive 'git branch each'"],
  ["fetch in a submodule", "cd sub && git -c protocol.file.allow=always fetch -q ../other main:refs/remotes/o/main"],
  [
    "a submodule's first files",
    `${CLONE} submodule --quiet update --init late`,
    [
      `${ADDED}submodule.late.active = true, submodule.late.url = https://h.test/other.`,
      `In ROOT/.git/modules/late: ${ADDED}remote.origin.url = https://h.test/other, remote.origin.fetch = ` +
      "+refs/heads/*:refs/remotes/origin/*, branch.main.remote = origin, branch.main.merge = refs/heads/main.",
    ],
  ],
  [
    "commit in it",
    "cd late && git config user.name A && git config user.email a@b.test && git checkout -qb l && echo l > l && git add l && git commit -qm l",
    ["In ROOT/.git/modules/late: Your settings of the repository stay as they were, only commands in the sandbox see: user.name, user.email."],
  ],
  ["commit in an earlier working folder", "cd old && echo o > o && git add o && git commit -qm old && git status"],
  ["detached there", "cd old && git checkout -q --detach && echo p > o && git commit -qam detached"],
  ["rebase there", "cd old && ! git rebase -q -x false HEAD~1"],
  ["rebase there ended", "cd old && git rebase --abort && git checkout -q old"],
  ["bisect there", "cd old && git bisect start HEAD HEAD~1 > /dev/null && git bisect reset > /dev/null 2>&1"],
  ["a new working folder", "git worktree add -q new -b new && cd new && echo w > w && git add w && git commit -qm w"],
  ["one without a branch", "git worktree add -q --detach folder/detached HEAD~1"],
  ["one that is locked", "git worktree add -q --lock --reason 'to stay' kept -b kept"],
  ["unlocked", "git worktree unlock kept && git worktree lock new && git worktree unlock new"],
  ["moved", "git worktree move new moved && cd moved && echo m > w && git commit -qam moved"],
  ["removed", "git worktree remove moved && git worktree remove kept"],
  ["an earlier one removed", "git worktree remove --force old"],
  ["made again under its name", "git worktree add -q old old && cd old && git status"],
  [
    "removed and made again at once",
    "git worktree remove old && git worktree add -q old old && cd old && echo q > o && git commit -qam again",
  ],
  ["pruned", "rm -rf old && git worktree prune"],
  ["the last one removed", "git worktree remove folder/detached"],
  [
    "one of a submodule",
    "cd sub && git worktree add -q ../tree -b tree && cd ../tree && echo x > x && git add x && git commit -qm x",
  ],
  [
    "a submodule's files given up",
    "git submodule --quiet deinit -f late",
    [
      "Your settings of the repository stay as they were, only commands in the sandbox see: submodule.late.active (removed), submodule.late.url (removed).",
      "In ROOT/.git/modules/late: Your settings of the repository stay as they were, only commands in the sandbox see: core.worktree (removed).",
    ],
  ],
  ["and got again", `${CLONE} submodule --quiet update --init late`],
  ["and removed", "cd sub && git worktree remove ../tree"],
  ["fsck", "git fsck --strict && git submodule --quiet foreach --recursive 'git fsck --strict 2> /dev/null'"],
];

function prepare(root: string): void {
  repository(root);
  const quiet = (at: string, ...args: string[]): void => {
    git(at, "-c", "protocol.file.allow=always", ...args);
    git(at, "config", "user.name", "A");
    git(at, "config", "user.email", "a@b.test");
  };
  const other = (name: string): string => {
    const at = `${root}/${name}`;
    git(root, "init", "-q", "-b", "main", name);
    Deno.writeTextFileSync(`${at}/o`, "o\n");
    git(at, "add", "o");
    git(at, "commit", "-qm", "other");
    return at;
  };
  other("other");
  const around = other("around");
  quiet(around, "submodule", "--quiet", "add", "../other", "inner");
  git(around, "commit", "-qm", "with one in it");
  git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./other", "sub");
  git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./around", "libs/deep");
  git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./other", "late");
  quiet(`${root}/libs/deep`, "submodule", "--quiet", "update", "--init");
  for (const at of ["sub", "libs/deep", "libs/deep/inner"]) quiet(`${root}/${at}`, "status");
  // As after a clone without its submodules.
  git(root, "config", "-f", ".gitmodules", "submodule.late.url", "https://h.test/other");
  git(root, "add", ".gitmodules");
  git(root, "submodule", "--quiet", "deinit", "-f", "late");
  Deno.removeSync(`${root}/.git/modules/late`, { recursive: true });
  git(root, "commit", "-qm", "with submodules");
  git(root, "worktree", "add", "-q", "old", "-b", "old");
  Deno.writeTextFileSync(
    `${root}/.git/info/exclude`,
    ["other", "around", "old", "new", "moved", "kept", "folder", "tree"].join("\n"),
  );
}

runTwins("git in nested repositories at kernel+", {
  furnish: prepare,
  steps: STEPS,
  checkouts: ["sub", "libs/deep", "libs/deep/inner", "late", "old", "new", "moved", "kept", "folder/detached", "tree"],
});
