import { assert, assertEquals } from "@std/assert";
import { watchMemory } from "../../../src/hooks/load/memory_watch.ts";
import { until } from "../../helpers/until.ts";

const MB = 1024 * 1024;

/** A worker that says that it holds so much after so long; `undefined` never. */
function worker(
  bytes: number | undefined,
  afterMs = 0,
): { lost: string[]; watched: Parameters<typeof watchMemory>[0] } {
  const lost: string[] = [];
  const probe = (limitMs: number) =>
    new Promise<number>((answer, late) => {
      const timer = setTimeout(() => late(new Error("no answer")), limitMs);
      if (bytes === undefined) return;
      setTimeout(() => (clearTimeout(timer), answer(bytes)), afterMs);
    });
  return { lost, watched: () => [{ probe, lose: (why) => void lost.push(why), hasEnded: () => lost.length > 0 }] };
}

/** What each worker holds, and after how long it says so. */
interface Case {
  readonly name: string;
  readonly workers: readonly (readonly [bytes: number | undefined, afterMs?: number])[];
  readonly grows: number;
  readonly ended: readonly number[];
  /** Also after one was ended. */
  readonly goesOn?: boolean;
}

const CASES: readonly Case[] = [
  {
    name: "the one that holds too much, not one that is slow",
    workers: [[300 * MB], [1, 400]],
    grows: 80 * MB,
    ended: [1, 0],
  },
  {
    name: "the one that does not answer while memory grows",
    workers: [[undefined], [1]],
    grows: 60 * MB,
    ended: [1, 0],
  },
  {
    name: "the one that does not answer while memory grows fast, not one that is a little late",
    workers: [[undefined], [1, 60]],
    grows: 600 * MB,
    ended: [1, 0],
  },
  { name: "nobody while one computes and memory stays", workers: [[undefined], [1]], grows: 0, ended: [0, 0] },
  {
    name: "the greedy one, and nobody for its growing on for a while",
    workers: [[300 * MB], [undefined]],
    grows: 150 * MB,
    ended: [1, 0],
    goesOn: true,
  },
  { name: "nobody when the host itself has grown", workers: [[1], [1]], grows: 20 * MB, ended: [0, 0] },
];

for (const { name, workers, grows, ended, goesOn } of CASES) {
  Deno.test(`watchMemory() ends ${name}`, async () => {
    let resident = 100 * MB;
    const each = workers.map(([bytes, afterMs]) => worker(bytes, afterMs));
    const stop = watchMemory(
      () => each.flatMap(({ watched }) => watched()),
      () => !goesOn && each.some(({ lost }) => lost.length > 0) ? resident : resident += grows,
      { until: 0 },
    );
    resident += 300 * MB;
    const counts = (): readonly number[] => each.map(({ lost }) => lost.length);
    await until(() => counts().every((count, at) => count >= (ended[at] ?? 0)));
    // Nobody else is ended soon after.
    await new Promise((done) => setTimeout(done, 900));
    stop();
    assertEquals(counts(), ended);
  });
}

Deno.test("watchMemory() ends nobody for what somebody's worker of before still takes, and somebody after that", async () => {
  let resident = 100 * MB;
  const { lost, watched } = worker(undefined);
  const end = performance.now() + 1500;
  const stop = watchMemory(watched, () => resident += 20 * MB, { until: end });
  await until(() => lost.length > 0);
  assert(performance.now() >= end, "it was ended too early");
  stop();
  assertEquals(lost, ["it took too much memory"]);
});
