import { IS_NIGHTLY } from "../helpers/rounds.ts";
import { IS_LONG, PROGRAM, SCHEDULES } from "./runs.ts";
import { runSchedule } from "./schedules.ts";

/** Schedules that once ended as none may: a clock that is ahead, a redirect in a circle. */
const FAILED_ONCE: readonly number[] = [5, 29];

/** One in ten goes through a program of its own; the others run in this process, which is faster. */
const isInProgram = (seed: number): boolean => seed % 10 === 9;

for (const seed of FAILED_ONCE) {
  Deno.test(`a task of ten turns outlives schedule ${seed}, which it once did not`, () => runSchedule(seed));
}

/** All schedules of one kind; all that fail are told. */
async function runAll(seeds: readonly number[], one: (seed: number) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const seed of seeds) await one(seed).catch((error) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of ${seeds.length} schedules failed`);
}

/** By day these are left out: every kind of fault and of ending that they have is in another one of the first thirty. */
const BY_NIGHT: readonly number[] = IS_LONG || IS_NIGHTLY ? [] : [0, 4, 9, 10, 14, 21, 22, 25, 26, 28];

const SEEDS = Array.from({ length: SCHEDULES }, (_, seed) => seed)
  .filter((seed) => !FAILED_ONCE.includes(seed) && !BY_NIGHT.includes(seed));

Deno.test("a task of ten turns outlives whatever a network does to its replies", () =>
  runAll(SEEDS.filter((seed) => !isInProgram(seed)), (seed) => runSchedule(seed)));

Deno.test("a task of ten turns in a program of its own outlives whatever a network does to its replies", () =>
  runAll(SEEDS.filter(isInProgram), (seed) => runSchedule(seed, PROGRAM)));
