import { isAbsolute } from "@std/path";
import { ToolError } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";
import { grantOption } from "../../core/grant_option.ts";
import { covers, isInside, type Policy, PROGRAM_LEVELS } from "../../core/policy.ts";
import { programFile } from "./program_files.ts";

/**
 * What to start for a server's command: any program where all may run, else one that is listed and whose file tools cannot
 * change. Throws ToolError with the reason and, where there is one, the grant.
 */
export function serverProgram(command: string, policy: Policy): string {
  if (command.includes("/") && !isAbsolute(command)) {
    throw new ToolError(`its command "${command}" must be a program's name or absolute path`);
  }
  const { run, sandbox } = policy;
  if (sandbox === "permissions") throw new ToolError("at the sandbox level permissions no program can be confined");
  if (run.all) return command;
  if (!run.list.includes(command)) {
    throw new ToolError(
      `${command} is not in the run scope; only the user can allow it: ${grantOption("run", command)}`,
    );
  }
  if (!PROGRAM_LEVELS.has(sandbox)) {
    throw new ToolError(`at the sandbox level ${sandbox} no single program can be confined`);
  }
  const file = programFile(command, policy);
  if ("why" in file) throw new ToolError(`${command} cannot be run: ${file.why}`);
  return file.path;
}

/** The real path of the folder that a server starts in; throws ToolError for one outside the read scope. */
export function serverFolder(cwd: string, policy: Policy): string {
  const real = attempt(() => Deno.realPathSync(cwd));
  if (real === undefined || !Deno.lstatSync(real).isDirectory) {
    throw new ToolError(`it cannot start in ${cwd}: no folder`);
  }
  if (!covers(policy.read, real) || policy.denyRead.some((denied) => isInside(real, denied))) {
    throw new ToolError(`it cannot start in ${cwd}: outside the read scope`);
  }
  return real;
}
