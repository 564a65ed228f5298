import { assertEquals } from "@std/assert";
import { openProgress } from "../../../src/cli/batch/progress.ts";
import { Work } from "../../../src/cli/batch/work.ts";

Deno.test("Work writes through no link that waits in the place of an attempt's folder", async () => {
  const [folder, elsewhere] = [Deno.makeTempDirSync(), Deno.makeTempDirSync()];
  try {
    Deno.mkdirSync(`${folder}/running`);
    Deno.symlinkSync(elsewhere, `${folder}/running/a.1.1`);
    const workspace = { kind: "git", repository: `${folder}/none` } as const;
    const task = { id: "a", digest: "d", workspace, prompt: "p", attempts: 1, args: [], isReadOnly: true };
    const progress = openProgress({ total: 1, jobs: 1, isQuiet: true });
    await new Work(folder, folder, [{ task, number: 1, key: "a.1" }], progress, {
      jobs: 1,
      path: "/usr/bin",
      again: () => false,
    })
      .toEnd();
    assertEquals([...Deno.readDirSync(elsewhere)], []);
    assertEquals(Deno.lstatSync(`${folder}/results/a/1/attempt.json`).isFile, true);
  } finally {
    for (const one of [folder, elsewhere]) Deno.removeSync(one, { recursive: true });
  }
});
