import { isAbsolutePath } from "../core/support/on_disk.ts";
import { dirname, join, resolve } from "@std/path";
import { rememberToolPlaces } from "./tool_places.ts";
import { isNotUtf8, type World } from "./host_environment.ts";
import { mayHost } from "./host_permissions.ts";
import type { Invocation, Values } from "./options/parse.ts";
import { mergeSettings, readSettings } from "./settings/settings.ts";
import type { Settings } from "./settings/settings_table.ts";
import type { AgentFile } from "../context/agents/agent_file.ts";
import { type ConfigFolders, findConfigFolders } from "../context/files/config_folders.ts";
import {
  bringsSomething,
  decideTrust as decide,
  lookAtProject,
  type ProjectFile,
  readTrust,
} from "../context/trust.ts";
import type { TrustDecision } from "../core/compiled_prompt.ts";
import { UserError } from "../core/error.ts";
import { isInside, type Policy } from "../core/policy.ts";
import { followLinks } from "../sandbox/names/follow_links.ts";
import { attempt } from "../core/support/attempt.ts";
import { findGitRoot, repositoriesAround } from "../context/files/ancestors.ts";

/** Where tools work in a trial. */
export interface TrialPlace {
  /** The private copy of the workspace. */
  readonly folder: string;
  /**
   * The workspace's policy with the copy in its place. `isStart`: it holds nothing yet that was granted on the way. Throws
   * UserError for one under which there can be no trial.
   */
  readonly policy: (policy: Policy, isStart: boolean) => Policy;
}

/** What the command line, the settings files and the surroundings say together. */
export interface Config {
  readonly world: World;
  readonly invocation: Invocation;
  /** The workspace: absolute, links resolved. */
  readonly root: string;
  readonly userFolder?: string;
  readonly projectFolder?: string;
  /** The user's folder for new files, sessions among them; absent where this process may not write. */
  readonly stateFolder?: string;
  /** Where each tool call leaves a line; absent where this process may not write. */
  readonly auditFolder?: string;
  /** Whether the project's own configuration may load. */
  readonly trusted: boolean;
  /** What decided that; for the manifest (R145). */
  readonly trustReason: TrustDecision["reason"];
  /** Nobody has answered that for this content yet. */
  readonly trustQuestion?: TrustQuestion;
  readonly user: Settings;
  readonly project: Settings;
  /** What a program that embeds the engine sets, before all files. */
  readonly given?: Settings;
  /** User, then project; the command line still goes before it. */
  readonly settings: Settings;
  readonly warnings: readonly string[];
  /** The agent that the command line names: its scopes narrow the session's. */
  readonly agent?: AgentFile;
  /** What it leaves of a policy; made together with `agent`, so that no other session loads the code for it. */
  readonly narrow?: (policy: Policy) => Policy;
  /** Only while tools work on a copy. */
  readonly trial?: TrialPlace;
}

/** Where tools work: the workspace, or in a trial its copy. */
export function toolsRoot({ root, trial }: Pick<Config, "root" | "trial">): string {
  return trial?.folder ?? root;
}

/** Reads the configuration. Throws UserError for a workspace that is none and for settings that cannot be used. */
export function configure(given: Invocation, world: World): Config {
  const { pack } = world;
  const invocation = pack ? { ...given, values: pack.values(given.values) } : given;
  const { cwd, "session-dir": sessions } = invocation.values;
  for (const named of [cwd, sessions]) {
    if (typeof named !== "string") continue;
    try {
      refuseLinkOutside(named, world);
    } catch (error) {
      if (!isNotUtf8(error)) throw error;
      throw new UserError({
        what: `Cannot use "${named}"`,
        why: "the path that it leads to is not valid UTF-8",
        fix: "Rename that directory, or name another one",
      });
    }
  }
  const root = workspace(cwd, world.cwd);
  rememberToolPlaces([root]);
  rejectOwnPlacesIn(root, world);
  const { folders, outside } = foldersOf(root, world);
  const user = folders.user ? readSettings(folders.user, "user") : undefined;
  const trust = decideTrust(root, folders, invocation.values);
  const project = folders.project && trust.trusted ? readSettings(folders.project, "project") : undefined;
  const layers = layersOf(user?.settings ?? {}, project?.settings ?? {}, world);
  return {
    world,
    invocation,
    root,
    ...(folders.user ? { userFolder: folders.user } : {}),
    ...(folders.project ? { projectFolder: folders.project } : {}),
    ...(folders.newUser && mayHost({ name: "write", path: folders.newUser })
      ? { stateFolder: folders.newUser, auditFolder: join(folders.newUser, "audit") }
      : {}),
    trusted: trust.trusted,
    trustReason: trust.reason,
    ...(trust.question ? { trustQuestion: trust.question } : {}),
    ...layers,
    settings: mergeSettings(layers.user, layers.project),
    warnings: [
      ...outside === undefined ? [] : [outside],
      ...user?.warnings ?? [],
      ...project?.warnings ?? [],
      ...trust.warnings,
      ...pack?.warnings(world.env) ?? [],
    ],
  };
}

