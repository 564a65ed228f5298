// Only for sandbox level "off", which only the user can choose.
import type { Policy } from "../../core/policy.ts";
import type { Exec } from "../confine/launch.ts";
import { becomeSubreaper, keepProcess } from "../process/tree.ts";
import type { StartedProcess } from "./confined.ts";

/** Starts a command with nothing around it; refuses unless the policy says that there is no sandbox. */
export function startUnconfined(policy: Policy, exec: Pick<Exec, "argv" | "env" | "cwd">): StartedProcess {
  if (policy.sandbox !== "off") throw new Error(`a plain process at sandbox level ${policy.sandbox}`);
  becomeSubreaper();
  const [program = "/bin/sh", ...args] = exec.argv;
  const child = new Deno.Command(program, {
    // The shell that starts first joins the two outputs, so that they arrive in order, and is then replaced.
    args: ["-c", 'exec "$0" "$@" 2>&1', program, ...args],
    env: { ...exec.env },
    clearEnv: true,
    cwd: exec.cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
    detached: true,
  }).spawn();
  keepProcess(child);
  return { pid: child.pid, stdout: child.stdout, status: child.status, failure: () => Promise.resolve(undefined) };
}
