import type { Policy } from "../../src/core/policy.ts";
import type { Self } from "../../src/sandbox/confine/self.ts";
import { processLink } from "../../src/sandbox/runner_client/process.ts";
import { type Runner, runnerClient } from "../../src/sandbox/runner_client/runner_client.ts";
import { workerLink } from "../../src/sandbox/runner_client/worker.ts";

/** A runner where a session would have it: in a worker at the level `permissions`, else in a process. */
export function openRunner(
  policy: Policy,
  self: Self,
  script: URL,
  watch: Parameters<typeof runnerClient>[2] = {},
): Runner {
  const start = policy.sandbox === "permissions" ? workerLink(policy, script) : processLink(policy, self);
  return runnerClient(start, policy, watch);
}
