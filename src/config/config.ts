import { join, resolve } from "@std/path";
import type { TrustDecision } from "../core/compiled_prompt.ts";
import { UserError } from "../core/error.ts";
import type { AgentFile } from "../context/agents/agent_file.ts";
import type { Policy } from "../core/policy.ts";
import { findConfigFolders } from "../context/files/config_folders.ts";
import { mayHost } from "./host_permissions.ts";
import type { Invocation } from "./options/parse.ts";
import { mergeSettings, readSettings } from "./settings/settings.ts";
import type { Settings } from "./settings/settings_table.ts";
import { decideTrust, type TrustQuestion } from "./trust.ts";
import type { World } from "./host_environment.ts";

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
export function configure(invocation: Invocation, world: World): Config {
  const root = workspace(invocation.values["cwd"], world.cwd);
  const folders = findConfigFolders(root, world.env);
  const user = folders.user ? readSettings(folders.user, "user") : undefined;
  const trust = decideTrust(root, folders, invocation.values);
  const project = folders.project && trust.trusted ? readSettings(folders.project, "project") : undefined;
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
    user: user?.settings ?? {},
    project: project?.settings ?? {},
    settings: mergeSettings(user?.settings ?? {}, project?.settings ?? {}),
    warnings: [...user?.warnings ?? [], ...project?.warnings ?? [], ...trust.warnings],
  };
}

/**
 * The same configuration with its settings files read anew; folders, trust and the command line stay. `warnings` are those
 * of the files as they are now. Throws UserError for settings that cannot be used.
 */
export function withSettingsAnew(config: Config): Config {
  const { userFolder, projectFolder, trusted, given = {} } = config;
  const user = userFolder === undefined ? undefined : readSettings(userFolder, "user");
  const project = projectFolder === undefined || !trusted ? undefined : readSettings(projectFolder, "project");
  const own = { ...user?.settings, ...given };
  return {
    ...config,
    user: own,
    project: project?.settings ?? {},
    settings: { ...mergeSettings(own, project?.settings ?? {}), ...given },
    warnings: [...user?.warnings ?? [], ...project?.warnings ?? []],
  };
}

function workspace(option: unknown, cwd: string): string {
  const path = typeof option === "string" ? resolve(cwd, option) : cwd;
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
