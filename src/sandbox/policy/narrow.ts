import { isInside, type Policy, type Scope } from "../../core/policy.ts";
import { attempt } from "../../core/support/attempt.ts";
import { movedVariables, netEnvironment } from "./environment.ts";
import { parseRule, ruleText } from "./net_rules.ts";
import { pathReader, type RealPath } from "./path_entry.ts";
import { intersectHosts } from "./program_scopes.ts";
import { intersectPaths, joinScopes, NOTHING, readScope, unique, withoutDenied } from "./scopes.ts";

/** What is wanted of a policy; what is left out stays as it is there. Paths as a person writes them. */
export interface NarrowRequest {
  /** What may be read besides programs, the private folders and what may be written. */
  readonly read?: readonly string[];
  /** An empty list: nothing. */
  readonly write?: readonly string[];
  /** `false`: no program. */
  readonly run?: false;
  /** Hosts as in `--allow-net`; an empty list: no network. */
  readonly net?: readonly string[];
  /** Private folders in place of the policy's own: fresh, and nobody else's. */
  readonly folders?: { readonly tmp: string; readonly cache: string };
}

/** What of the machine narrowing looks at. */
export interface NarrowFacts {
  readonly realPath: RealPath;
  /** Places that no program can do without: of these a narrower read scope keeps what the policy has. */
  readonly programs: readonly string[];
}

/**
 * A policy that allows no more than another one: each scope is what both cover, denials and protected paths are the same,
 * and so are limits, level and environment, but for private folders that `folders` names.
 *
 * Narrowing cannot fail: what the policy does not have is not in the result, whatever is asked for. Only the fresh
 * `folders` are new, and they come along where something may run or be written.
 */
export function narrowPolicy(policy: Policy, request: NarrowRequest, facts: NarrowFacts): Policy {
  const paths = pathReader(policy.root, policy.home, facts.realPath);
  // An entry that a link leads out of the workspace is not in the result.
  const written = (entries: readonly string[]): Scope =>
    readScope(entries, (entry) => attempt(() => paths.granted(entry)) ?? []);
  const own = request.folders;
  const without = (scope: Scope): Scope =>
    own === undefined ? scope : { all: scope.all, list: scope.list.filter((path) => !isPrivate(policy, path)) };
  const run = request.run === false ? NOTHING : policy.run;
  const net = request.net === undefined ? policy.net : narrowNet(policy, request.net);
  const write = without(
    request.write === undefined ? policy.write : writable(policy, intersectPaths(policy.write, written(request.write))),
  );
  const wanted = request.read === undefined ? policy.read : withoutDenied(
    joinScopes(
      intersectPaths(policy.read, written([...request.read, ...facts.programs])),
      // What may be written may be read, as far as the policy has it.
      intersectPaths(policy.read, write),
    ),
    policy.denyRead,
  );
  const isIdle = write.list.length === 0 && !write.all && run.list.length === 0 && !run.all;
  const fresh = own === undefined || isIdle ? [] : unique([own.tmp, own.cache]);
  const withFresh = (scope: Scope): Scope =>
    scope.all ? scope : { all: false, list: unique([...scope.list, ...fresh]) };
  const places = own ?? policy;
  const env = own === undefined ? policy.env : movedVariables(policy.env, policy, { ...policy, ...own });
  return {
    ...policy,
    ...(own === undefined ? {} : { besideOthers: true as const }),
    tmp: places.tmp,
    cache: places.cache,
    read: withFresh(without(wanted)),
    write: withFresh(write),
    run,
    net,
    env: request.net === undefined ? env : netEnvironment(env, { net, sandbox: policy.sandbox }),
  };
}

/** Whether a place is one of a policy's private folders, or lies in one. */
export function isPrivate({ tmp, cache, root }: Pick<Policy, "tmp" | "cache" | "root">, path: string): boolean {
  // A process that may write nowhere has the workspace in their place.
  return [tmp, cache].some((folder) => folder !== root && isInside(path, folder));
}

/**
 * Denials and protected paths cut pieces out of what lies around them: a place inside of one must not be granted by its
 * own name. Nor must a place in a repository's folder, of which only git's own part is written, through a layer.
 */
function writable(policy: Policy, scope: Scope): Scope {
  const { all, list } = withoutDenied(scope, [...policy.denyWrite, ...policy.protected]);
  const isGranted = (path: string): boolean => policy.write.list.includes(path);
  return { all, list: list.filter((path) => isGranted(path) || !path.split("/").includes(".git")) };
}

/** Where nothing can hold a list of hosts, some of all hosts are none. */
function narrowNet(policy: Policy, hosts: readonly string[]): Scope {
  const holds = policy.sandbox === "kernel+" || policy.holdsHosts === true || !policy.net.all;
  const wanted = { all: false, list: hosts.map((host) => ruleText(parseRule(host))) };
  return holds ? intersectHosts(policy.net, wanted) : NOTHING;
}
