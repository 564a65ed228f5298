import { join } from "@std/path";
import { hasChanges } from "../../src/context/git/state.ts";
import { build, inFolder, type World } from "./world.ts";

/** Time enough on a machine with other work. */
export const LONG_MS = 20_000;

/** Runs git in a folder, without any settings of the user or the system. */
export function git(folder: string, ...args: readonly string[]): string {
  const { code, stdout, stderr } = new Deno.Command("git", {
    args: ["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", ...args],
    cwd: folder,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: folder,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "A",
      GIT_AUTHOR_EMAIL: "a@b.c",
      GIT_COMMITTER_NAME: "A",
      GIT_COMMITTER_EMAIL: "a@b.c",
      GIT_EDITOR: "true",
    },
  }).outputSync();
  const text = new TextDecoder();
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${text.decode(stderr)}`);
  return text.decode(stdout);
}

/** Files of the repositories that the tests make. */
export const FILES: World = { "a.txt": "one\n", "src/deep/b.ts": "two\n", "src-c.txt": "three\n", "ü/é.txt": "four\n" };

/** Runs `work` in a repository with one commit, that is gone afterwards: at `root/main`, beside which there is room. */
export function inRepository(work: (repository: string) => void, files = FILES): Promise<void> {
  return inFolder({ "main/": "" }, (root) => {
    const repository = join(root, "main");
    build(repository, files);
    git(repository, "init", "--quiet");
    commitAll(repository);
    work(repository);
  });
}

/** Commits all that there is. */
export function commitAll(repository: string): void {
  git(repository, "add", "--all");
  git(repository, "commit", "--quiet", "--message", "m");
}

/** The state of a repository, as if the machine had nothing else to do. */
export function stateOf(repository: string): boolean | undefined {
  return hasChanges(repository, LONG_MS);
}
