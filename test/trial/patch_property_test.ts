// Random trees and random changes of a private copy: the patch of the trial, applied to the original, gives the copy's tree. The
// same by git, and patches of git's by this program. SANDPIPER_TRIAL_SEEDS says how many, SANDPIPER_TRIAL_SEED the first one.
import { assert, assertEquals } from "@std/assert";
import type { Config } from "../../src/config/config.ts";
import { openTrial } from "../../src/engine/trial/open_trial.ts";
import { applyPlan } from "../../src/trial/apply.ts";
import { planPatch } from "../../src/trial/plan.ts";
import { readPatch } from "../../src/trial/read_patch.ts";
import { bytesOf } from "../../src/core/support/tree.ts";
import { quoted } from "../../src/trial/write_patch.ts";
import { rounds } from "../helpers/rounds.ts";
import { change, isEndless, randomOf, snapshot, treeAt } from "./trees.ts";

const SEEDS = Number(Deno.env.get("SANDPIPER_TRIAL_SEEDS") ?? rounds(20));
const FIRST = Number(Deno.env.get("SANDPIPER_TRIAL_SEED") ?? 1);
const ENV = { PATH: "/usr/bin:/bin", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" };

function run(cwd: string, command: string, ...args: readonly string[]): Uint8Array<ArrayBuffer> {
  const ran = new Deno.Command(command, { args: [...args], cwd, clearEnv: true, env: ENV }).outputSync();
  assert(ran.success, `${command} ${args.join(" ")}: ${new TextDecoder().decode(ran.stderr)}`);
  return ran.stdout;
}

/** Applies a patch to a folder by this program. */
function applyTo(folder: string, patch: Uint8Array): void {
  const tree = treeAt(folder);
  try {
    const { wanted, unfit } = planPatch(readPatch(patch, "a patch"), {
      tree,
      whyClosed: () => undefined,
      umask: 0o022,
    });
    assertEquals(unfit, []);
    assertEquals(applyPlan(tree, wanted, 0o022), undefined);
  } finally {
    tree.close();
  }
}

function shot(folder: string): Readonly<Record<string, string>> {
  const tree = treeAt(folder);
  try {
    return snapshot(tree);
  } finally {
    tree.close();
  }
}

for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
  Deno.test(`the patch of a trial gives the trial's tree, by sandpiper and by git: seed ${seed}`, async () => {
    const top = Deno.realPathSync(Deno.makeTempDirSync());
    const random = randomOf(seed);
    try {
      const [root, home] = [`${top}/ws`, `${top}/home`];
      for (const path of [root, home]) Deno.mkdirSync(path);
      const tree = treeAt(root);
      change(tree, random, 5 + random(60));
      tree.close();
      run(top, "cp", "-a", "ws", "other");
      const trial = await openTrial({ root, world: { env: { HOME: home } } } as unknown as Config);
      try {
        assertEquals(shot(trial.folder), shot(root));
        const copy = treeAt(trial.folder);
        change(copy, random, 1 + random(40));
        copy.close();
        const wanted = shot(trial.folder);
        const before = shot(root);
        const { patch } = await trial.changes();
        assertEquals(shot(root), before, "the workspace was changed");
        applyTo(root, bytesOf(patch));
        assertEquals(shot(root), wanted, "applied by this program");
        Deno.writeFileSync(`${top}/patch`, bytesOf(patch));
        // git takes no folder away that holds empty ones.
        run(top, "find", "other", "-mindepth", "1", "-type", "d", "-empty", "-delete");
        // Where a folder takes the place of a link that leads to itself, git looks through the link and gives up.
        const isBeyondGit = Object.keys(wanted).some((path) =>
          path.split("/").some((_, at, parts) => at > 0 && isEndless(before, parts.slice(0, at).join("/")))
        );
        if (!isBeyondGit) {
          if (patch !== "") run(`${top}/other`, "git", "apply", "../patch");
          assertEquals(shot(`${top}/other`), wanted, "applied by git");
        }
      } finally {
        trial.remove();
      }
      assertEquals([...Deno.readDirSync(`${home}/.cache/sandpiper/trials`)], []);
    } finally {
      Deno.removeSync(top, { recursive: true });
    }
  });
}

for (let seed = FIRST; seed < FIRST + Math.ceil(SEEDS / 2); seed++) {
  Deno.test(`a patch of git diff --binary with moves and copies is applied: seed ${seed}`, () => {
    const top = Deno.realPathSync(Deno.makeTempDirSync());
    const random = randomOf(seed * 7919);
    try {
      Deno.mkdirSync(`${top}/ws`);
      const tree = treeAt(`${top}/ws`);
      change(tree, random, 5 + random(60));
      run(top, "cp", "-a", "ws", "other");
      const git = (...args: readonly string[]) =>
        run(`${top}/ws`, "git", `--git-dir=${top}/git`, "--work-tree=.", ...args);
      git("init", "-q");
      git("add", "-A");
      git("-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qm", "one", "--allow-empty");
      change(tree, random, 1 + random(40));
      tree.close();
      git("add", "-A");
      const patch = git("diff", "--cached", "--binary", "--full-index", "-M30", "-C30", "--find-copies-harder", "HEAD");
      applyTo(`${top}/other`, patch);
      assertEquals(shot(`${top}/other`), shot(`${top}/ws`));
    } finally {
      Deno.removeSync(top, { recursive: true });
    }
  });
}

Deno.test("quoted() puts names in quotes that git could not read bare", () => {
  assertEquals(["a b", "a /b", 'q"', "tab\t"].map(quoted), ["a b", '"a /b"', '"q\\""', '"tab\\t"']);
});
