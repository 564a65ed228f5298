import { join } from "@std/path";
import type { JsonObject } from "../core/json.ts";
import type { Limits, Policy } from "../core/policy.ts";
import type { RunProgram } from "../core/program.ts";
import type { CallOptions } from "../core/runner.ts";
import { errorResult, type Files, textResult, type Tool, type ToolResult } from "../core/tool.ts";
import { chooseSandbox, type WantedSandbox } from "../sandbox/choose.ts";
import { glanceAtDisk } from "../sandbox/disk.ts";
import { hardenHost } from "../sandbox/host.ts";
import { resolvePolicy, type ScopeLayer } from "../sandbox/policy.ts";
import { probeSandbox } from "../sandbox/probe.ts";
import { openRunner, type Runner } from "../sandbox/runner_client.ts";
import { type Self, thisProgram } from "../sandbox/self.ts";
import { DEFAULT_TOOLS, toolsUnder } from "../../tools/mod.ts";
import { chooseTools } from "./active_tools.ts";
import { bundledFolder, bundledParts } from "./bundled.ts";
import type { Config } from "./config.ts";
import { withinHost } from "./host_permissions.ts";
import { programNotices, startsListed } from "./listed_programs.ts";
import type { Processes } from "./processes.ts";
import { type ScopeValue, scopeValue, type Values } from "./parse.ts";
import { cacheRoot, makeSessionFolders } from "./session_folders.ts";
import { skillFolders } from "./skills.ts";

/** The tools of a session behind their boundary. */
export interface ToolsHost {
  readonly policy: Policy;
  readonly active: readonly Tool[];
  readonly notices: readonly string[];
  /** Folder with the program's own README, docs and skills, when the tools can open it. */
  readonly bundled: string | undefined;
  readonly run: (tool: Tool, args: JsonObject, callId: string, options: CallOptions) => Promise<ToolResult>;
  /** Starts the shell's spare a little later, once; costs nothing when bash is not active. */
  readonly warmSoon: () => void;
  readonly close: () => Promise<void>;
}

/** How long after a request was built the shell starts to warm up: the request should be out, and no model answers sooner. */
const WARM_AFTER_MS = 250;

/** For a process that may start no other: the tools run in a worker of its own. */
const NO_PROGRAM: Self = { program: "", args: [], env: {}, readPaths: [], standalone: false };

/** Decides the policy and, with `start`, starts the runner; returns without waiting for it. */
export function openTools(config: Config, start: boolean): ToolsHost {
  const { values } = config.invocation;
  const cache = cacheRoot(config.world.env);
  const sandbox = chooseSandbox(wantedSandbox(config), probeSandbox(cache && join(cache, "bwrap-works")));
  const bundled = bundledFolder(cache);
  const folders = makeSessionFolders(config.root, config.world.env);
  try {
    const self = config.world.mayRun ? thisProgram() : NO_PROGRAM;
    const policy = withinHost(policyOf(config, sandbox.level, folders, bundled, self.readPaths));
    const active = chooseTools(wantedTools(config), toolsUnder(policy), policy);
    const listed = startsListed(policy, active.tools);
    const kind = listed ? "listed" : active.tools.some((tool) => tool.place === "shell") ? "shell" : undefined;
    const processes = start && kind ? lateProcesses(kind, policy, self, cache) : undefined;
    const runner = start && active.tools.some((tool) => tool.place === "runner")
      ? openRunner(
        policy,
        self,
        new URL("../runner/worker.ts", import.meta.url),
        listed && processes ? listedPrograms(processes) : {},
      )
      : undefined;
    if (start) hardenHost();
    return {
      policy,
      active: active.tools,
      notices: [
        ...sandbox.notices,
        ...(hasBash(active.tools) ? programNotices(policy, listed) : []),
        ...(values["tools"] ? active.notices : []),
      ],
      bundled,
      run: (tool, args, _callId, options) => runTool(tool, args, options, policy, runner, processes),
      warmSoon: processes?.warmSoon ?? (() => {}),
      close: async () => {
        await Promise.all([runner?.close(), processes?.close()]);
        folders.remove();
      },
    };
  } catch (error) {
    folders.remove();
    throw error;
  }
}

function hasBash(tools: readonly Tool[]): boolean {
  return tools.some((tool) => tool.name === "bash");
}

async function runTool(
  tool: Tool,
  args: JsonObject,
  options: CallOptions,
  policy: Policy,
  runner: Runner | undefined,
  processes: LateProcesses | undefined,
): Promise<ToolResult> {
  if (tool.place === "runner") {
    const deadlineMs = tool.deadlineMs?.(args, policy);
    return await (runner?.call(
      { name: tool.name, args },
      deadlineMs === undefined ? options : { ...options, deadlineMs },
    ) ??
      errorResult("No tools were started"));
  }
  const shell = (await processes?.get())?.shell;
  return await tool.run(args, {
    policy,
    files: NO_FILES,
    ...(shell ? { shell } : {}),
    signal: options.signal,
    update: (text) => options.onUpdate(textResult(text)),
  });
}

