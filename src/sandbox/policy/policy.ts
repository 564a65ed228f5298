import { join } from "@std/path";
import { UserError } from "../../core/error.ts";
import {
  CONFINED_LEVELS,
  covers,
  isInside,
  type Limits,
  type Policy,
  type SandboxLevel,
  type Scope,
} from "../../core/policy.ts";
import { worktreeLink } from "../git/paths.ts";
import { PRIVATE_GIT_CONFIG } from "../git/private_config.ts";
import { deniedPaths, refuseKeptAround, sessionDenials } from "./denied_paths.ts";
import { intersectVariables, netEnvironment, toolEnvironment } from "./environment.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { pathReader, realFolder } from "./path_entry.ts";
import { parseRule, ruleText } from "./net_rules.ts";
import { intersectHosts, netScope, runScope } from "./program_scopes.ts";
import { protectedPaths, startupPaths } from "./protected_paths.ts";
import { toolchainPaths } from "./readable.ts";
import {
  bareEntries,
  EVERYTHING,
  intersectNames,
  intersectPaths,
  joinScopes,
  NOTHING,
  readScope,
  scopeBeside,
  unique,
  withoutDenied,
  type WrittenScope,
} from "./scopes.ts";
import type { FolderView } from "../system/folder_view.ts";

type Kind = "read" | "write" | "run" | "net" | "env";

/** One layer of wishes about scopes: flags, user settings or project settings. */
export interface ScopeLayer extends Readonly<Partial<Record<Kind, WrittenScope>>> {
  readonly deny?: Readonly<Partial<Record<Kind, WrittenScope>>>;
}

/** What a person allowed besides when a call was denied; it adds to what is there and takes nothing away. */
export type Grants = Pick<ScopeLayer, "read" | "write" | "run" | "net">;

/** What people asked for. Relative paths count from `root`, `~/` from home. */
export interface PolicyRequest {
  /** The workspace. */
  readonly root: string;
  readonly flags?: ScopeLayer;
  /** `--read-only`: no write scope, no run scope. */
  readonly readOnly?: boolean;
  readonly user?: ScopeLayer;
  /** Of the user's settings for this workspace: adds to `user`, and like that gives way to a flag. */
  readonly allowed?: Grants;
  /** Given at the terminal in this session: adds to whatever else holds; the project narrows it as it narrows a flag. */
  readonly grants?: Grants;
  /** May narrow, never widen. */
  readonly project?: ScopeLayer;
  /** Of what was packed into the program: stands for the defaults, and nothing goes beyond it. */
  readonly ceiling?: ScopeLayer & { readonly name: string; readonly readOnly: boolean };
  readonly limits?: Partial<Limits>;
}

/** What is so on this machine and in this session. */
export interface PolicyFacts extends FolderView {
  readonly home: string;
  /** Private temporary folder of the session, already made. */
  readonly tmp: string;
  /** What the program unpacked for later sessions, too: skills and pages. No write scope has it. */
  readonly unpacked?: readonly string[];
  /** Private cache folder, already made. */
  readonly cache: string;
  /** The host's own environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Folders of skills that the model is shown. */
  readonly skills: readonly string[];
  /** More paths that tools need to read (documentation of the program). */
  readonly readable?: readonly string[];
  /** What this program is made of: never writable, since the next confined process starts from it. */
  readonly program?: readonly string[];
  /** Files and folders in which sessions and their audit are kept: neither readable nor writable. */
  readonly kept?: readonly string[];
  readonly level: SandboxLevel;
  /** The text of /proc/self/mountinfo, where there is one: what is denied is so wherever a mount shows it. */
  readonly mounts?: string;
  /** Why the network cannot be limited to a list of hosts, asked where it is to be; without, only kernel+ can. */
  readonly noHosts?: () => string | undefined;
}

/** The facts that the write scope depends on. */
export type WriteScopeFacts = FolderView & Pick<PolicyFacts, "home" | "env">;

/** What two scopes of a kind have in common; of variables it depends on their values. */
const COMMON = {
  read: intersectPaths,
  write: intersectPaths,
  run: intersectNames,
  net: intersectHosts,
} as const;

/**
 * Makes the one policy of a session out of wishes and facts; pure.
 *
 * Flags replace the user's settings, these replace the defaults; grants add; the project's settings only take away;
 * denials of all layers add up and win. A ceiling stands for the defaults, and of all that only what it covers is left.
 * Throws UserError for what cannot be had, and for a flag that asks for more than a ceiling has.
 */
