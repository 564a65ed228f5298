import { dirname } from "@std/path";
import type { JsonObject } from "../../core/json.ts";
import { CONFINED_LEVELS, type Policy } from "../../core/policy.ts";
import type { ProgramOutcome, RunProgram } from "../../core/runner.ts";
import { attempt } from "../../core/support/attempt.ts";
import { once } from "../../core/support/once.ts";
import { allSettled } from "../../core/support/close_all.ts";
import type { CallOptions } from "../../core/runner.ts";
import { errorResult, type Files, type Shell, textResult, type Tool } from "../../core/tool.ts";
import type { ToolResult } from "../../core/tool_result.ts";
import { tidyUp } from "../sessions/session_record.ts";
import type { BackgroundCommands } from "./background_commands.ts";
import { startsListed } from "./listed_programs.ts";
import type { Processes } from "./processes.ts";
import type { Self } from "../../sandbox/confine/self.ts";
import { claimIn, claimsIn, distinctClaims, type Met, MOST_DENIALS, withDenial } from "../../sandbox/denial/claim.ts";
import { type Runner, runnerClient } from "../../sandbox/runner_client/runner_client.ts";
import { workerLink } from "../../sandbox/runner_client/worker.ts";

/** What runs tool calls under one policy, for as long as that holds. */
export interface ToolProcesses {
  readonly policy: Policy;
  /** On at the start. */
  readonly active: readonly Tool[];
  /** Those, and what can be switched on besides. */
  readonly known: readonly Tool[];
  readonly run: (tool: Tool, args: JsonObject, options: CallOptions) => Promise<ToolResult>;
  /** A request is on its way: what confines the tools that are on from the start is started a little later, once. */
  readonly warmSoon: () => void;
  /** The model has begun to call a tool: what it needs is started now, code and all. */
  readonly prewarm: (tool: string) => void;
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
  readonly numbered: (
    ...own: Parameters<BackgroundCommands["numbered"]>
  ) => ReturnType<BackgroundCommands["numbered"]> | Promise<ReturnType<BackgroundCommands["numbered"]>>;
  /** Hears what the user has to know of commands, one line each; see `openShell`. */
  readonly warn?: (line: string) => void;
}

/**
 * How long after a request was built the runner's process is started, which confines itself and waits: the request should
 * be out, and a model takes longer to answer.
 */
const RUNNER_AFTER_MS = 5;

/**
 * Opens what runs tools under a policy: their processes are started when a request is on its way, when a call is foreseen,
 * or with the first call, whichever comes first. Throws UserError for a scope that this process itself does not have.
 */
