import { assertEquals, assertThrows } from "@std/assert";
import { inShard, shardOf } from "../../src/batch/shard.ts";
import { UserError } from "../../src/core/error.ts";

const FROM: readonly [option: string | undefined, env: Record<string, string>, shard: [number, number] | undefined][] =
  [
    [undefined, {}, undefined],
    ["3/20", {}, [2, 20]],
    ["all", { CI_NODE_INDEX: "1", CI_NODE_TOTAL: "2" }, undefined],
    ["1/2", { CI_NODE_INDEX: "2", CI_NODE_TOTAL: "2" }, [0, 2]],
    [undefined, { CI_NODE_INDEX: "1", CI_NODE_TOTAL: "2" }, [0, 2]],
    [undefined, { JOB_COMPLETION_INDEX: "0", JOB_COMPLETIONS: "3" }, [0, 3]],
    // Kubernetes itself tells only the index: claims alone divide the work then.
    [undefined, { JOB_COMPLETION_INDEX: "7" }, undefined],
    [undefined, { SLURM_ARRAY_TASK_ID: "5", SLURM_ARRAY_TASK_COUNT: "8", SLURM_ARRAY_TASK_MIN: "0" }, [5, 8]],
    [undefined, {
      SLURM_ARRAY_TASK_ID: "7",
      SLURM_ARRAY_TASK_COUNT: "4",
      SLURM_ARRAY_TASK_MIN: "1",
      SLURM_ARRAY_TASK_STEP: "2",
    }, [3, 4]],
  ];
for (const [option, env, shard] of FROM) {
  Deno.test(`shard of ${option ?? "no option"} and ${JSON.stringify(env)}`, () => {
    const found = shardOf(option, env);
    assertEquals(found && [found.index, found.count], shard);
  });
}

for (const option of ["0/3", "4/3", "x", "1/0", "1.5/2", "-1/3", ""]) {
  Deno.test(`no shard: "${option}"`, () => void assertThrows(() => shardOf(option, {}), UserError));
}

Deno.test("shards together are the whole, each part once", () => {
  const all = Array.from({ length: 23 }, (_, at) => at);
  const parts = [0, 1, 2, 3].flatMap((index) => inShard(all, { index, count: 4, from: "" }));
  assertEquals(parts.toSorted((a, b) => a - b), all);
});