export function resolvePolicy(wanted: PolicyRequest, facts: PolicyFacts): Policy {
  const request = narrowedByCeiling(wanted);
  const root = realFolder(request.root, "workspace", facts.realPath);
  const home = facts.realPath(facts.home) ?? facts.home;
  const tmp = realFolder(facts.tmp, "temporary folder", facts.realPath);
  const cache = realFolder(facts.cache, "cache folder", facts.realPath);
  const layers = layersOf(request, root, home, facts);
  const extra = [...facts.skills, ...(facts.readable ?? [])].flatMap((path) => facts.realPath(path) ?? []);
  const kept = sessionDenials(facts.kept ?? [], [root, tmp, cache, ...extra], facts.realPath);
  const program = unique((facts.program ?? []).flatMap((path) => [path, facts.realPath(path) ?? path]));
  const denied = deniedPaths(layers.denied("read"), layers.denied("write"), {
    ...facts,
    ...{ root, home },
    readable: extra,
    writable: [tmp, cache],
    program,
    kept: kept.denied,
  });
  refuseSecretWorkspace(root, denied.secrets);
  const workspace = scopeOfWorkspace(root);
  const read = layers.denied("read").all ? NOTHING : layers.wanted("read", workspace);
  const write = layers.mayWrite ? layers.wanted("write", workspace) : NOTHING;
  refuseKeptAround(kept, [read, write]);
  const run = request.readOnly
    ? NOTHING
    : layers.wanted("run", CONFINED_LEVELS.has(facts.level) ? EVERYTHING : NOTHING);
  const link = worktreeLink(root, facts);
  const net = netScope(layers.wanted("net", NOTHING), layers.denied("net"), facts.level, facts.noHosts);
  const env = toolEnvironment(
    facts.env,
    { allow: layers.wanted("env", NOTHING), deny: layers.denied("env") },
    {
      ...{ home, root, tmp, cache },
      // A process that may write nowhere has no folder for a file of its own.
      ...(facts.level === "off" ? {} : { gitConfig: tmp === root ? "/dev/null" : join(tmp, PRIVATE_GIT_CONFIG) }),
    },
  );
  const startup = startupPaths(write, { ...facts, home });
  // What is written there later sessions tell their models, whatever their workspace is.
  const unpacked = (facts.unpacked ?? []).flatMap((path) => facts.realPath(path) ?? [])
    .filter((path) => covers(write, path));
  const denyWrite = unique([...denied.write, ...startup, ...unpacked]);
  const builtInRead = unique([tmp, cache, ...extra, ...toolchainPaths({ ...facts, home })]);
  return {
    root,
    home,
    tmp,
    cache,
    read: withPlaces(
      read,
      [...builtInRead, ...(link && covers(read, root) ? [link.common] : [])],
      denied.read,
    ),
    builtInRead: [...builtInRead, ...(link ? [link.common] : [])],
    write: withPlaces(write, [tmp, cache, ...(link && covers(write, root) ? link.writable : [])], denyWrite),
    run: runScope(run, layers.denied("run")),
    net,
    env: netEnvironment(env, { net, sandbox: facts.level }),
    denyRead: denied.read,
    denyWrite,
    deniedFor: denied.deniedFor,
    protected: unique([
      ...protectedPaths(root, facts, home),
      ...(link?.protected ?? []),
      // Of what is not there yet a name alone keeps commands from nothing: it is watched, wherever they may write.
      ...denied.secrets.filter((path) => isInside(path, root) || (isInside(path, home) && covers(write, path))),
      ...startup,
      ...unpacked,
      // A link, and what is not there, a mount cannot hold.
      ...program.filter((path) => covers(write, path) && facts.realPath(path) !== path),
    ]),
    limits: { ...DEFAULT_LIMITS, ...request.limits },
    sandbox: facts.level,
  };
}

/**
 * The directories that tools can write under the same request, without the computation of a whole policy: absolute and real.
 *
 * It has all of the write scope of `resolvePolicy` except the private directories. A secret place that the request names stays
 * in it, since the built-in denials are not computed.
 *
 * @throws UserError for an entry of the write scope that cannot be used.
 */
export function writeScope(wanted: PolicyRequest, facts: WriteScopeFacts): Scope {
  const request = narrowedByCeiling(wanted);
  const root = realFolder(request.root, "workspace", facts.realPath);
  const layers = layersOf(request, root, facts.realPath(facts.home) ?? facts.home, facts);
  if (!layers.mayWrite) return NOTHING;
  const write = layers.wanted("write", scopeOfWorkspace(root));
  const link = worktreeLink(root, facts);
  const repository = link !== undefined && covers(write, root) ? link.writable : [];
  return withoutDenied(joinScopes(write, { all: false, list: repository }), layers.denied("write").list);
}

function narrowedByCeiling(wanted: PolicyRequest): PolicyRequest {
  return wanted.ceiling?.readOnly ? { ...wanted, readOnly: true } : wanted;
}

function scopeOfWorkspace(root: string): Scope {
  return root === "/" ? EVERYTHING : { all: false, list: [root] };
}

