import type { Policy } from "../core/policy.ts";
import { type Glance, glanceAtDisk } from "./disk.ts";
import { confinedCommand, policyFrame } from "./launch.ts";
import type { Self } from "./self.ts";

/** What a process is started with that confines itself: see `confinedCommand` and `policyFrame`. */
export interface StartPlan {
  readonly program: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  /** Made when it is first asked for: the process loads its code meanwhile. */
  readonly frame: () => Uint8Array<ArrayBuffer>;
}

interface KeptPlan {
  readonly self: Self;
  readonly view: Glance;
  readonly plan: StartPlan;
}

const kept = new WeakMap<Policy, KeptPlan>();

/**
 * The plan of a policy as the disk is now. Most commands leave alone what it depends on (which of the policy's paths are
 * there, and what lies beside what is denied), and then the last one still holds.
 */
export function startPlan(policy: Policy, self: Self, gate?: string): StartPlan {
  const last = gate === undefined ? kept.get(policy) : undefined;
  if (last?.self === self && last.view.isStill()) return last.plan;
  const { root, home, tmp, cache, read, write } = policy;
  const view = glanceAtDisk([root, home, tmp, cache, ...self.readPaths, ...read.list, ...write.list]);
  let frame: Uint8Array<ArrayBuffer> | undefined;
  const plan: StartPlan = {
    ...confinedCommand(policy, self, gate, view),
    frame: () => frame ??= policyFrame(policy, self, view),
  };
  if (gate === undefined) kept.set(policy, { self, view, plan });
  return plan;
}
