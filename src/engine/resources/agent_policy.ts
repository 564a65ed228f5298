import type { AgentFile } from "../../context/agents/agent_file.ts";
import type { Policy } from "../../core/policy.ts";
import { narrowPolicy, type NarrowRequest } from "../../sandbox/policy/narrow.ts";
import { toolchainPaths } from "../../sandbox/policy/readable.ts";
import { disk, glanceAtDisk } from "../../sandbox/system/disk.ts";

/** What an agent's file says of scopes; `argument` asks for nothing. */
export function requestOf({ write, read, net, run }: Pick<AgentFile, "write" | "read" | "net" | "run">): NarrowRequest {
  return {
    ...(write === "argument" ? {} : { write }),
    ...(read ? { read } : {}),
    ...(net ? { net } : {}),
    ...(run ? {} : { run: false }),
  };
}

/** `narrowPolicy` on this machine's disk. */
export function narrowed(policy: Policy, request: NarrowRequest): Policy {
  const programs = request.read === undefined
    ? []
    : toolchainPaths({ ...glanceAtDisk(), home: policy.home, env: policy.env });
  return narrowPolicy(policy, request, { realPath: disk.realPath, programs });
}
