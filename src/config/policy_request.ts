import { type ScopeValue, scopeValue, type Values } from "./options/parse.ts";
import type { PackLayer } from "./options/packed.ts";
import type { Settings } from "./settings/settings_table.ts";
import type { Limits } from "../core/policy.ts";
import { DEFAULT_LIMITS } from "../sandbox/policy/limits.ts";
import type { SandboxChoice } from "../sandbox/confine/choose.ts";
import { disk } from "../sandbox/system/disk.ts";
import { realOf } from "../sandbox/policy/path_entry.ts";
import type { Grants, PolicyRequest, ScopeLayer } from "../sandbox/policy/policy.ts";
import type { Config } from "./config.ts";

/** What the command line and the settings ask for. */
export function requestOf(config: Config): PolicyRequest {
  const { values } = config.invocation;
  const { deny: userDeny, ...user } = config.user.permissions ?? {};
  const { deny: projectDeny, ...project } = config.project.permissions ?? {};
  const { pack } = config.world;
  return {
    root: config.root,
    ...(pack ? { ceiling: ceilingOf(pack) } : {}),
    flags: flagLayer(values),
    ...(values["read-only"] ? { readOnly: true } : {}),
    user: { ...user, ...(userDeny ? { deny: userDeny } : {}) } as ScopeLayer, // the same keys, checked by the settings table
    project: { ...project, ...(projectDeny ? { deny: projectDeny } : {}) } as ScopeLayer,
    limits: toolLimitsOf(config),
  };
}

/** The environment that a policy is made from: a relative SANDPIPER_HOME is below the workspace. */
export function policyEnvironment({ world: { env }, userFolder }: Config): Readonly<Record<string, string>> {
  return env["SANDPIPER_HOME"] && userFolder !== undefined ? { ...env, SANDPIPER_HOME: userFolder } : env;
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

/**
 * What the user's settings allow for this workspace beside everything else (`projects`).
 *
 * Left out is what would not mean what was shown when it was granted: a path that has become a link to elsewhere, and
 * what this sandbox level cannot limit to a list. A project's settings have no say in it.
 */
export function allowedBefore(
  config: Pick<Config, "root" | "user">,
  { level, noHosts }: Pick<SandboxChoice, "level" | "noHosts">,
): Grants {
  // The settings table lets no other shape through; read as unknown, so that a wrong one allows nothing.
  const projects = fieldsOf((config.user as Readonly<Record<string, unknown>>)["projects"]);
  const permissions = fieldsOf(fieldsOf(projects[config.root])["permissions"]);
  // A slash at the end names a folder that is made where it is missing.
  const isReal = (written: string): boolean => {
    const path = written.replace(/(?<=.)\/$/, "");
    return path.startsWith("/") && realOf(path, disk.realPath) === path;
  };
  const confines = level === "kernel" || level === "kernel+";
  return {
    ...given("read", permissions["read"], isReal),
    ...given("write", permissions["write"], isReal),
    ...given("run", permissions["run"], () => confines),
    ...given("net", permissions["net"], () => noHosts() === undefined),
  };
}

function given(
  kind: keyof Grants,
  written: unknown,
  isKept: (entry: string) => boolean,
): Grants {
  if (written === true) return { [kind]: true };
  if (!Array.isArray(written)) return {};
  const list = written.filter((entry): entry is string => typeof entry === "string" && isKept(entry));
  return list.length === 0 ? {} : { [kind]: list };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  // Asked first whether it is an object; nothing is believed of its fields.
  return typeof value === "object" && value !== null ? value as Readonly<Record<string, unknown>> : {};
}
