// What a killed program leaves in the workspace has a name that identifies its process, and the next start removes it: also
// without a tool call, and where no changes are recorded. Until then git does not show it.
import { assertEquals } from "@std/assert";
import { identityOf, processNamespace } from "../../src/sandbox/system/procfs.ts";
import { temporaryName } from "../../src/core/support/replace_file.ts";
import { ownerPrefix } from "../../src/sandbox/system/temporary_folder.ts";
import { needs } from "../helpers/needs.ts";
import { cassette, inWorkspace, PROGRAM, run, start } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";

const LINUX = Deno.build.os === "linux";
/** A process that has ended: one with the number of this one that started earlier. */
const ended = (): string => `sandpiper-${processNamespace()}-${Deno.pid}-${(identityOf(Deno.pid)?.start ?? 1) - 1}-`;
const names = (folder: string): string[] => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
/** Relative paths of the files in a directory and below it. */
const below = (folder: string, prefix = ""): string[] =>
  [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? below(`${folder}/${name}`, `${prefix}${name}/`) : [`${prefix}${name}`]
  ).sort();

for (const settings of [{}, { checkpoints: false }]) {
  Deno.test({
    name: `files of a killed program are removed by a run without calls, with the settings ${JSON.stringify(settings)}`,
    ignore: !LINUX,
    fn: () =>
      inWorkspace({ "src/deep/a.ts": "a\n", ".git/HEAD": "ref: refs/heads/main\n" }, async ({ ws, home }) => {
        Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
        Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify(settings));
        const kept = [temporaryName(ownerPrefix()), "a.ts"].sort();
        for (const name of [kept[0] ?? "", temporaryName(ended())]) {
          Deno.writeTextFileSync(`${ws}/src/deep/${name}`, "a part");
        }
        Deno.writeTextFileSync(`${ws}/.git/index.${ended()}12345678`, "");
        Deno.linkSync(`${ws}/.git/index.${ended()}12345678`, `${ws}/.git/index.lock`);
        const model = `replay:${cassette(home, [{ text: "done" }])}`;
        const { code, stderr } = await run(PROGRAM, ["-p", "-m", model, "go"], { cwd: ws, env: { HOME: home } });
        assertEquals([code, names(`${ws}/src/deep`), names(`${ws}/.git`)], [0, kept, ["HEAD"]], stderr);
      }),
  });
}

Deno.test({
  ...needs(["git"], "the index lock of a killed program is removed from the repository of a linked worktree", !LINUX),
  fn: () =>
    inWorkspace({ "a.ts": "a\n" }, async ({ ws, home, outside }) => {
      const git = (...args: readonly string[]) =>
        new Deno.Command("git", { args: ["-C", outside, "-c", "user.name=a", "-c", "user.email=a@b", ...args] })
          .outputSync();
      git("init", "-q");
      git("commit", "-qm", "first", "--allow-empty");
      git("worktree", "add", "-q", `${ws}/linked`);
      const own = `${outside}/.git/worktrees/linked`;
      const before = names(own);
      Deno.writeTextFileSync(`${own}/index.${ended()}12345678`, "");
      Deno.linkSync(`${own}/index.${ended()}12345678`, `${own}/index.lock`);
      const model = `replay:${cassette(home, [{ text: "done" }])}`;
      const { code, stderr } = await run(PROGRAM, ["-p", "-m", model, "go"], {
        cwd: `${ws}/linked`,
        env: { HOME: home },
      });
      assertEquals([code, names(own)], [0, before], stderr);
    }),
});

Deno.test({
  ...needs(["git"], "git does not show the temporary file of a killed program, the next session removes it", !LINUX),
  fn: () =>
    inWorkspace({ "src/a.ts": "a\n" }, async ({ ws, home }) => {
      const git = (...args: readonly string[]): string => {
        const identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
        const options = { args: ["-C", ws, ...identity, ...args], env: { HOME: home } };
        return new TextDecoder().decode(new Deno.Command("git", options).outputSync().stdout);
      };
      git("init", "-q");
      git("add", "-A");
      git("commit", "-qm", "first");
      const program = (...replies: readonly unknown[]) => {
        const model = `replay:${cassette(home, replies)}`;
        return [PROGRAM, ["-p", "-m", model, "--tools", "write,bash,task", "go"], {
          cwd: ws,
          env: { HOME: home },
        }] as const;
      };
      const write = { name: "write", args: { path: "src/b.ts", content: "b\n" } };
      const task = { name: "task", args: { description: "d", prompt: "p", write: ["."], tools: ["bash"] } };
      const wait = { name: "bash", args: { command: `: ${home}; touch started; sleep 60` } };
      const child = start(...program({ calls: [write] }, { calls: [task] }, { calls: [wait] }));
      await until(() => names(ws).includes("started"));
      const prefix = `sandpiper-${processNamespace()}-${child.pid}-${identityOf(child.pid)?.start}-`;
      child.kill("SIGKILL");
      await child.output();
      const sessions = `${home}/.sandpiper/agent/sessions`;
      const locks = (): string[] => below(sessions).filter((path) => !path.endsWith(".jsonl"));
      assertEquals(locks().map((path) => path.split("/").slice(1, -1)), [[], ["agents"]]);
      for (const lock of locks()) Deno.writeTextFileSync(`${sessions}/${lock.replace(/lock$/, "new")}`, "{");
      Deno.writeTextFileSync(`${ws}/src/${temporaryName(prefix)}`, "a part");
      assertEquals(git("status", "--porcelain"), "?? src/b.ts\n?? started\n");
      const { code, stderr } = await run(...program({ text: "done" }));
      assertEquals([code, names(`${ws}/src`), names(ws)], [0, ["a.ts", "b.ts"], [".git", "src", "started"]], stderr);
      assertEquals(git("status", "--porcelain", "--ignored"), "?? src/b.ts\n?? started\n");
      assertEquals(locks(), []);
      assertEquals(names(`${ws}/.git`).filter((name) => /lock|sandpiper/.test(name)), []);
    }),
});