export function openToolProcesses(
  policy: Policy,
  { active, known }: Pick<ToolProcesses, "active" | "known">,
  ground: ToolGround,
): ToolProcesses {
  const { self, cache, numbered, warn } = ground;
  /** Before the first call that can write, and before anything looks at the repositories that commands must not change. */
  const prepareScopes = once(async () => {
    if (!canWrite(policy)) return;
    const { excludeTemporaryFiles } = await import("./git_exclude.ts");
    excludeTemporaryFiles(policy);
  });
  const listed = startsListed(policy, known);
  const usesShell = (tool: Tool): boolean => listed ? tool.name === "bash" : tool.place === "shell";
  const kind = !known.some(usesShell) ? undefined : listed ? "listed" : "shell";
  const processes = kind && lateProcesses(prepareScopes, kind, policy, self, cache, warn);
  const programs = listed && processes ? listedPrograms(processes) : undefined;
  const watch = programs ? { runProgram: programs.run } : {};
  const startWorker = (): Runner =>
    runnerClient(workerLink(policy, new URL("../../runner/worker.ts", import.meta.url)), policy, watch);
  /** What confines a process is loaded here: no request waits for it. */
  const start = async (): Promise<Runner> => {
    if (policy.sandbox === "permissions") return startWorker();
    const { processLink } = await import("../../sandbox/runner_client/process.ts");
    return runnerClient(processLink(policy, self), policy, watch);
  };
  const isWanted = active.some((tool) => tool.place === "runner");
  // A worker in this process: what it may not have is a mistake on the command line.
  const worker = isWanted && policy.sandbox === "permissions" ? startWorker() : undefined;
  worker?.warm();
  let opening: Promise<Runner> | undefined = worker && Promise.resolve(worker);
  const open = (): Promise<Runner> => {
    if (opening) return opening;
    const begun = opening = start();
    // Not kept: the call that finds out tells it, and the next one tries again.
    begun.catch(() => opening === begun && (opening = undefined));
    return begun;
  };
  const closeRunner = async (): Promise<void> => await (await opening?.catch(() => undefined))?.close();
  let starting: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  const running = new Set<Promise<unknown>>();

  const inRunner = async (tool: Tool, args: JsonObject, options: CallOptions): Promise<ToolResult> => {
    const deadlineMs = await tool.deadlineMs?.(args, policy);
    if (tool.name === "bash") programs?.forget();
    if (!tool.readOnly) await prepareScopes();
    const call = { name: tool.name, args, mayWrite: !tool.readOnly };
    if (isClosed || !known.some(({ name }) => name === tool.name)) return errorResult("No tools were started");
    const address = await tool.fetches?.(args);
    if (address !== undefined) {
      const { runFetching } = await import("./fetch_call.ts");
      return await runFetching({ tool, address, args, options }, policy, open);
    }
    const result = await (await open()).call(call, deadlineMs === undefined ? options : { ...options, deadlineMs });
    // What a program met is known here; the runner, which asked for the program, need not be believed.
    const met = tool.name === "bash" ? programs?.met() : undefined;
    return met === undefined ? result : withMet(result, met);
  };

  const inHost = async (tool: Tool, args: JsonObject, options: CallOptions): Promise<ToolResult> => {
    const shell = tool.place === "host" ? undefined : (await processes?.get())?.shell;
    // A shell is a function; what runs in the background hangs on it.
    const own: Shell | undefined = shell &&
      Object.assign((...call: Parameters<Shell>) => shell(...call), { background: await numbered(shell.background) });
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
    known,
    run: (tool, args, options) => {
      const call = (tool.place === "runner" ? inRunner : inHost)(tool, args, options);
      running.add(call);
      const forget = (): boolean => running.delete(call);
      call.then(forget, forget);
      return call;
    },
    warmSoon: () => {
      if (isClosed) return;
      processes?.tidySoon();
      // Without a launcher there is nothing that could wait but the whole program.
      const canWait = isWanted && CONFINED_LEVELS.has(policy.sandbox);
      if (canWait) starting ??= setTimeout(() => void open().catch(() => {}), RUNNER_AFTER_MS);
    },
    prewarm: (name) => {
      const tool = known.find((one) => one.name === name);
      if (isClosed || tool === undefined) return;
      // A worker in this process may be refused, which the call tells.
      if (tool.place === "runner" && policy.sandbox !== "permissions") {
        open().then((runner) => runner.warm(), () => {});
      }
      if (usesShell(tool)) processes?.expect();
    },
    retire: async () => {
      clearTimeout(starting);
      await Promise.allSettled(running);
      await Promise.all([closeRunner(), processes?.retire()]);
    },
    close: async () => {
      isClosed = true;
      clearTimeout(starting);
      await allSettled([closeRunner(), processes?.close()]);
    },
  };
}

/** The result of a script with what its programs met added to what it met itself. */
function withMet(
  result: ToolResult,
  { denial, denials = [], sandboxNotes = [], reached = [], isDenied }: Met,
): ToolResult {
  const { details } = result;
  const said = details?.["sandboxNotes"];
  const notes = [...(Array.isArray(said) ? said : []), ...sandboxNotes];
  const marked = {
    ...result,
    details: {
      ...details,
      ...(isDenied ? { isDenied } : {}),
      ...(notes.length > 0 ? { sandboxNotes: notes } : {}),
      ...(reached.length > 0 ? { hosts: reached } : {}),
    },
  };
  const first = claimIn(details);
  const all = [first, ...claimsIn(details), denial, ...denials].filter((claim) => claim !== undefined);
  return isDenied ? withDenial(marked, first ?? denial, distinctClaims(all)) : reached.length > 0 ? marked : result;
}

