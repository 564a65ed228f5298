import { resolve } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import type { Config } from "../../config/config.ts";
import { withinHost } from "../../config/host_permissions.ts";
import { type ScopeValue, scopeValue, type Values } from "../../config/options/parse.ts";
import type { Settings } from "../../config/settings/settings_table.ts";
import { covers, type Limits, type Policy } from "../../core/policy.ts";
import type { FoundBundled } from "../resources/bundled.ts";
import { skillFolders } from "../resources/skills.ts";
import { checkpointsFolder } from "../sessions/checkpoint_place.ts";
import { sessionPlaces } from "../sessions/session_choice.ts";
import { allowedBefore } from "./allowed_before.ts";
import type { SandboxChoice } from "../../sandbox/confine/choose.ts";
import { DEFAULT_LIMITS } from "../../sandbox/policy/limits.ts";
import type { PackLayer } from "../../config/options/packed.ts";
import { type Grants, type PolicyRequest, resolvePolicy, type ScopeLayer } from "../../sandbox/policy/policy.ts";
import { glanceAtDisk } from "../../sandbox/system/disk.ts";

/** What of a session does not change when a grant makes a new policy of it. */
export interface PolicyBase {
  readonly sandbox: SandboxChoice;
  readonly folders: { readonly tmp: string; readonly cache: string };
  readonly bundled: FoundBundled;
  /** What this program is made of. */
  readonly program: readonly string[];
}

/**
 * The policy of a session: command line, settings and what was granted on the way; never wider than what this process
 * itself may do. Throws UserError for what cannot be had.
 */
export function policyOf(config: Config, { sandbox, folders, bundled, program }: PolicyBase, grants: Grants): Policy {
  const { values } = config.invocation;
  const { deny: userDeny, ...user } = config.user.permissions ?? {};
  const { deny: projectDeny, ...project } = config.project.permissions ?? {};
  const allowed = allowedBefore(config, sandbox);
  // Only the workspace is copied: what was allowed for good elsewhere is asked for again.
  const { write: _, ...others } = allowed;
  const { pack } = config.world;
  // Absent on another system, and in a process that may not read it.
  const mounts = attempt(() => Deno.readTextFileSync("/proc/self/mountinfo"));
  const policy = resolvePolicy({
    root: config.root,
    ...(pack ? { ceiling: ceilingOf(pack) } : {}),
    flags: flagLayer(values),
    ...(values["read-only"] ? { readOnly: true } : {}),
    user: { ...user, ...(userDeny ? { deny: userDeny } : {}) } as ScopeLayer, // the same keys, checked by the settings table
    project: { ...project, ...(projectDeny ? { deny: projectDeny } : {}) } as ScopeLayer,
    allowed: config.trial === undefined ? allowed : { ...others, write: false },
    grants,
    limits: toolLimitsOf(config),
  }, {
    home: config.world.home,
    tmp: folders.tmp,
    cache: folders.cache,
    // Relative, it is below the workspace that the command line names, wherever this process stands.
    env: config.world.env["SANDPIPER_HOME"] && config.userFolder !== undefined
      ? { ...config.world.env, SANDPIPER_HOME: config.userFolder }
      : config.world.env,
    skills: skillFolders(config),
    readable: [..."problem" in bundled ? [] : bundled.readable, ...pack ? [pack.pack.folder()] : []],
    // From source that is the repository itself, on which people work.
    unpacked: [
      ...Deno.build.standalone && !("problem" in bundled) ? [bundled.folder] : [],
      ...pack ? [pack.pack.folder()] : [],
    ],
    program,
    kept: sessionPaths(config),
    level: sandbox.level,
    noHosts: sandbox.noHosts,
    ...(mounts === undefined ? {} : { mounts }),
    ...glanceAtDisk(),
  });
  makeOwnFolder(config, policy);
  return withinHost({
    ...(config.trial?.policy(policy, Object.keys(grants).length === 0) ?? policy),
    ...(sandbox.level === "kernel" && sandbox.noHosts() === undefined ? { holdsHosts: true } : {}),
    ...(sandbox.bubblewrap === undefined ? {} : { bubblewrap: true }),
    ...(pack ? { packed: pack.pack.name } : {}),
    weaknesses: sandbox.weaknesses,
    notices: sandbox.notices,
  });
}