function layersOf(
  request: PolicyRequest,
  root: string,
  home: string,
  facts: WriteScopeFacts,
): { wanted: (kind: Kind, fallback: Scope) => Scope; denied: (kind: Kind) => Scope; mayWrite: boolean } {
  const paths = pathReader(root, home, facts.realPath);
  const asWritten = (entry: string): readonly string[] => [entry];
  const ofPaths = (kind: Kind): boolean => kind === "read" || kind === "write";
  const grant = (kind: Kind, written: WrittenScope): Scope =>
    readScope(written, ofPaths(kind) ? paths.granted : asWritten);
  // The environment is decided at the start.
  const granted = (kind: Kind, grants: Grants | undefined): Scope =>
    kind === "env" ? NOTHING : grant(kind, grants?.[kind] ?? false);
  const denied = (kind: Kind): Scope => {
    const all = [request.flags, request.user, request.project, request.ceiling].map((layer) =>
      readScope(layer?.deny?.[kind] ?? false, ofPaths(kind) ? paths.denied : asWritten)
    );
    return { all: all.some((scope) => scope.all), list: unique(all.flatMap((scope) => scope.list)) };
  };
  const common = {
    ...COMMON,
    env: (a: Scope, b: Scope) => intersectVariables(a, b, facts.env),
  };
  const mayWrite = !request.readOnly && !denied("write").all;
  /** What a layer says of a kind, and for reading what it says of writing: a place that is written is read, too. */
  const said = (kind: Kind, layer: ScopeLayer | undefined, without: Scope): Scope => {
    const written = layer?.[kind];
    const scope = written === undefined
      ? without
      : scopeBeside(written, without, ofPaths(kind) ? paths.granted : asWritten);
    if (kind !== "read" || !mayWrite || layer?.write === undefined) return scope;
    return joinScopes(scope, grant("write", bareEntries(layer.write)));
  };
  return {
    wanted: (kind, usual) => {
      const { flags, user = {}, project, ceiling } = request;
      const fallback = said(kind, ceiling, usual);
      // What the user's settings say of writing does not count where a flag says otherwise.
      const { write, ...others } = user;
      const settled = flags?.write === undefined && write !== undefined ? { ...others, write } : others;
      const counts = kind === "read" ? settled : user;
      const standing = said(kind, flags, joinScopes(said(kind, counts, fallback), granted(kind, request.allowed)));
      const own = joinScopes(standing, granted(kind, request.grants));
      const narrowed = project?.[kind] === undefined ? own : common[kind](own, said(kind, project, own));
      if (ceiling === undefined) return narrowed;
      const written = flags?.[kind] === undefined ? NOTHING : said(kind, flags, fallback);
      const asked = kind === "net"
        ? { ...written, list: written.list.map((host) => ruleText(parseRule(host))) }
        : written;
      const more = beyond(asked, common[kind](asked, fallback));
      if (more !== undefined) throw wider(kind, more, ceiling.name);
      return common[kind](narrowed, fallback);
    },
    denied,
    mayWrite,
  };
}

/** What a scope has that is not in a part of it. */
function beyond(scope: Scope, part: Scope): string | undefined {
  if (scope.all) return part.all ? undefined : "all there is";
  return part.all ? undefined : scope.list.find((entry) => !part.list.includes(entry));
}

function wider(kind: Kind, more: string, name: string): UserError {
  return new UserError({
    what: `--allow-${kind} asks for more than ${name} has`,
    why: `${more} is not in its scope`,
    fix: `Leave it out, or name less: whoever runs ${name} can only narrow what is packed into it`,
    exitCode: 3,
  });
}

function refuseSecretWorkspace(root: string, secrets: readonly string[]): void {
  const secret = secrets.find((path) => isInside(root, path));
  if (secret === undefined) return;
  throw new UserError({
    what: `Cannot work in ${root}`,
    why: `${secret} holds secrets, which tools never read, whatever is allowed`,
    fix: "Start in another folder and copy what tools should see",
    exitCode: 3,
  });
}

/** Private and system places come along only with a scope that grants something. */
function withPlaces(scope: Scope, places: readonly string[], denied: readonly string[]): Scope {
  const own = withoutDenied(scope, denied);
  if (own.all || own.list.length === 0) return own;
  return withoutDenied({ all: false, list: unique([...own.list, ...places]) }, denied);
}

/**
 * A policy cut down to looking: no write scope and no network, for a session that plans. Everything else stays, so that it
 * is never wider than the one that it is made of.
 *
 * Commands run on where the kernel holds them; they keep their private temporary folder and cache. Where nothing but this
 * program's own checks would hold a command, none runs.
 */
export function readingOnly(policy: Policy): Policy {
  return {
    ...policy,
    readingOnly: true,
    write: NOTHING,
    run: CONFINED_LEVELS.has(policy.sandbox) ? policy.run : NOTHING,
    net: NOTHING,
    env: netEnvironment(policy.env, { net: NOTHING, sandbox: policy.sandbox }),
  };
}
