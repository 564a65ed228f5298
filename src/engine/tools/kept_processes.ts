import type { Policy } from "../../core/policy.ts";
import type { ToolProcesses } from "./tool_processes.ts";

/** Processes of tools that only look, kept for the next who has the same policy: a runner of its own is for another one. */
export interface KeptProcesses {
  /** Those that are there and free; they are the caller's until `give`. */
  readonly take: (policy: Policy, tools: readonly string[]) => ToolProcesses | undefined;
  /** Keeps processes that nothing goes on in, or ends them. */
  readonly give: (processes: ToolProcesses, tools: readonly string[]) => Promise<void>;
  /** Ends those that are free; what is given later is ended at once. */
  readonly close: () => Promise<void>;
}

/** So many at most. */
export function keepProcesses(most: number): KeptProcesses {
  const free = new Map<ToolProcesses, string>();
  let isClosed = false;
  return {
    take(policy, tools) {
      const wanted = keyOf(policy, tools);
      const found = wanted === undefined ? undefined : [...free].find(([, key]) => key === wanted)?.[0];
      if (found) free.delete(found);
      return found;
    },
    async give(processes, tools) {
      const key = keyOf(processes.policy, tools);
      if (isClosed || key === undefined || free.size >= most) await processes.close();
      else free.set(processes, key);
    },
    close: async () => {
      isClosed = true;
      const all = [...free.keys()];
      free.clear();
      await Promise.all(all.map((processes) => processes.close()));
    },
  };
}

/**
 * What two policies must share; undefined for one that leaves something behind: whoever writes or runs programs has private
 * folders, and nobody gets those of somebody else. Where nothing is written it does not matter what they are called.
 */
function keyOf(policy: Policy, tools: readonly string[]): string | undefined {
  const { tmp: _tmp, cache: _cache, env: _env, ...rest } = policy;
  const { write, run } = policy;
  if (write.all || write.list.length > 0 || run.all || run.list.length > 0) return undefined;
  return JSON.stringify([rest, tools]);
}
