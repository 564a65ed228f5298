import { Buffer } from "node:buffer";
import type { Policy } from "../../core/policy.ts";
import type { MountOperation, NamespaceRequest } from "../launcher/request.ts";
import { type Glance, glanceAtDisk } from "../system/disk.ts";
import { confinedCommand, firstFrames, joinFrames, type LaunchOptions, namespacesFor, policyFrame } from "./launch.ts";
import { withMounts } from "./namespaces.ts";
import type { Self } from "./self.ts";

/** What a process that confines itself is started with: see `confinedCommand` and `firstFrames`. */
export interface StartPlan {
  readonly program: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  /** Made when it is first asked for, which may be beside the start of the process; `own`: see `withMounts`. */
  readonly frame: (own?: readonly MountOperation[]) => Uint8Array<ArrayBuffer>;
  /** Whether a plan that is made now would be the same. */
  readonly isCurrent: () => boolean;
}

interface KeptPlan {
  readonly self: Self;
  readonly view: Glance;
  readonly plan: StartPlan;
}

const kept = { command: new WeakMap<Policy, KeptPlan>(), runner: new WeakMap<Policy, KeptPlan>() };

/**
 * The plan of a policy as the disk is now. Most commands leave alone what it depends on (which of the policy's paths are
 * there, and what lies beside what is denied), and then the last one still holds: to make one takes longer than to start
 * a process by it.
 */
export function startPlan(policy: Policy, self: Self, options: Omit<LaunchOptions, "view"> = {}): StartPlan {
  const plans = options.isRunner ? kept.runner : kept.command;
  const last = options.gate === undefined ? plans.get(policy) : undefined;
  if (last?.self === self && last.view.isStill()) return last.plan;
  const { root, home, tmp, cache, read, write } = policy;
  const programs = options.isRunner || options.gate !== undefined ? self.readPaths : [];
  const view = glanceAtDisk([root, home, tmp, cache, ...programs, ...read.list, ...write.list]);
  let parts: readonly [NamespaceRequest | undefined, Uint8Array<ArrayBuffer>] | undefined;
  let frame: Uint8Array<ArrayBuffer> | undefined;
  const plan: StartPlan = {
    ...confinedCommand(policy, self, { ...options, view }),
    frame: (own = []) => {
      if (own.length === 0) return frame ??= firstFrames(policy, self, { ...options, view });
      parts ??= [namespacesFor(policy, self, { ...options, view }), policyFrame(policy, self, { ...options, view })];
      const [request, rest] = parts;
      if (request === undefined) throw new Error("there are no namespaces to mount anything in; nothing was started");
      return joinFrames(withMounts(request, own), rest);
    },
    isCurrent: () => view.isStill() || Buffer.compare(startPlan(policy, self, options).frame(), plan.frame()) === 0,
  };
  if (options.gate === undefined) plans.set(policy, { self, view, plan });
  return plan;
}