/**
 * Makes the user's folder where tools may write around it: what is there is closed to commands, what is not they could make,
 * and the next start would obey it.
 */
function makeOwnFolder({ stateFolder }: Config, { write }: Policy): void {
  if (stateFolder === undefined || !covers(write, stateFolder)) return;
  // Commands may not be able to either, and what they make is watched.
  attempt(() => Deno.mkdirSync(stateFolder, { recursive: true, mode: 0o700 }));
}

/** What a pack leaves of any policy. */
function ceilingOf({ pack: { name }, settings, flags }: PackLayer): NonNullable<PolicyRequest["ceiling"]> {
  const { deny, ...scopes } = settings.permissions ?? {};
  const { deny: more, ...own } = flagLayer(flags);
  const denied = (kind: "read" | "write"): readonly string[] =>
    [deny?.[kind], more?.[kind]].flatMap((list) => Array.isArray(list) ? list : []);
  return {
    ...(scopes as ScopeLayer), // the same keys, checked by the settings table
    ...own,
    deny: { read: denied("read"), write: denied("write") },
    name,
    readOnly: flags["read-only"] === true,
  };
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

/** The bounds of a tool call by their names in the settings, under `bash`. */
const SET_BY = {
  timeoutMs: "bashTimeoutMs",
  maxTimeoutMs: "bashMaxTimeoutMs",
  outputBytes: "outputBytes",
  outputLines: "outputLines",
  fileBytes: "fileBytes",
  openFiles: "openFiles",
  processes: "processes",
  memoryBytes: "memoryBytes",
} as const satisfies Readonly<Record<keyof NonNullable<Settings["bash"]>, keyof Limits>>;

/**
 * The bounds of a tool call: the user's, else the defaults, and what the project lowers of them.
 *
 * What a program that embeds the engine sets stands before all files.
 */
export function toolLimitsOf({ user, project, given }: Pick<Config, "user" | "project" | "given">): Limits {
  const own = user.bash ?? {};
  const lowered = given?.bash ? {} : project.bash ?? {};
  // `Object.fromEntries` widens the keys to string; they are those of the table.
  const names = Object.keys(SET_BY) as (keyof typeof SET_BY)[];
  return Object.assign(
    { ...DEFAULT_LIMITS },
    ...names.map((name) => {
      const limit = SET_BY[name];
      return { [limit]: Math.min(own[name] ?? DEFAULT_LIMITS[limit], lowered[name] ?? Infinity) };
    }),
  );
}

/** What this program keeps of sessions, which is not the tools' to touch, wherever the user wants it to be (R478). */
function sessionPaths(config: Config): readonly string[] {
  const { invocation: { values }, auditFolder, world } = config;
  const { folder } = sessionPlaces(config);
  const named = values["resume"];
  // A session that is named by its file goes on in that file.
  const file = typeof named === "string" && named.includes("/") ? resolve(world.cwd, named) : undefined;
  return [folder, auditFolder, checkpointsFolder(config), file].filter((path) => path !== undefined);
}

/**
 * Makes the folder of the sessions where nothing but its own denial keeps tools out of it: what is not there yet cannot
 * be covered by a mount, and the first session of a folder is there only after the first message.
 */
export function makeKeptFolder(config: Config, { denyRead }: Pick<Policy, "denyRead">): void {
  const { folder } = sessionPlaces(config);
  if (folder === undefined || !denyRead.includes(folder)) return;
  // The session itself tells why it cannot be kept.
  attempt(() => Deno.mkdirSync(folder, { recursive: true, mode: 0o700 }));
}
