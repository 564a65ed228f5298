import { UserError } from "../core/error.ts";

/** This process's part of the attempts: those whose place in the list, divided by `count`, leaves `index`. */
export interface Shard {
  /** From 0. */
  readonly index: number;
  readonly count: number;
  /** Where it comes from, for people: `--shard`, or a scheduler's name. */
  readonly from: string;
}

/** Variables of schedulers that say both which part a process is, and of how many. */
const SCHEDULERS = [
  {
    name: "Slurm array",
    index: "SLURM_ARRAY_TASK_ID",
    count: "SLURM_ARRAY_TASK_COUNT",
    first: "SLURM_ARRAY_TASK_MIN",
    step: "SLURM_ARRAY_TASK_STEP",
  },
  // Kubernetes tells a pod its index and not how many there are: the manifest has to.
  { name: "Kubernetes indexed job", index: "JOB_COMPLETION_INDEX", count: "JOB_COMPLETIONS" },
  { name: "CI job", index: "CI_NODE_INDEX", count: "CI_NODE_TOTAL", from: 1 },
] as const;

/**
 * The shard that `--shard K/N` names (K from 1), else the one of the scheduler that started this process; undefined: all
 * attempts, as for `--shard all`. Throws UserError for one that is none.
 */
export function shardOf(option: string | undefined, env: Readonly<Record<string, string>>): Shard | undefined {
  if (option === "all") return undefined;
  if (option !== undefined) {
    const [, index, count] = /^(\d+)\/(\d+)$/.exec(option) ?? [];
    return checked(Number(index) - 1, Number(count), "--shard", `--shard ${option}`);
  }
  for (const scheduler of SCHEDULERS) {
    const [index, count] = [env[scheduler.index], env[scheduler.count]];
    if (index === undefined || count === undefined) continue;
    const first = "first" in scheduler ? Number(env[scheduler.first] ?? 0) : "from" in scheduler ? scheduler.from : 0;
    const step = "step" in scheduler ? Number(env[scheduler.step] ?? 1) : 1;
    const named = `${scheduler.index}=${index} of ${scheduler.count}=${count}`;
    return checked((Number(index) - first) / step, Number(count), scheduler.name, named);
  }
  return undefined;
}

function checked(index: number, count: number, from: string, named: string): Shard {
  if (Number.isInteger(index) && Number.isInteger(count) && index >= 0 && index < count) return { index, count, from };
  throw new UserError({
    what: `${named} is no part of a whole`,
    why: "it must be a number from 1 to the number of parts, and the number of parts",
    fix: "For example --shard 3/20; --shard all leaves the scheduler's variables out of account",
  });
}

/** Those of `all` that are this shard's. */
export function inShard<T>(all: readonly T[], shard: Shard | undefined): T[] {
  return shard ? all.filter((_, at) => at % shard.count === shard.index) : [...all];
}
