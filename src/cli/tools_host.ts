import { dirname, join } from "@std/path";
import type { JsonObject } from "../core/json.ts";
import type { Limits, Policy } from "../core/policy.ts";
import type { CallOptions } from "../core/runner.ts";
import { errorResult, type Files, textResult, type Tool, type ToolResult } from "../core/tool.ts";
import { chooseSandbox, type WantedSandbox } from "../sandbox/choose.ts";
import { glanceAtDisk } from "../sandbox/disk.ts";
import { SESSION_VARIABLE } from "../sandbox/leftovers.ts";
import { resolvePolicy, type ScopeLayer } from "../sandbox/policy.ts";
import { probeSandbox } from "../sandbox/probe.ts";
import { openRunner, type Runner } from "../sandbox/runner_client.ts";
import { type Self, thisProgram } from "../sandbox/self.ts";
import { type OpenShell, openShell } from "../sandbox/shell.ts";
import { openSpares, type Spares } from "../sandbox/spare.ts";
import { DEFAULT_TOOLS, TOOLS } from "../../tools/mod.ts";
import { chooseTools } from "./active_tools.ts";
import { bundledFolder, bundledParts } from "./bundled.ts";
import type { Config } from "./config.ts";
import { withinHost } from "./host_permissions.ts";
import { type ScopeValue, scopeValue, type Values } from "./parse.ts";
import { cacheRoot, makeSessionFolders } from "./session_folders.ts";
import { recordSession, tidyUp } from "./session_record.ts";
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

/** How long after a request was built the shell starts to warm up: the request should be out by then. */
const WARM_AFTER_MS = 30;

/** What earlier sessions left is of no hurry. */
const TIDY_AFTER_MS = 500;

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
    const active = chooseTools(wantedTools(config), TOOLS, policy);
    const runner = start && active.tools.some((tool) => tool.place === "runner")
      ? openRunner(policy, self, new URL("../runner/worker.ts", import.meta.url))
      : undefined;
    const shell = start && active.tools.some((tool) => tool.place === "shell")
      ? startShell(policy, self, cache)
      : undefined;
    return {
      policy,
      active: active.tools,
      notices: [...sandbox.notices, ...(values["tools"] ? active.notices : [])],
      bundled,
      run: (tool, args, _callId, options) => runTool(tool, args, options, policy, runner, shell?.shell),
      warmSoon: shell?.warmSoon ?? (() => {}),
      close: async () => {
        await Promise.all([runner?.close(), shell?.close()]);
        folders.remove();
      },
    };
  } catch (error) {
    folders.remove();
    throw error;
  }
}

function runTool(
  tool: Tool,
  args: JsonObject,
  options: CallOptions,
  policy: Policy,
  runner: Runner | undefined,
  shell: OpenShell | undefined,
): Promise<ToolResult> {
  if (tool.place === "runner") {
    return runner?.call({ name: tool.name, args }, options) ?? Promise.resolve(errorResult("No tools were started"));
  }
  return tool.run(args, {
    policy,
    files: NO_FILES,
    ...(shell ? { shell } : {}),
    signal: options.signal,
    update: (text) => options.onUpdate(textResult(text)),
  });
}

/** Tools that run in the host have no way to files: those belong to the runner. */
const NO_FILES: Files = new Proxy({} as Files, { // every use of it is a fault of the program
  get: (_target, name) => {
    throw new Error(`a tool of the host asked for files.${String(name)}`);
  },
});

function startShell(
  policy: Policy,
  self: Self,
  cache: string | undefined,
): { shell: OpenShell; warmSoon: () => void; close: () => Promise<void> } {
  const spares: Spares | undefined = policy.sandbox === "off" ? undefined : openSpares(policy, self);
  const session = crypto.randomUUID();
  const shell = openShell(policy, spares, { [SESSION_VARIABLE]: session });
  // Before anything can be left behind.
  const forget = recordSession(cache, session);
  const timers: ReturnType<typeof setTimeout>[] = [];
  return {
    shell,
    warmSoon: () => {
      if (timers.length > 0) return;
      timers.push(setTimeout(() => spares?.warm(), WARM_AFTER_MS));
      timers.push(setTimeout(() => shell.look(), WARM_AFTER_MS + 20));
      timers.push(setTimeout(() => tidyUp(cache, dirname(policy.tmp)), TIDY_AFTER_MS));
    },
    close: async () => {
      for (const timer of timers) clearTimeout(timer);
      await shell.close();
      forget();
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