/** The configuration directories, and what is reported of one that is left out. */
function foldersOf(root: string, world: World): { readonly folders: ConfigFolders; readonly outside?: string } {
  const found = findConfigFolders(root, world.env);
  const outside = found.project && linkOutside(found.project, findGitRoot(root) ?? root);
  if (outside === undefined) return { folders: found };
  // A repository must not choose which directory of the user configures it.
  const { project: _, ...folders } = found;
  return { folders, outside };
}

/**
 * The same configuration with its settings files read again, and with configuration directories that were created since.
 * The command line stays, and so does trust, unless there was nothing to trust before or the project's directory is
 * another one now. `warnings` are those of the files as they are now. Throws UserError for settings that cannot be used.
 */
export function withSettingsAnew(before: Config): Config {
  const { folders, outside } = foldersOf(before.root, before.world);
  const isSame = folders.project === before.projectFolder && before.trustReason !== "nothing_to_trust";
  const trust = isSame ? undefined : decideTrust(before.root, folders, before.invocation.values);
  const { projectFolder: _, userFolder: __, trustQuestion, ...rest } = before;
  const config: Config = {
    ...rest,
    ...(folders.user ? { userFolder: folders.user } : {}),
    ...(folders.project ? { projectFolder: folders.project } : {}),
    ...(trust ? { trusted: trust.trusted, trustReason: trust.reason } : {}),
    ...(trust ? trust.question ? { trustQuestion: trust.question } : {} : trustQuestion ? { trustQuestion } : {}),
  };
  const { userFolder, projectFolder, trusted, given = {}, world } = config;
  const user = userFolder === undefined ? undefined : readSettings(userFolder, "user");
  const project = projectFolder === undefined || !trusted ? undefined : readSettings(projectFolder, "project");
  const layers = layersOf({ ...user?.settings, ...given }, project?.settings ?? {}, world);
  return {
    ...config,
    ...layers,
    settings: { ...mergeSettings(layers.user, layers.project), ...given },
    warnings: [
      ...outside === undefined ? [] : [outside],
      ...user?.warnings ?? [],
      ...project?.warnings ?? [],
      ...trust?.warnings ?? [],
    ],
  };
}

/** Both layers of settings, under what was packed into the program. */
function layersOf(user: Settings, project: Settings, { pack }: World): Pick<Config, "user" | "project"> {
  return pack ? { user: pack.user(user), project: pack.project(project) } : { user, project };
}

/** What is reported of a configuration directory that is a link out of the repository; undefined for any other. */
function linkOutside(folder: string, bounds: string): string | undefined {
  const target = attempt(() => Deno.realPathSync(folder));
  if (target === undefined || isInside(target, bounds)) return undefined;
  return `${folder} is left out: it is a link to ${target}, which is outside of ${bounds}`;
}

/**
 * Throws UserError for a directory that the user names inside the present one, or inside a repository, and that a link leads
 * out of it: tools of an earlier session can have put the link there, or the repository brings it.
 */
function refuseLinkOutside(named: string, { cwd, home }: World): void {
  const path = resolve(cwd, named);
  const roots = [cwd, findGitRoot(cwd) ?? cwd].filter((place) => place !== "/").sort((a, b) => a.length - b.length);
  followLinks(path, roots);
  if (!roots.some((root) => isInside(path, root))) followLinks(path, repositoriesAround(home)(path));
}

/** Variables that name directories of the program's own files, and where a relative path begins. */
const OWN_PLACES = [["SANDPIPER_HOME", "workspace"], ["XDG_CACHE_HOME", "current"], ["TMPDIR", "current"]] as const;

