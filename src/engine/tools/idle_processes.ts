import type { Policy } from "../../core/policy.ts";
import type { ToolProcesses } from "./tool_processes.ts";

/** Idle processes of read-only tools, kept for the next sub-agent with an equal policy. */
export interface IdleProcesses {
  /** Idle processes for this policy, if there are any; they belong to the caller until `give`. */
  readonly take: (policy: Policy, tools: readonly string[]) => ToolProcesses | undefined;
  /** Takes back processes in which nothing runs: keeps them, or ends them. */
  readonly give: (processes: ToolProcesses, tools: readonly string[]) => Promise<void>;
  /** Ends those that are free; what is given later is ended at once. */
  readonly close: () => Promise<void>;
}

/** Keeps at most `most` sets of processes. */
export function openIdleProcesses(most: number): IdleProcesses {
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
