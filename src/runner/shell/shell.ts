import { basename } from "@std/path";
import { grantOption } from "../../core/grant_option.ts";
import { messageOf, ToolError } from "../../core/error.ts";
import { openedBy, type Policy, PROGRAM_LEVELS } from "../../core/policy.ts";
import type { RunProgram } from "../../core/runner.ts";
import type { Files, Shell, ShellOutcome } from "../../core/tool.ts";
import type { Denied } from "../files/denial.ts";
import { shellFiles } from "./files.ts";
import { type Interpreter, loadInterpreter, makeInterpreter, ownCommands } from "./interpreter.ts";
import { shownOutput } from "./output.ts";
import { programCommands } from "./programs.ts";

/** Longest script, UTF-16 units. */
const MAX_SCRIPT = 1024 * 1024;
/** What the model is told of refusals in one call. */
const MAX_NOTES = 8;
/** So many of them are told apart for a person. */
const MAX_DENIALS = 20;
/** Exit codes of the interpreter for a script that it ended: over time or aborted, and over another limit. */
const [OVER_TIME, OVER_LIMIT] = [124, 126];
const LIMIT = /^bash: .*(?:exceeded|too many commands executed).*$/m;

/** What the shell in this process works with. */
export interface ShellParts {
  readonly policy: Policy;
  readonly files: Files;
  /** Asks the host to run a program of the policy's list. */
  readonly runProgram: RunProgram;
}

let interpreter: Promise<Interpreter> | undefined;

/**
 * The in-process shell: an interpreter with commands of its own, on the files of the policy (R456, R469).
 *
 * It starts no process, reaches no network and gets no variables but the policy's. Programs that the policy lists are
 * run by the host. Standard error follows standard output in what it returns.
 */
export function inProcessShell({ policy, files, runProgram }: ShellParts): Shell {
  return async (script, { timeoutMs, signal }) => {
    if (script.length > MAX_SCRIPT) {
      throw new ToolError("The script is longer than 1 MiB. Write it to a file and run that.");
    }
    if (signal.aborted) return outcome(130, "aborted", "", policy, files, []);
    const module = await (interpreter ??= loadInterpreter());
    const notes = new Set<string>();
    const denials = new Map<string, Counted>();
    const refusals = new Set<string>();
    const note = (line: string): void => void (notes.size < MAX_NOTES && notes.add(line));
    const told = new Set<string>();
    const deny = (line: string, denied?: Denied): void => {
      if (denied === undefined) {
        note(line);
        return void refusals.add(line);
      }
      if (told.size < MAX_NOTES) told.add(line);
      const key = `${denied.kind} ${denied.target}`;
      denials.set(key, { ...denied, times: (denials.get(key)?.times ?? 0) + 1 });
    };
    const listed = policy.run.list;
    const commands = new Set([...ownCommands(module), ...listed.map((name) => basename(name))]);
    const bash = makeInterpreter(module, {
      fs: shellFiles({ policy, files, commands, onDenial: deny, onNote: note }),
      cwd: policy.root,
      env: { ...policy.env, PATH: "/bin:/usr/bin" },
      programs: programCommands(module, listed, runProgram, signal, note),
      timeoutMs,
    });
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), timeoutMs);
    const ended = await bash.exec(script, { rawScript: true, signal: AbortSignal.any([signal, over.signal]) })
      // What it does not prewarm, a file that cannot be written in the middle of a script for one, it throws.
      .catch((error) => ({ stdout: "", stderr: `bash: ${messageOf(error)}\n`, exitCode: 1 }))
      .finally(() => clearTimeout(timer));
    for (const [at, name] of missingCommands(ended.stderr).entries()) {
      // What there is instead is the same for all of them.
      const more = at === 0 ? ` ${insteadNote(policy, commands)}` : "";
      deny(missingNote(name, policy) + more, { kind: "run", target: name });
    }
    const { ending, limit } = endingOf(ended, signal.aborted, over.signal.aborted);
    const output = joined(ended.stdout, withoutHints(ended.stderr));
    const whole = {
      ...outcome(ended.exitCode, ending, output, policy, files, [...notes, ...told]),
      ...(told.size > 0 ? { told: told.size } : {}),
      ...metIn([...denials.values()], [...refusals]),
    };
    return limit === undefined ? whole : { ...whole, limit };
  };
}

type Counted = Denied & { readonly times: number };

/** What a script met of the policy, as the real shell tells it. A person is asked of the first: the rest may come of it. */
function metIn(denials: readonly Counted[], refusals: readonly string[]) {
  const claimOf = ({ kind, target, times }: Counted) => ({ kind, target, ...(times > 1 ? { times } : {}) });
  const denial = denials.find(({ isClosed }) => !isClosed);
  return {
    ...(denial === undefined ? {} : { denial: { kind: denial.kind, target: denial.target } }),
    ...(denials.length > 1 || denial === undefined && denials.length > 0
      ? { denials: denials.slice(0, MAX_DENIALS).map(claimOf) }
      : {}),
    ...(refusals.length > 0 ? { sandboxNotes: refusals.slice(0, MAX_NOTES) } : {}),
    ...(denials.length > 0 || refusals.length > 0 ? { isDenied: true as const } : {}),
  };
}

/** How a script ended; the interpreter tells of its own limits by text and exit code alone. */
function endingOf(
  { exitCode, stderr }: { readonly exitCode: number; readonly stderr: string },
  isAborted: boolean,
  isLate: boolean,
): Pick<ShellOutcome, "ending" | "limit"> {
  if (isAborted) return { ending: "aborted" };
  if (isLate || (exitCode === OVER_TIME && stderr.includes("execution deadline"))) return { ending: "timeout" };
  const limit = exitCode === OVER_LIMIT ? LIMIT.exec(stderr)?.[0] : undefined;
  return limit === undefined ? { ending: "exited" } : { ending: "limit", limit: withoutHints(limit) };
}

function outcome(
  exitCode: number,
  ending: ShellOutcome["ending"],
  output: string,
  policy: Policy,
  files: Files,
  notes: readonly string[],
): ShellOutcome {
  return { exitCode, ending, ...shownOutput(output, policy.limits, files, policy.tmp), notes };
}

function joined(stdout: string, stderr: string): string {
  return stdout === "" || stdout.endsWith("\n") || stderr === "" ? stdout + stderr : `${stdout}\n${stderr}`;
}

/** Advice of the interpreter that is meant for who embeds it. */
function withoutHints(text: string): string {
  return text
    .replace(
      /command not available in browser environments\. Exclude '[^']*' from your commands or use the Node\.js bundle\./g,
      "command not found",
    )
    .replace(/, increase executionLimits\.\w+/g, "");
}

function missingCommands(stderr: string): string[] {
  const found = stderr.matchAll(/^bash: ([\w.+-]{1,64}): command not (?:found|available)/gm);
  return [...new Set(Array.from(found, ([, name]) => name ?? ""))];
}

/** R457: what was denied, and the smallest grant where one is to be had. */
function missingNote(name: string, policy: Policy): string {
  const grant = PROGRAM_LEVELS.has(policy.sandbox)
    ? openedBy(grantOption("run", name), policy)
    : `At the sandbox level ${policy.sandbox} no single program can be granted`;
  return `NotCapable: run access to "${name}" is not granted. ${grant}.`;
}

/** R457: what there is instead. */
function insteadNote({ run }: Policy, commands: ReadonlySet<string>): string {
  const but = run.all || run.list.length === 0 ? "" : ` but ${run.list.join(", ")}`;
  const own = [...commands].sort().join(" ");
  return `This bash is an interpreter that starts no program${but}; its own commands: ${own}.`;
}
