import type { JsonObject } from "../core/json.ts";
import type { Policy } from "../core/policy.ts";
import type { ProgramOutcome, RunProgram } from "../core/program.ts";
import type { CallOptions } from "../core/runner.ts";
import { errorResult, type Files, type Shell, textResult, type Tool, type ToolResult } from "../core/tool.ts";
import { claimIn, type DenialClaim, withDenial } from "../sandbox/denial_claim.ts";
import { openRunner } from "../sandbox/runner_client.ts";
import type { Self } from "../sandbox/self.ts";
import type { Commands } from "./background_ids.ts";
import { type LateProcesses, lateProcesses } from "./late_processes.ts";
import { startsListed } from "./listed_programs.ts";

/** What runs tool calls under one policy, for as long as that holds. */
export interface ToolProcesses {
  readonly policy: Policy;
  readonly active: readonly Tool[];
  readonly run: (tool: Tool, args: JsonObject, options: CallOptions) => Promise<ToolResult>;
  /** Starts the shell's spare a little later, once; costs nothing when bash is not active. */
  readonly warmSoon: () => void;
  /** Takes no further call; when those under way have ended, so does all but commands in the background. */
  readonly retire: () => Promise<void>;
  /** Ends everything. Safe to call twice. */
  readonly close: () => Promise<void>;
}

/** What is the same for all policies of a session. */
export interface ToolGround {
  readonly self: Self;
  /** Where this program keeps what can be made again. */
  readonly cache: string | undefined;
  /** Gives background commands of one shell the session's numbers. */
  readonly numbered: (own: Commands) => Commands;
}

/** Starts the runner of a policy and returns without waiting for it; whatever starts commands is loaded with the first. */
export function openToolProcesses(policy: Policy, active: readonly Tool[], ground: ToolGround): ToolProcesses {
  const { self, cache, numbered } = ground;
  const listed = startsListed(policy, active);
  const kind = listed ? "listed" : active.some((tool) => tool.place === "shell") ? "shell" : undefined;
  const processes = kind && lateProcesses(kind, policy, self, cache);
  const programs = listed && processes ? listedPrograms(processes) : undefined;
  const runner = active.some((tool) => tool.place === "runner")
    ? openRunner(
      policy,
      self,
      new URL("../runner/worker.ts", import.meta.url),
      programs ? { runProgram: programs.run } : {},
    )
    : undefined;
  const running = new Set<Promise<unknown>>();

  const inRunner = async (tool: Tool, args: JsonObject, options: CallOptions): Promise<ToolResult> => {
    const deadlineMs = tool.deadlineMs?.(args, policy);
    if (tool.name === "bash") programs?.forget();
    const call = { name: tool.name, args };
    const result = await (runner?.call(call, deadlineMs === undefined ? options : { ...options, deadlineMs }) ??
      errorResult("No tools were started"));
    // What a program met is known here; the runner, which asked for the program, need not be believed.
    const denied = tool.name === "bash" ? programs?.denied() : undefined;
    return denied === undefined || claimIn(result.details) ? result : withDenial(result, denied);
  };

  const inHost = async (tool: Tool, args: JsonObject, options: CallOptions): Promise<ToolResult> => {
    const shell = (await processes?.get())?.shell;
    // A shell is a function; what runs in the background hangs on it.
    const own: Shell | undefined = shell &&
      Object.assign((...call: Parameters<Shell>) => shell(...call), { background: numbered(shell.background) });
    return await tool.run(args, {
      policy,
      files: NO_FILES,
      ...(own ? { shell: own } : {}),
      signal: options.signal,
      update: (text) => options.onUpdate(textResult(text)),
    });
  };

  return {
    policy,
    active,
    run: (tool, args, options) => {
      const call = (tool.place === "runner" ? inRunner : inHost)(tool, args, options);
      running.add(call);
      const forget = (): boolean => running.delete(call);
      call.then(forget, forget);
      return call;
    },
    warmSoon: () => processes?.warmSoon(),
    retire: async () => {
      await Promise.allSettled(running);
      await Promise.all([runner?.close(), processes?.retire()]);
    },
    close: async () => {
      await Promise.all([runner?.close(), processes?.close()]);
    },
  };
}

/** Listed programs that the shell in the runner asks for, and what of the policy the first of a call met. */
function listedPrograms(processes: LateProcesses): {
  readonly run: RunProgram;
  readonly denied: () => DenialClaim | undefined;
  readonly forget: () => void;
} {
  let met: DenialClaim | undefined;
  return {
    denied: () => met,
    forget: () => met = undefined,
    run: async (...request) => {
      const { runProgram } = await processes.get();
      if (!runProgram) throw new Error("no program was listed");
      const outcome: ProgramOutcome & { readonly denial?: DenialClaim } = await runProgram(...request);
      met ??= outcome.denial;
      return outcome;
    },
  };
}

/** Tools that run in the host have no way to files: those belong to the runner. */
const NO_FILES: Files = new Proxy({} as Files, { // every use of it is a fault of the program
  get: (_target, name) => {
    throw new Error(`a tool of the host asked for files.${String(name)}`);
  },
});
