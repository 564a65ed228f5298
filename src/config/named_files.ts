import { resolve } from "@std/path";
import { findGitRoot, repositoriesAround } from "../context/files/ancestors.ts";
import { UserError } from "../core/error.ts";
import type { NamedFiles } from "../core/named_files.ts";
import type { Policy } from "../core/policy.ts";
import { once, onceFor } from "../core/support/once.ts";
import { createNamedFiles, type ToolAccess, toolAccess } from "../sandbox/names/named_files.ts";
import { type PolicyRequest, resolvePolicy, writeScope } from "../sandbox/policy/policy.ts";
import { disk, glanceAtDisk } from "../sandbox/system/disk.ts";
import { type Config, configure, toolsRoot } from "./config.ts";
import type { World } from "./host_environment.ts";
import type { Values } from "./options/parse.ts";
import { allowedBefore, policyEnvironment, requestOf } from "./policy_request.ts";

/**
 * Opens the names that the user, a settings file or the project gives, before and during a session.
 *
 * The policy is computed for the first name that it can deny: a name with a link of a tool in it, or one that the user did not
 * type.
 *
 * Tools may have written not only inside the scopes of this session: the repository around the workspace and the directory that
 * the program was started in are likely workspaces of earlier sessions.
 */
export const namedFilesOf: (config: Config) => NamedFiles = onceFor((config: Config) => {
  const whyDenied = once(() => whyDeniedBefore(config));
  return createAround(config, () => rootsBefore(config), (...asked) => whyDenied()(...asked));
});

/** The same in a session, under its policy of this moment. */
export function namedFilesUnder(config: Config, policy: Policy): NamedFiles {
  const { roots, whyDenied } = toolAccess(policy);
  return createAround(config, () => roots, whyDenied);
}

/**
 * Opens what the repository brings, by its place alone: no policy is made for it. Its reader has checked that a link may be
 * followed.
 */
export const repositoryFiles: (config: Config) => NamedFiles = onceFor((config: Config) =>
  createNamedFiles({ roots: () => placesAround(config), whyDenied: () => undefined })
);

function createAround(
  config: Config,
  roots: () => readonly string[],
  whyDenied: ToolAccess["whyDenied"],
): NamedFiles {
  return createNamedFiles({
    roots: () => [...roots(), ...placesAround(config)],
    repositoriesAround: repositoriesAround(config.world.home),
    whyDenied,
  });
}

/** The workspace, the current directory, and the repositories around them. */
function placesAround({ root, world }: Config): readonly string[] {
  const places = [root, world.cwd];
  return [...places, ...places.flatMap((place) => findGitRoot(place) ?? [])].filter((place) => place !== "/");
}

/** The same for a command that has no configuration of a session, from the directory that it was started in. */
export function namedFilesIn(world: World): NamedFiles {
  try {
    return namedFilesOf(configure({ values: {}, words: [] }, world));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return createNamedFiles({ roots: [world.cwd].filter((place) => place !== "/"), whyDenied: () => error.message });
  }
}

/** Paths that an option names, absolute, as they were named. Throws UserError for a link out of the workspace. */
export function namedPaths(config: Config, value: Values[string], base: string): readonly string[] {
  if (!Array.isArray(value)) return [];
  const files = namedFilesOf(config);
  return value.map((path) => files.find(resolve(base, path), { access: "read", typed: true }).path);
}

/** Directories that tools can write in a session that is not narrowed. If no session can start, what the workspace gives. */
function rootsBefore(config: Config): readonly string[] {
  const own = [config.root, toolsRoot(config)];
  const { home } = config.world;
  try {
    const write = writeScope(requestBefore(config), { ...disk, home, env: policyEnvironment(config) });
    return write.all ? ["/", ...own] : [...write.list, ...own];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return own;
  }
}

function whyDeniedBefore(config: Config): ToolAccess["whyDenied"] {
  try {
    return toolAccess(policyBefore(config)).whyDenied;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // No session can start here, and then nothing is reached by a link either.
    return () => error.message;
  }
}

function requestBefore(config: Config): PolicyRequest {
  return { ...requestOf(config), allowed: allowedBefore(config, { level: LEVEL, noHosts: () => undefined }) };
}

/** The level that a policy before a session assumes. */
const LEVEL = "kernel";

/** Stands for the private directories of tools, which do not exist before a session. */
const NO_DIRECTORY = "/dev/null/sandpiper";

/** The policy without what only a session has: private directories, grants, the sandbox level. Throws UserError. */
function policyBefore(config: Config): Policy {
  const view = glanceAtDisk();
  const { trial, world, invocation: { values } } = config;
  const sessions = values["session-dir"];
  const policy = resolvePolicy(requestBefore(config), {
    ...view,
    home: world.home,
    env: policyEnvironment(config),
    skills: [],
    kept: typeof sessions === "string" ? [resolve(world.cwd, sessions)] : [],
    tmp: NO_DIRECTORY,
    cache: NO_DIRECTORY,
    level: LEVEL,
    realPath: (path) => path === NO_DIRECTORY ? path : view.realPath(path),
  });
  return trial?.policy(policy, true) ?? policy;
}
