import { resolve } from "@std/path";
import { findGitRoot, repositoriesAround } from "../context/files/ancestors.ts";
import { UserError } from "../core/error.ts";
import type { NamedFiles } from "../core/named_files.ts";
import type { Policy } from "../core/policy.ts";
import { once, onceFor } from "../core/support/once.ts";
import { createNamedFiles, toolAccess } from "../sandbox/names/named_files.ts";
import { resolvePolicy } from "../sandbox/policy/policy.ts";
import { glanceAtDisk } from "../sandbox/system/disk.ts";
import { type Config, configure } from "./config.ts";
import type { World } from "./host_environment.ts";
import type { Values } from "./options/parse.ts";
import { allowedBefore, policyEnvironment, requestOf } from "./policy_request.ts";

/**
 * Opens the names that the user, a settings file or the project gives, before and during a session.
 *
 * Tools may have written not only inside the scopes of this session: the repository around the workspace and the directory that
 * the program was started in are likely workspaces of earlier sessions.
 */
export const namedFilesOf: (config: Config) => NamedFiles = onceFor((config: Config) =>
  createAround(config, once(() => accessOf(config)))
);

/** The same in a session, under its policy of this moment. */
export function namedFilesUnder(config: Config, policy: Policy): NamedFiles {
  return createAround(config, () => toolAccess(policy));
}

/**
 * Opens what the repository brings, by its place alone: no policy is made for it. Its reader has checked that a link may be
 * followed.
 */
export const repositoryFiles: (config: Config) => NamedFiles = onceFor((config: Config) =>
  createNamedFiles({ roots: () => placesAround(config), whyDenied: () => undefined })
);

function createAround(config: Config, access: () => ReturnType<typeof toolAccess>): NamedFiles {
  return createNamedFiles({
    roots: () => [...access().roots, ...placesAround(config)],
    repositoriesAround: repositoriesAround(config.world.home),
    whyDenied: (...asked) => access().whyDenied(...asked),
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

function accessOf(config: Config): ReturnType<typeof toolAccess> {
  try {
    return toolAccess(policyBefore(config));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // No session can start here, and then nothing is reached by a link either.
    return { roots: [], whyDenied: () => error.message };
  }
}

/** Stands for the private directories of tools, which do not exist before a session. */
const NO_DIRECTORY = "/dev/null/sandpiper";

/** The policy without what only a session has: private directories, grants, the sandbox level. Throws UserError. */
function policyBefore(config: Config): Policy {
  const level = "kernel";
  const choice = { level, noHosts: () => undefined } as const;
  const view = glanceAtDisk();
  const { trial, world, invocation: { values } } = config;
  const sessions = values["session-dir"];
  const policy = resolvePolicy({ ...requestOf(config), allowed: allowedBefore(config, choice) }, {
    ...view,
    home: world.home,
    env: policyEnvironment(config),
    skills: [],
    kept: typeof sessions === "string" ? [resolve(world.cwd, sessions)] : [],
    tmp: NO_DIRECTORY,
    cache: NO_DIRECTORY,
    level,
    realPath: (path) => path === NO_DIRECTORY ? path : view.realPath(path),
  });
  return trial?.policy(policy, true) ?? policy;
}