/** Listed programs that the shell in the runner asks for. */
function listedPrograms(processes: LateProcesses): { readonly runProgram: RunProgram } {
  return {
    runProgram: async (...request) => {
      const { runProgram } = await processes.get();
      if (!runProgram) throw new Error("no program was listed");
      return await runProgram(...request);
    },
  };
}

/** Tools that run in the host have no way to files: those belong to the runner. */
const NO_FILES: Files = new Proxy({} as Files, { // every use of it is a fault of the program
  get: (_target, name) => {
    throw new Error(`a tool of the host asked for files.${String(name)}`);
  },
});

/** Processes for commands, loaded with the first need: most of their code is not wanted before the first request. */
interface LateProcesses {
  readonly get: () => Promise<Processes>;
  readonly warmSoon: () => void;
  readonly close: () => Promise<void>;
}

function lateProcesses(...args: Parameters<typeof import("./processes.ts").openProcesses>): LateProcesses {
  let loading: Promise<Processes> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const get = (): Promise<Processes> =>
    loading ??= import("./processes.ts").then(({ openProcesses }) => openProcesses(...args));
  return {
    get,
    warmSoon: () => timer ??= setTimeout(() => void get().then((processes) => processes.warm()), WARM_AFTER_MS),
    close: async () => {
      clearTimeout(timer);
      await (await loading)?.close();
    },
  };
}

function policyOf(
  config: Config,
  level: Policy["sandbox"],
  folders: { readonly tmp: string; readonly cache: string },
  bundled: string | undefined,
  program: readonly string[],
): Policy {
  const { values } = config.invocation;
  const { deny: userDeny, ...user } = config.user.permissions ?? {};
  const { deny: projectDeny, ...project } = config.project.permissions ?? {};
  return resolvePolicy({
    root: config.root,
    flags: flagLayer(values),
    ...(values["read-only"] ? { readOnly: true } : {}),
    user: { ...user, ...(userDeny ? { deny: userDeny } : {}) } as ScopeLayer, // the same keys, checked by the settings table
    project: { ...project, ...(projectDeny ? { deny: projectDeny } : {}) } as ScopeLayer,
    limits: limitsOf(config),
  }, {
    home: config.world.home,
    tmp: folders.tmp,
    cache: folders.cache,
    env: config.world.env,
    skills: skillFolders(config, undefined),
    readable: bundled === undefined ? [] : bundledParts(bundled),
    program,
    level,
    ...glanceAtDisk(),
  });
}

function flagLayer(values: Values): ScopeLayer {
  const written = (value: ScopeValue | undefined): boolean | readonly string[] | undefined =>
    value === "all" ? true : value;
  const wanted = ["read", "write", "run", "net", "env"] as const;
  const scopes = wanted.map((kind) => [kind, written(scopeValue(values, `allow-${kind}`))] as const);
  const denials = (["read", "write"] as const).map((kind) =>
    [kind, written(scopeValue(values, `deny-${kind}`))] as const
  );
  const given = <K>(entries: readonly (readonly [K, unknown])[]) => entries.filter(([, value]) => value !== undefined);
  const deny = Object.fromEntries(given(denials));
  return { ...Object.fromEntries(given(scopes)), ...(Object.keys(deny).length > 0 ? { deny } : {}) };
}

function limitsOf(config: Config): Partial<Limits> {
  const bash = config.settings.bash;
  return {
    ...(bash?.timeoutMs === undefined ? {} : { bashTimeoutMs: bash.timeoutMs }),
    ...(bash?.maxTimeoutMs === undefined ? {} : { bashMaxTimeoutMs: bash.maxTimeoutMs }),
    ...(bash?.outputBytes === undefined ? {} : { outputBytes: bash.outputBytes }),
  };
}

function wantedTools(config: Config): readonly string[] {
  const { values } = config.invocation;
  if (values["no-tools"]) return [];
  return Array.isArray(values["tools"]) ? values["tools"] : config.settings.tools ?? DEFAULT_TOOLS;
}

/** What the command line, else the settings ask for; a process that may start no others has only one level. */
export function wantedSandbox(config: Config): WantedSandbox {
  const flag = config.invocation.values["sandbox"];
  // The option table allows nothing but the levels.
  const wanted = typeof flag === "string" ? flag as WantedSandbox : config.settings.sandbox ?? "auto";
  return wanted === "auto" && !config.world.mayRun ? "permissions" : wanted;
}
