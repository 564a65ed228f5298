import type { Policy } from "../../core/policy.ts";
import type { SandboxChoice } from "../../sandbox/confine/choose.ts";
import { glanceAtDisk } from "../../sandbox/system/disk.ts";
import { type Grants, resolvePolicy, type ScopeLayer } from "../../sandbox/policy/policy.ts";
import { allowedBefore } from "./allowed_before.ts";
import type { FoundBundled } from "../resources/bundled.ts";
import type { Config } from "../../config/config.ts";
import { withinHost } from "../../config/host_permissions.ts";
import { sessionPaths } from "./session_paths.ts";
import { toolLimitsOf } from "../../config/limits.ts";
import { type ScopeValue, scopeValue, type Values } from "../../config/options/parse.ts";
import { skillFolders } from "../resources/skills.ts";

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
  const policy = resolvePolicy({
    root: config.root,
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
    env: config.world.env,
    skills: skillFolders(config),
    readable: "problem" in bundled ? [] : bundled.readable,
    // From source that is the repository itself, on which people work.
    unpacked: Deno.build.standalone && !("problem" in bundled) ? [bundled.folder] : [],
    program,
    kept: sessionPaths(config),
    level: sandbox.level,
    noHosts: sandbox.noHosts,
    ...glanceAtDisk(),
  });
  return withinHost({
    ...(config.trial?.policy(policy, Object.keys(grants).length === 0) ?? policy),
    ...(sandbox.level === "kernel" && sandbox.noHosts() === undefined ? { holdsHosts: true } : {}),
    ...(sandbox.bubblewrap === undefined ? {} : { bubblewrap: true }),
    weaknesses: sandbox.weaknesses,
    notices: sandbox.notices,
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
