import { ToolError } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";
import { grantOption } from "../../core/grant_option.ts";
import { covers, isInside, openedBy, type Policy } from "../../core/policy.ts";
import type { ProgramRequest, RunProgram } from "../../core/runner.ts";
import { type ProgramFile, programFile } from "../policy/program_files.ts";
import type { ProcessPool } from "../pool/pool.ts";
import { runProgram } from "./program_run.ts";
import { openSupervisor } from "./supervisor.ts";

/** Most programs at once; each has a tree of its own to be watched. */
const MOST = 16;

/** The listed programs of a session. */
export interface Programs {
  /** Decides on a request of the runner, which is not trusted, and runs it. */
  readonly run: RunProgram;
  /** Records the state of protected paths ahead of the first program. */
  look(): void;
  /** Ends all that run, and the spares. */
  close(): Promise<void>;
}

/**
 * The programs that a policy lists, each as a confined process of its own; which files they are is decided here, once.
 *
 * `marks`: variables that every program gets beside the policy's, by which its processes can be known. `warn`: called with each
 * line about what was not taken of a program's changes to a repository.
 */
export function openPrograms(
  policy: Policy,
  spares: ProcessPool,
  marks: Readonly<Record<string, string>> = {},
  warn: (line: string) => void = () => {},
): Programs {
  const files = new Map(policy.run.list.map((listed) => [listed, programFile(listed, policy)]));
  const supervisor = openSupervisor(policy, spares.layered);
  const running = new Set<Promise<unknown>>();

  const run: RunProgram = (request, signal) => {
    const work = async () => {
      const path = allowedFile(request, files, policy);
      const cwd = allowedFolder(request, policy);
      if (running.size > MOST) throw new ToolError(`${MOST} programs are running already`);
      const env = { ...policy.env, ...marks, PWD: cwd };
      const exec = { argv: [path, ...request.argv.slice(1)], cwd, env };
      return await runProgram(exec, request.stdin, { policy, spares, supervisor, warn }, signal);
    };
    const call = work();
    running.add(call);
    const forget = (): boolean => running.delete(call);
    call.then(forget, forget);
    return call;
  };

  return {
    run,
    look: supervisor.prepare,
    async close() {
      await Promise.allSettled([supervisor.close(), ...running, spares.close()]);
    },
  };
}

function allowedFile(
  { argv: [listed = ""] }: ProgramRequest,
  files: ReadonlyMap<string, ProgramFile>,
  policy: Policy,
): string {
  const file = files.get(listed);
  if (file === undefined) {
    throw new ToolError(
      `NotCapable: run access to "${listed}" is not granted. ${openedBy(grantOption("run", listed), policy)}`,
    );
  }
  if ("why" in file) throw new ToolError(`cannot be run: ${file.why}`);
  const now = programFile(listed, policy);
  if ("why" in now || now.path !== file.path || now.real !== file.real) {
    throw new ToolError("cannot be run: its file is not the one that it was when the session began");
  }
  return file.path;
}

function allowedFolder({ cwd }: ProgramRequest, policy: Policy): string {
  const real = attempt(() => Deno.realPathSync(cwd));
  if (real === undefined || !Deno.lstatSync(real).isDirectory) throw new ToolError(`cannot start in ${cwd}: no folder`);
  const path = real;
  if (!covers(policy.read, path) || policy.denyRead.some((denied) => isInside(path, denied))) {
    throw new ToolError(`cannot start in ${cwd}: outside the read scope`);
  }
  return path;
}
