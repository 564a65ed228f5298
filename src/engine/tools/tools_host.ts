// One file above the usual length: the only place where policy, tools and the processes that run them meet.
import { fromFileUrl, join, relative, resolve } from "@std/path";
import { hostNotices, requireReadableSource } from "../../config/host_permissions.ts";
import type { AgentEvent, Denial } from "../../core/event.ts";
import type { JsonObject } from "../../core/json.ts";
import { covers, isInside, type Policy } from "../../core/policy.ts";
import type { CallOptions } from "../../core/runner.ts";
import { attempt } from "../../core/support/attempt.ts";
import { entryAt } from "../../core/support/on_disk.ts";
import { errorResult, type Tool } from "../../core/tool.ts";
import type { ToolResult } from "../../core/tool_result.ts";
import { chooseSandbox, type SandboxChoice, type WantedSandbox } from "../../sandbox/confine/choose.ts";
import { hardenHost } from "../../sandbox/confine/harden_host.ts";
import { disk } from "../../sandbox/system/disk.ts";
import {
  foldersToMake,
  makeGrantedFolders,
  missingGrants,
  withoutMissing,
} from "../../sandbox/denial/granted_folders.ts";
import { writePrivateGitConfig } from "../../sandbox/git/private_config.ts";
import { launcher } from "../../sandbox/launcher/executable.ts";
import { probeSandbox } from "../../sandbox/confine/probe.ts";
import { type Grants, readingOnly } from "../../sandbox/policy/policy.ts";
import type { WrittenScope } from "../../sandbox/policy/scopes.ts";
import { ownPaths, type Self, thisProgram } from "../../sandbox/confine/self.ts";
import { BACKGROUND_TOOLS, DEFAULT_TOOLS, toolsUnder, webSearchAt } from "../../../tools/mod.ts";
import { chooseTools, permittedTools } from "./active_tools.ts";
import { allowedBefore } from "../../config/policy_request.ts";
import type { ApprovedRun, Approving, Asker } from "./approval.ts";
import type { BackgroundCommands } from "./background_commands.ts";
import { findBundled, type FoundBundled } from "../resources/bundled.ts";
import { skillFolders } from "../resources/skills.ts";
import { type Config, toolsRoot } from "../../config/config.ts";
import { type ActivePolicy, type HeldPolicy, openActivePolicy } from "./active_policy.ts";
import { requireResources } from "./resource_limits.ts";
import { makeKeptFolder, policyOf } from "./resolve_policy.ts";
import { canStartListed, programNotices, startsListed } from "./listed_programs.ts";
import { scopeValue } from "../../config/options/parse.ts";
import { cacheRoot, makeSessionFolders, spareFolder } from "../sessions/session_folders.ts";
import type { ToolsBase } from "./narrow_tools.ts";
import { openToolProcesses, type ToolGround, type ToolProcesses } from "./tool_processes.ts";

