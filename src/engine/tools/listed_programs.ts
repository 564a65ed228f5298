import { UserError } from "../../core/error.ts";
import type { Policy } from "../../core/policy.ts";
import type { Tool } from "../../core/tool.ts";
import { programFile } from "../../sandbox/policy/program_files.ts";
import { runNotices } from "../../sandbox/policy/describe.ts";

/** Where the kernel confines a single program. */
const CONFINING: readonly Policy["sandbox"][] = ["kernel+", "kernel"];

/**
 * Whether programs of a list are to be started for the in-process shell.
 *
 * Throws UserError (exit code 3) for a list at a level that cannot confine a program.
 */
export function startsListed(policy: Policy, active: readonly Tool[]): boolean {
  const { all, list } = policy.run;
  const isWanted = active.some((tool) => tool.name === "bash" && tool.place === "runner");
  if (all || list.length === 0 || !isWanted) return false;
  if (canStartListed(policy)) return true;
  throw new UserError({
    what: `Cannot start the listed programs (${list.join(", ")})`,
    why: `the sandbox level here is ${policy.sandbox}, at which nothing confines a single program`,
    fix:
      "Leave the list out, and bash interprets scripts itself; sandpiper doctor says what the level kernel lacks here",
    exitCode: 3,
  });
}

/** Whether this level can confine the programs of a list, if there is one. */
export function canStartListed({ run: { all, list }, sandbox }: Policy): boolean {
  return all || list.length === 0 || CONFINING.includes(sandbox);
}

/** What a person should know about the programs that may run (R468), and which of a list will not. */
export function programNotices(policy: Policy, listed: boolean): readonly string[] {
  const unusable = (listed ? policy.run.list : []).flatMap((name) => {
    const file = programFile(name, policy);
    return "why" in file ? [`${name} will not run: ${file.why}.`] : [];
  });
  return [...runNotices(policy), ...unusable];
}