/**
 * Throws UserError for a directory of the program's own files inside the workspace or the repository around it: tools of a
 * session without this variable can write there, and a later session would trust what they wrote. A workspace that holds the
 * user's home directory is an exception: the default directories are in it, too.
 */
function rejectOwnPlacesIn(root: string, { env, cwd, home }: World): void {
  if (OWN_PLACES.every(([variable]) => !env[variable])) return;
  const bounds = [...new Set([findGitRoot(root) ?? root, root])].filter((place) => !isInside(home, place));
  for (const [variable, start] of OWN_PLACES) {
    const named = env[variable];
    if (!named) continue;
    const { real } = followLinks(resolve(start === "workspace" ? root : cwd, named), bounds);
    // Temporary names have a random part: what matters is whether tools can replace the directory itself.
    const held = variable === "TMPDIR" ? dirname(real) : real;
    const around = bounds.find((place) => isInside(held, place));
    if (around === undefined) continue;
    throw new UserError({
      what: `Cannot use the directory of ${variable}`,
      why: `"${real}" is in ${around}, where tools of another session can write`,
      fix: `Set ${variable} to a directory outside of ${around}`,
    });
  }
}

function workspace(option: unknown, cwd: string): string {
  const path = typeof option !== "string" ? cwd : isAbsolutePath(option) ? option : join(cwd, option);
  const what = `Cannot work in "${path}"`;
  const fix = "Name an existing folder with -C DIR";
  let real: string;
  try {
    real = Deno.realPathSync(path);
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound ? "it does not exist" : "it cannot be opened";
    throw new UserError({ what, why, fix }, { cause: error });
  }
  if (!Deno.statSync(real).isDirectory) throw new UserError({ what, why: "it is not a folder", fix });
  if (real === "/") {
    throw new UserError({
      what,
      why: "the filesystem root as a workspace would put every file into the tools' scope",
      fix: "Start in a project folder, or name one with -C DIR",
    });
  }
  return real;
}

/** Whether the project's own configuration may load, and what a person should know about it. */
export interface ProjectTrust extends TrustDecision {
  readonly warnings: readonly string[];
  /** What a person could be asked; absent where it is decided, and where an answer could not be recorded. */
  readonly question?: TrustQuestion;
}

/** Whether a project's own configuration shall load, as it is now. */
export interface TrustQuestion {
  readonly folder: string;
  /** Of `files`. */
  readonly digest: string;
  readonly files: readonly ProjectFile[];
  /** There is an answer for this folder, but its content has changed since. */
  readonly hasChanged: boolean;
}

/**
 * Decides from the command line and from recorded answers. Modes that cannot ask leave an unknown project's configuration
 * out and say so (docs/cli.md, Files).
 */
function decideTrust(root: string, folders: ConfigFolders, values: Values): ProjectTrust {
  const flag = values["no-trust"] ? false : values["trust"] ? true : undefined;
  const isBrought = flag === undefined && bringsSomething(root, folders.project);
  const recorded = folders.user && isBrought ? readTrust(join(folders.user, "trust.json")) : { records: [] };
  const isAnswered = recorded.records.some(({ folder }) => folder === root);
  // No file of the project belongs to the profile `none` (R42): only what an answer was recorded for is compared with it.
  const isOpened = isBrought && (values["profile"] !== "none" || isAnswered);
  const seen = isOpened ? lookAtProject(root, folders.project) : undefined;
  const digest = seen ? seen.digest : isBrought ? null : undefined;
  const decision = decide({ flag, folder: root, digest, records: recorded.records });
  const warnings = "problem" in recorded && recorded.problem !== undefined
    ? [`trust.json is not used: ${recorded.problem}`]
    : [];
  if (!decision.trusted && (decision.reason === "unknown" || decision.reason === "changed")) {
    const why = decision.reason === "changed" ? "it changed since it was trusted" : "nobody has trusted it";
    warnings.push(`this project's own configuration is left out, because ${why}; look at it, then pass --trust`);
    if (seen && digest) {
      const hasChanged = decision.reason === "changed";
      return { ...decision, warnings, question: { folder: root, digest, files: seen.files, hasChanged } };
    }
  }
  return { ...decision, warnings };
}