/** The tools of a session behind their boundary. */
export interface ToolsHost extends Pick<ActivePolicy, "grant">, Pick<ToolProcesses, "warmSoon" | "prewarm"> {
  /** What holds now: a grant makes another value of it. */
  readonly policy: Policy;
  /** On at the start; changes together with `policy`. */
  readonly active: readonly Tool[];
  /** Those, and what can be switched on besides: all that the policy permits, or what `--tools` names. */
  readonly known: readonly Tool[];
  /** What was granted in this session, in order. */
  readonly granted: readonly Denial[];
  /** While only reading is possible: the policy that comes back, and what was granted in it. `active` and `known` are its. */
  readonly held: Pick<HeldPolicy, "policy" | "granted"> | undefined;
  /** Narrows the policy to reading, or takes that back: then exactly the one from before holds. */
  readonly holdToReading: (isOn: boolean) => void;
  /** Names in `--tools` or the setting that no built-in tool has: see `refuseUnknown`. */
  readonly foreign: readonly string[];
  readonly notices: readonly string[];
  /** Commands that go on after their call. */
  readonly background: Omit<BackgroundCommands, "numbered">;
  /** The program's own README, docs and skills, where the tools can open them. */
  readonly bundled: FoundBundled;
  /** What narrower tools are opened with; undefined where nothing was started. */
  readonly base: ToolsBase | undefined;
  /** See `ActivePolicy`. */
  readonly told: ActivePolicy["told"];
  /** Asks for a sub-agent; absent where nobody can be asked. */
  readonly askFor?: Asker["ask"];
  /** Lifts denials of this session; undefined in modes that cannot ask. */
  readonly approval?: Pick<ApprovedRun, "denials" | "allow">;
  /** Runs a call; where somebody can be asked, a denial is asked about and an allowed call runs once more. */
  readonly run: (tool: Tool, args: JsonObject, callId: string, options: CallOptions) => Promise<ToolResult>;
  /** Another session begins in this program: what was granted and refused in the one before does not hold in it. */
  readonly beginSession: () => void;
  /** Takes settings and configuration directories that were read again: skills in new directories can be read. */
  readonly takeConfig: (config: Config) => void;
  /** Goes on in another place: that of a trial, or the workspace again. All that goes on ends, and what was granted. */
  readonly move: (config: Config) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** For a process that may start no other: the tools run in a worker of its own. */
const NO_PROGRAM: Self = { program: "", args: [], env: {}, readPaths: [], standalone: false };

/**
 * Decides the policy and, with `start`, opens what runs tools under it. `approving` asks about denials; without it they are
 * final. `hardens`: this process, which holds the key, is closed to debuggers and core files.
 * `warn`: see ToolGround in tool_processes.ts. `onBackground`: hears of commands that go on after their call.
 */
export function openTools(
  first: Config,
  start: boolean,
  approving?: Approving,
  hardens = true,
  warn: (line: string) => void = () => {},
  onBackground: (event: AgentEvent) => void = () => {},
): ToolsHost {
  if (start && Deno.build.os === "linux" && first.world.mayRun) requireResources();
  let config = first;
  const { values } = config.invocation;
  const cache = cacheRoot(config.world.env);
  const sandbox = chooseSandbox(wantedSandbox(config), probeSandbox(cache && join(cache, "namespaces-work")));
  // Without it nothing could start; what this process may not start it does not need.
  if (config.world.mayRun && sandbox.level !== "off" && Deno.build.os === "linux") launcher();
  const bundled = findBundled(cache, () => spareFolder(config.world.env));
  const folders = makeSessionFolders(config.root, config.world.env);
  try {
    const self = config.world.mayRun ? thisProgram() : NO_PROGRAM;
    const base = { sandbox, folders, bundled, program: ownPaths(self) };
    const choose = (policy: Policy) => {
      const all = toolsUnder(policy).flatMap((tool) => {
        if (tool.name !== "web_search") return [tool];
        return config.user.webSearch === undefined ? [] : [webSearchAt(config.user.webSearch)];
      });
      const { tools: active, notices, foreign } = chooseTools(wantedTools(config), all, policy);
      const more = namesTools(config)
        ? []
        : permittedTools(all, policy).filter(({ name }) => name !== "bash" || canStartListed(policy));
      const hasBash = active.some(({ name }) => name === "bash") || more.some(({ name }) => name === "bash");
      const known = all.filter((tool) =>
        active.includes(tool) || more.includes(tool) || hasBash && BACKGROUND_TOOLS.includes(tool.name)
      );
      const isUnset = config.user.webSearch === undefined && wantedTools(config).includes("web_search");
      const unset = isUnset ? ['The tool web_search is off: no "webSearch" is set, see docs/tools.md'] : [];
      return {
        active,
        known,
        notices: [...notices, ...unset],
        foreign: foreign.filter((name) => name !== "web_search"),
      };
    };
    const background = lateBackground(onBackground);
    const ground = { self, cache, numbered: background.numbered, warn };
    const policyFor = (of: Config, grants: Grants): Policy => {
      const policy = policyOf(of, base, grants);
      return of.narrow?.(policy) ?? policy;
    };
    const resolve = (grants: Grants): Policy => policyFor(config, grants);
    const wanted = resolve({});
    const toMake = foldersToMake(wanted, writtenFolders(config, sandbox));
    const ofFolders = start
      ? makeGrantedFolders(toMake)
      : toMake.map((path) => `Nothing is at ${path} yet: a run makes this folder, which may be written.`);
    const missing = missingGrants(wanted, (path) => toMake.includes(path) || mayBeThere(path));
    const policy = start ? withoutMissing(wanted, mayBeThere) : wanted;
    if (start) {
      makeKeptFolder(config, policy);
      if (policy.tmp !== policy.root) {
        writePrivateGitConfig(policy.tmp, { ...policy, env: config.world.env, view: disk });
      }
    }
    const chosen = choose(policy);
    if (start && sandbox.level === "permissions" && chosen.active.length > 0) {
      requireReadableSource(fromFileUrl(new URL("../../../src", import.meta.url)));
    }
    const listed = startsListed(policy, chosen.active);
    const activePolicy = openActivePolicy({
      first: start ? openToolProcesses(policy, chosen, ground) : nothingStarted(policy, chosen),
      open: (wider, only) => openToolProcesses(wider, only ? { active: [only], known: [only] } : choose(wider), ground),
      resolve,
    });
    if (start && hardens) hardenHost();
    let workspace = folderAt(toolsRoot(config));
    const approval = approving?.(activePolicy, config);
    const { run, beginSession, askFor }: Pick<ToolsHost, "run" | "beginSession" | "askFor"> = approval ?? {
      run: (tool, args, _callId, options) => activePolicy.run(tool, args, options),
      beginSession: activePolicy.beginSession,
    };
    return {
      get policy() {
        return activePolicy.current().policy;
      },
      get active() {
        return (activePolicy.before() ?? activePolicy.current()).active;
      },
      get known() {
        return (activePolicy.before() ?? activePolicy.current()).known;
      },
      get granted() {
        return activePolicy.granted();
      },
      get held() {
        return activePolicy.before();
      },
      holdToReading: (isOn) => isOn ? activePolicy.hold(readingOnly) : activePolicy.release(),
      foreign: chosen.foreign,
      notices: [
        ...sandbox.notices,
        ...homeNotices(policy),
        ...hostNotices(policy),
        ...(chosen.active.some((tool) => tool.name === "bash") ? programNotices(policy, listed) : []),
        ...(values["tools"] ? chosen.notices : []),
        ...missing,
        ...ofFolders,
      ],
      bundled,
      background,
      base: start ? { ground: { self, cache }, resolve } : undefined,
      ...(askFor ? { askFor } : {}),
      ...(approval ? { approval } : {}),
      run: async (...call) => {
        const found = folderAt(toolsRoot(config));
        if (found === undefined) return workspaceGone(toolsRoot(config));
        if (found !== workspace) activePolicy.renew();
        workspace = found;
        return await run(...call);
      },
      grant: activePolicy.grant,
      told: activePolicy.told,
      beginSession: () => {
        background.beginSession();
        beginSession();
      },
      takeConfig: (next) => {
        config = next;
        const { policy } = activePolicy.before() ?? activePolicy.current();
        const added = newSkillFolders(next).filter((folder) => !isReadable(policy, folder));
        if (added.length > 0) activePolicy.allowReading(added);
      },
      move: async (next) => {
        const moved = withoutMissing(policyFor(next, {}), mayBeThere);
        config = next;
        workspace = folderAt(toolsRoot(config));
        await activePolicy.move(moved);
      },
      warmSoon: () => activePolicy.current().warmSoon(),
      prewarm: (tool) => activePolicy.current().prewarm(tool),
      close: async () => {
        try {
          await activePolicy.close();
        } finally {
          folders.remove();
        }
      },
    };
  } catch (error) {
    folders.remove();
    throw error;
  }
}

function isReadable({ read, denyRead }: Policy, folder: string): boolean {
  return covers(read, folder) && !denyRead.some((denied) => isInside(folder, denied));
}

/**
 * Directories of skills below the home and below the user's directory. None that a link leads to: a tool may have made it
 * since the start, and what it leads to was never shown to anybody. Only the home itself may be a link.
 */
function newSkillFolders(config: Config): readonly string[] {
  const { root, userFolder, world: { home } } = config;
  const realHome = attempt(() => Deno.realPathSync(home));
  return skillFolders(config).flatMap((folder) => {
    const path = resolve(root, folder);
    const isHomes = realHome !== undefined && isInside(path, home);
    if (!isHomes && (userFolder === undefined || !isInside(path, userFolder))) return [];
    const expected = isHomes ? join(realHome, relative(home, path)) : path;
    return attempt(() => Deno.realPathSync(path)) === expected ? [expected] : [];
  });
}

/** For commands that only look. */
function nothingStarted(policy: Policy, tools: Pick<ToolProcesses, "active" | "known">): ToolProcesses {
  const nothing = (): Promise<void> => Promise.resolve();
  const run = (): Promise<ToolResult> => Promise.resolve(errorResult("No tools were started"));
  const { active, known } = tools;
  return { policy, active, known, run, warmSoon: () => {}, prewarm: () => {}, retire: nothing, close: nothing };
}

/** Commands in the background, which only a shell can start: loaded with the first one that is used. */
function lateBackground(
  tell: (event: AgentEvent) => void,
): ToolsHost["background"] & Pick<ToolGround, "numbered"> {
  let commands: BackgroundCommands | undefined;
  const load = async (): Promise<BackgroundCommands> => {
    const { backgroundCommands } = await import("./background_commands.ts");
    return commands ??= backgroundCommands(tell);
  };
  return {
    list: () => commands?.list() ?? [],
    isBusy: () => commands?.isBusy() ?? false,
    stop: async (id) => await (await load()).stop(id),
    hasUntold: () => commands?.hasUntold() ?? false,
    takeUntold: () => commands?.takeUntold() ?? [],
    endWithRun: async () => await commands?.endWithRun(),
    tellLast: () => commands?.tellLast(),
    wake: () => commands?.wake(),
    beginSession: () => commands?.beginSession(),
    numbered: async (own) => (await load()).numbered(own),
  };
}

/** A workspace that holds the whole home is seldom meant, and opens more of it than any other. */
function homeNotices({ root, home, write }: Policy): string[] {
  if (!isInside(home, root)) return [];
  const which = root === home
    ? `The workspace is your home folder (${home})`
    : `The workspace ${root} holds your home (${home})`;
  const change = covers(write, home) ? ", and change all of it but secrets and start-up files" : "";
  return [`${which}: tools can read all of it but secrets${change}. Start in a project's folder instead.`];
}

/** What is written of the write scope in all places where a grant can stand. */
function writtenFolders(config: Config, sandbox: SandboxChoice): (WrittenScope | undefined)[] {
  const { invocation: { values }, user, world } = config;
  const flag = scopeValue(values, "allow-write");
  const placed = (scope: WrittenScope | undefined): WrittenScope | undefined =>
    typeof scope === "object" ? scope.map((entry) => inTools(entry, config)) : scope;
  return [
    flag === "all" ? undefined : flag, // goes before the settings
    user.permissions?.write as WrittenScope | undefined, // checked by the settings table
    world.pack && scopeOr(scopeValue(world.pack.flags, "allow-write"), world.pack.settings.permissions?.write),
    allowedBefore(config, sandbox).write,
  ].map(placed);
}

function scopeOr(flag: ReturnType<typeof scopeValue>, setting: unknown): WrittenScope | undefined {
  return flag === undefined ? setting as WrittenScope | undefined : flag === "all" ? true : flag; // as above
}

/** An entry of a scope by its place for tools: in a trial what lies in the workspace lies in its copy. */
function inTools(entry: string, { root, trial }: Config): string {
  const [, sign = "", path = entry] = /^(\+?)(.*)$/s.exec(entry) ?? [];
  return trial !== undefined && isInside(path, root) ? sign + trial.folder + path.slice(root.length) : entry;
}

/** Whether the person said on the command line which tools there may be: nothing switches others on then. */
function namesTools({ invocation: { values } }: Config): boolean {
  return values["no-tools"] === true || values["tools"] !== undefined;
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

/** Asked with each call: what a missing working directory does to a process that starts says nothing to a model. */
function workspaceGone(root: string): ToolResult {
  return errorResult(
    `Nothing was run: the workspace ${root} does not exist any more. It was removed or renamed. Tell the user; no tool ` +
      "works until the folder is there again",
  );
}

/** Which folder a path names now; undefined where there is none. */
function folderAt(path: string): string | undefined {
  const found = entryAt(path);
  return found?.isDirectory ? `${found.dev}:${found.ino}` : undefined;
}

function mayBeThere(path: string): boolean {
  try {
    return Deno.statSync(path) !== undefined;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound);
  }
}