/** Listed programs that the shell in the runner asks for, and what of the policy those of a call met. */
function listedPrograms(processes: LateProcesses): {
  readonly run: RunProgram;
  readonly met: () => Met;
  readonly forget: () => void;
} {
  let met: Met = {};
  return {
    met: () => met,
    forget: () => met = {},
    run: async (...request) => {
      const { runProgram } = await processes.get();
      if (!runProgram) throw new Error("no program was listed");
      const outcome: ProgramOutcome & Met = await runProgram(...request);
      met = joined(met, outcome);
      return outcome;
    },
  };
}

/** What two programs met, one after the other; a person is asked of the first. */
function joined(first: Met, next: Met): Met {
  const denial = first.denial ?? next.denial;
  const all = [first, next].flatMap(({ denial, denials }) => denials ?? (denial ? [denial] : []));
  const notes = [...first.sandboxNotes ?? [], ...next.sandboxNotes ?? []];
  const hosts = [...first.reached ?? [], ...next.reached ?? []];
  return {
    ...(denial ? { denial } : {}),
    ...(all.length > 0 ? { denials: distinctClaims(all) } : {}),
    ...(notes.length > 0 ? { sandboxNotes: [...new Set(notes)].slice(0, MOST_DENIALS) } : {}),
    ...(hosts.length > 0 ? { reached: [...new Set(hosts)] } : {}),
    ...(first.isDenied || next.isDenied ? { isDenied: true } : {}),
  };
}

/** Tools that run in the host have no way to files: those belong to the runner. */
const NO_FILES: Files = new Proxy({} as Files, { // every use of it is a fault of the program
  get: (_target, name) => {
    throw new Error(`a tool of the host asked for files.${String(name)}`);
  },
});

/** What earlier sessions left is of no hurry. */
const TIDY_AFTER_MS = 750;

/** Processes for commands, loaded with the first need: most of their code is not wanted before the first request. */
export interface LateProcesses {
  readonly get: () => Promise<Processes>;
  /** A command is on its way: starts a process for it. */
  readonly expect: () => void;
  /** Ends what killed sessions left, later and once. */
  readonly tidySoon: () => void;
  /** No further command comes: ends everything, but for commands in the background, which go on until `close`. */
  readonly retire: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Whether tools can write anything but private directories of the session. */
function canWrite({ root, write, tmp, cache }: Policy): boolean {
  return write.all || write.list.some((path) => path === root || (path !== tmp && path !== cache));
}

/** Opens processes as `openProcesses` does, when they are first needed and `prepare` is done. */
function lateProcesses(
  prepare: () => Promise<void>,
  ...args: Parameters<typeof import("./processes.ts").openProcesses>
): LateProcesses {
  const [, policy, , cache] = args;
  let loading: Promise<Processes> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const get = (): Promise<Processes> =>
    loading ??= Promise.all([import("./processes.ts"), prepare()])
      .then(([{ openProcesses }]) => openProcesses(...args));
  /** Nothing where they could not be opened, which the calls told. */
  const opened = async (): Promise<Processes | undefined> => await loading?.catch(() => undefined);
  let closing: Promise<void> | undefined;
  let isTidy = false;
  const tidy = async (): Promise<void> => {
    isTidy = true;
    tidyUp(cache, dirname(policy.tmp));
    for (const repository of [`${policy.root}/.git`, ...(policy.outerGit ? [policy.outerGit.own] : [])]) {
      const entries = attempt(() => [...Deno.readDirSync(repository)]) ?? [];
      if (!entries.some(({ name }) => name.startsWith("index.sandpiper-"))) continue;
      const { removeLeftLocks } = await import("../../sandbox/git_layer/real_files.ts");
      removeLeftLocks(`${repository}/index`);
    }
  };
  const end = async (): Promise<void> => {
    clearTimeout(timer);
    // Short sessions do it, too.
    if (timer !== undefined && !isTidy) await tidy();
    await (await opened())?.close();
  };
  const close = (): Promise<void> => closing ??= end();
  return {
    get,
    expect: () => {
      // What goes wrong is told by the call that needs a process.
      if (!closing) get().then((processes) => processes.expect()).catch(() => {});
    },
    tidySoon: () => void (timer ??= setTimeout(() => void tidy(), TIDY_AFTER_MS)),
    retire: async () => {
      clearTimeout(timer);
      const processes = await opened();
      await (processes?.isBusy() ? processes.rest() : close());
    },
    close,
  };
}
