// Ordinary work with git at kernel+: what commands do through layers is what plain git does on a twin of the repository.
import { git, repository } from "../guarded_world.ts";
import { runTwins, type Step } from "./twins.ts";

/** Made in a repository with a submodule `sub`, another repository `other` and a file `a`, one after another. */
const STEPS: readonly Step[] = [
  ["status", "git status"],
  ["add", "echo two >> a && echo new > b && git add ."],
  ["commit", "git commit -qm second"],
  ["commit of all", "echo three >> a && git commit -qam third"],
  ["amend", "echo four >> a && git commit -qa --amend -m 'third again'"],
  [
    "a folder with many files",
    "mkdir d && for i in $(seq 60); do echo $i > d/$i; done && git add d && git commit -qm many",
  ],
  ["remove and move", "git rm -q d/1 && git mv d/2 d/two && git commit -qm moved"],
  ["executable file and link", "chmod +x b && ln -s a link && git add -A && git commit -qm modes"],
  ["intent to add", "echo i > intent && git add -N intent"],
  ["restore and unstage", "git add intent && git reset -q && rm intent && echo x >> a && git checkout -q a"],
  ["branch", "git checkout -qb side && echo side > s && git add s && git commit -qm side"],
  ["a branch with a slash, renamed", "git branch f/one && git branch -m f/one f/two"],
  ["fast-forward merge", "git checkout -q main && git merge -q side"],
  ["delete a branch", "git branch -qd side"],
  [
    "merge with a commit",
    "git checkout -qb left HEAD~1 && echo l > l && git add l && git commit -qm left && " +
    "git checkout -q main && git merge -q --no-edit left",
  ],
  [
    "conflict",
    "git checkout -qb c1 && echo c1 > a && git commit -qam c1 && git checkout -q main && echo c2 > a && " +
    "git commit -qam c2 && ! git merge -q c1",
  ],
  ["merge continued", "echo both > a && git add a && git commit -qm merged"],
  [
    "merge aborted",
    "git checkout -qb c3 HEAD~1 && echo c3 > a && git commit -qam c3 && git checkout -q main && " +
    "! git merge -q c3 && git merge --abort",
  ],
  [
    "interactive rebase",
    "git checkout -qb r HEAD && for i in 1 2 3; do echo $i > r$i; git add r$i; git commit -qm r$i; done && " +
    "GIT_SEQUENCE_EDITOR='sed -i 2s/pick/fixup/' git rebase -q -i HEAD~3",
  ],
  ["rebase that stops", "git checkout -qb r2 main~1 && echo r2 > a && git commit -qam r2 && ! git rebase -q main"],
  ["rebase continued", "echo r3 > a && git add a && GIT_EDITOR=true git rebase --continue"],
  ["rebase to be edited", "GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/' git rebase -q -i HEAD~1"],
  ["rebase aborted", "git rebase --abort"],
  ["stash", "git checkout -q main && echo s1 >> a && git stash -q && echo s2 >> a && git stash -q"],
  ["stash dropped and popped", "git stash drop -q stash@{1} && git stash pop -q"],
  ["hard reset", "git reset -q --hard HEAD~1 && git reset -q --hard HEAD@{1}"],
  ["tags", "git tag light && git tag -m annotated heavy && git tag -d light"],
  ["cherry-pick", "git checkout -qb p main~2 && git cherry-pick r > out"],
  [
    "cherry-pick that stops",
    "rm out; git checkout -qb p2 main~1 && echo p2 > a && git commit -qam p2 && ! git cherry-pick c3 main",
  ],
  ["cherry-pick skipped and ended", "git cherry-pick --abort"],
  ["revert", "git revert --no-edit HEAD > /dev/null"],
  ["bisect begun", "git checkout -q main && git bisect start HEAD HEAD~4 > /dev/null"],
  ["bisect ended", "git bisect good > /dev/null; git bisect reset > /dev/null 2>&1"],
  ["detached head", "git checkout -q --detach && echo d >> a && git commit -qam detached && git checkout -q main"],
  ["notes", "git notes add -m note && git update-ref refs/notes/more refs/notes/commits"],
  ["fetch", "git fetch -q ./other main:refs/remotes/o/main"],
  ["fetch of a pack", "git -c fetch.unpackLimit=1 fetch -q ./other big:refs/remotes/o/big"],
  ["pull", "git checkout -qb pulled && git pull -q --no-rebase --no-edit --allow-unrelated-histories ./other main"],
  ["packed references", "git pack-refs --all && git branch packed && git branch -D c1 -q"],
  ["repack", "git checkout -q main && git repack -adq"],
  ["gc", "git gc -q --prune=now"],
  ["commit after gc", "echo gc >> a && git commit -qam gc"],
  [
    "linked working folder",
    "git worktree add -q linked -b linked && cd linked && echo w > w && git add w && git commit -qm w",
  ],
  ["linked working folder, again", "cd linked && echo w2 > w && git commit -qam w2 && git status"],
  ["commit in a submodule", "cd sub && echo s > s && git add s && git commit -qm s && cd .. && git commit -qam sub"],
  ["clean", "touch rubbish && git clean -qf"],
  ["fsck", "git fsck --strict"],
];

function prepare(root: string): void {
  repository(root);
  const other = (name: string): string => {
    Deno.mkdirSync(`${root}/${name}`);
    git(root, "init", "-q", name);
    git(`${root}/${name}`, "config", "user.name", "A");
    git(`${root}/${name}`, "config", "user.email", "a@b.test");
    Deno.writeTextFileSync(`${root}/${name}/o`, "o\n");
    git(`${root}/${name}`, "add", "o");
    git(`${root}/${name}`, "commit", "-qm", "other");
    return `${root}/${name}`;
  };
  const from = other("other");
  git(from, "checkout", "-qb", "big");
  for (let at = 0; at < 50; at++) Deno.writeTextFileSync(`${from}/f${at}`, `${at}\n`.repeat(100));
  git(from, "add", ".");
  git(from, "commit", "-qm", "big");
  git(from, "checkout", "-q", "main");
  git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./other", "sub");
  git(`${root}/sub`, "config", "user.name", "A");
  git(`${root}/sub`, "config", "user.email", "a@b.test");
  git(root, "commit", "-qm", "with a submodule");
  Deno.writeTextFileSync(`${root}/.git/info/exclude`, "other\nlinked\nout\n");
}

runTwins("git at kernel+", { furnish: prepare, steps: STEPS });
