import { assert, assertEquals } from "@std/assert";
import { killTree } from "../../../src/sandbox/process/end_tree.ts";
import { openStop } from "../../../src/sandbox/process/stop.ts";
import { becomeSubreaper, keepProcess, openTree, type Tree } from "../../../src/sandbox/process/tree.ts";
import { within } from "../../../src/core/support/sleep.ts";
import { until } from "../../helpers/until.ts";
import { inFolder } from "../folder.ts";
import { exists } from "../shell_fixture.ts";

const linux = { ignore: Deno.build.os !== "linux" };

async function withScript(
  script: string,
  work: (
    place: { readonly tree: Tree; readonly folder: string; readonly status: Promise<Deno.CommandStatus> },
  ) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    becomeSubreaper();
    const child = new Deno.Command("/bin/bash", {
      args: ["-c", `${script}; : > ready; while :; do sleep 0.02; done`],
      cwd: folder,
      stdin: "null",
      detached: true,
    }).spawn();
    keepProcess(child);
    const tree = openTree(child.pid);
    try {
      await until(() => exists(`${folder}/ready`));
      await work({ tree, folder, status: child.status });
    } finally {
      await killTree(tree);
      await child.status;
      tree.close();
      // Who asks a tree gently looks at it once more.
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  });
}

Deno.test(
  "openStop() lets a tree that is asked gently tidy up, and tells why",
  linux,
  () =>
    withScript("trap ': > tidied; exit 3' TERM", async ({ tree, folder, status }) => {
      const stop = openStop(tree, false);
      assertEquals(stop.reason(), undefined);
      stop.gently("timeout");
      await stop.done;
      assertEquals((await status).code, 3);
      assertEquals([exists(`${folder}/tidied`), stop.reason()], [true, { ending: "timeout" }]);
      // Who comes second gives no reason.
      stop.atOnce("limit", "too much");
      assertEquals(stop.reason(), { ending: "timeout" });
    }),
);

Deno.test(
  "openStop() ends a tree at once that is being asked gently and does not listen",
  linux,
  async () => {
    let shortestMs = Infinity;
    // Two seconds are what it would have each time; on a busy machine the end alone may take as long once.
    for (let tries = 5; tries > 0 && shortestMs > 1_900; tries--) {
      await withScript("trap '' TERM", async ({ tree, status }) => {
        const stop = openStop(tree, false);
        const began = performance.now();
        stop.gently("aborted");
        stop.atOnce("limit", "the session ends");
        await stop.done;
        await status;
        shortestMs = Math.min(shortestMs, performance.now() - began);
        assertEquals(stop.reason(), { ending: "aborted" });
      });
    }
    assert(shortestMs <= 1_900, `${shortestMs} ms`);
  },
);

Deno.test(
  "openStop() gives a tree no time that is ended at once",
  linux,
  () =>
    withScript("trap ': > tidied' TERM", async ({ tree, folder, status }) => {
      const stop = openStop(tree, false);
      stop.atOnce("limit", "it was too large");
      await stop.done;
      assertEquals((await status).signal, "SIGKILL");
      assertEquals([exists(`${folder}/tidied`), stop.reason()], [false, {
        ending: "limit",
        limit: "it was too large",
      }]);
    }),
);

Deno.test("within() gives what comes in time, nothing for what does not, and a failure as it is", async () => {
  const late = Promise.withResolvers<number>();
  assertEquals(await within(1_000, Promise.resolve(7)), 7);
  assertEquals(await within(5, late.promise), undefined);
  assertEquals(await within(1_000, Promise.reject(new Error("no"))).catch((error) => error.message), "no");
  late.resolve(1);
});
