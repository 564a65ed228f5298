import type { Policy, Scope } from "../../core/policy.ts";
import type { Self } from "../confine/self.ts";

/**
 * Program and arguments of the runner's process.
 *
 * Under `deno run` the policy's paths become the process's permission flags, and it gets no other permission. The
 * compiled binary takes none, and a comma in a path cannot be written in one (Deno 2.7 takes it doubled, 2.9 not at
 * all): a runner that finds itself with all permissions gives the scope to a worker of its own.
 */
export function runnerArgv(policy: Policy, self: Self): string[] {
  const paths = [policy.read.list, policy.write.list, policy.denyRead, policy.denyWrite, policy.protected].flat();
  if (self.standalone || paths.some((path) => path.includes(","))) {
    return [self.program, ...self.args, "--internal-runner"];
  }
  const script = self.args.slice(-1);
  const options = self.args.slice(0, -1).filter((arg) => !/^(-A|--no-prompt|--(allow|deny)-.*)$/.test(arg));
  const flags = [
    "--no-prompt",
    "--deny-import",
    ...allow("--allow-read", policy.read),
    ...allow("--allow-write", policy.write),
    ...deny("--deny-read", policy.denyRead),
    ...deny("--deny-write", [...policy.denyWrite, ...policy.protected]),
  ];
  return [self.program, ...options, ...flags, ...script, "--internal-runner"];
}

function allow(flag: string, scope: Scope): string[] {
  if (scope.all) return [flag];
  return scope.list.length > 0 ? [`${flag}=${scope.list.join(",")}`] : [];
}

function deny(flag: string, paths: readonly string[]): string[] {
  return paths.length > 0 ? [`${flag}=${paths.join(",")}`] : [];
}
