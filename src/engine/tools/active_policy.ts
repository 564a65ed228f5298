import { UserError } from "../../core/error.ts";
import type { Denial } from "../../core/event.ts";
import { withoutTold } from "../../core/grant_option.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { covers, isInside, type Policy } from "../../core/policy.ts";
import type { CallOptions } from "../../core/runner.ts";
import { allSettled } from "../../core/support/close_all.ts";
import { errorResult, type Tool } from "../../core/tool.ts";
import type { ToolResult } from "../../core/tool_result.ts";
import {
  claimIn,
  claimOf,
  claimsIn,
  type DenialClaim,
  type ToldDenial,
  type ToldReason,
  withDenial,
} from "../../sandbox/denial/claim.ts";
import { disk } from "../../sandbox/system/disk.ts";
import { makeGrantedFolder, OPENS_WHAT_IS_THERE } from "../../sandbox/denial/granted_folders.ts";
import { withoutDenialOf } from "../../sandbox/policy/denied_paths.ts";
import type { Grants } from "../../sandbox/policy/policy.ts";
import { joinScopes } from "../../sandbox/policy/scopes.ts";
import type { ToolProcesses } from "./tool_processes.ts";

/** The policy in force and the processes that run under it, as grants change them. */
export interface ActivePolicy {
  readonly current: () => ToolProcesses;
  readonly granted: () => readonly Denial[];
  /** Runs a call under the policy in force; a denial in its result is one that a grant can lift. */
  readonly run: (tool: Tool, args: JsonObject, options: CallOptions) => Promise<ToolResult>;
  /** Runs a call under one more grant, which applies to this call alone. Rejects as `grant` throws. */
  readonly runOnce: (denial: Denial, tool: Tool, args: JsonObject, options: CallOptions) => Promise<ToolResult>;
  /**
   * Makes a denial's grant part of the policy until the session ends. Calls under way, and commands in the background,
   * end under the policy that they started with. Rejects with UserError for one that is not, or no longer, to be had.
   */
  readonly grant: (denial: Denial) => Promise<void>;
  /** What the user is told about a denial under the policy in force; undefined if that policy did not deny it. */
  readonly told: (claim: DenialClaim) => Promise<ToldDenial | undefined>;
  /** What was granted is kept for the project: sessions that this one is left for have it too. */
  readonly keep: (denial: Denial) => void;
  /** Another session begins: of what was granted only that holds which is kept for the project. Nothing is held any more. */
  readonly beginSession: () => void;
  /**
   * From now on a narrower policy holds, until `release`. No question widens what it writes or reaches; what is granted
   * meanwhile ends with it. Nothing happens where one is held already.
   */
  readonly hold: (narrow: Narrow) => void;
  /** The policy that held before `hold` holds again: the same value, with the grants of then. */
  readonly release: () => void;
  /** What held before `hold`, as long as that lasts. */
  readonly before: () => HeldPolicy | undefined;
  /** Calls from now on can read these directories, too. */
  readonly allowReading: (folders: readonly string[]) => void;
  /** Starts new processes under the same policy: the existing ones have the old workspace folder mounted. */
  readonly renew: () => void;
  /** Goes on under another policy, without anything that was granted. Resolves when all processes of those before have ended. */
  readonly move: (policy: Policy) => Promise<void>;
  /** Ends all processes of all policies. */
  readonly close: () => Promise<void>;
}

/** Makes a narrower policy of one. */
type Narrow = (policy: Policy) => Policy;

/** What comes back when a narrower policy ends. */
export interface HeldPolicy {
  readonly policy: Policy;
  readonly active: readonly Tool[];
  readonly known: readonly Tool[];
  readonly granted: readonly Denial[];
}

/** What the model reads of a call that a narrower policy stopped. */
const HELD = "Only reading is possible until the user accepts the plan: go on without this, and end with the plan.";
const WHY_HELD = "only reading is possible until the plan is accepted";

/** What an active policy is made of. */
export interface ActivePolicyParts {
  readonly first: ToolProcesses;
  /** Starts what runs calls under a policy; for one tool alone where that is named. */
  readonly open: (policy: Policy, only?: Tool) => ToolProcesses;
  /** What command line, settings and project leave of a grant: shows whether there is any use in it. */
  readonly resolve: (grants: Grants) => Policy;
  /** Whether a grant may be had that command line and settings leave room for; without it, each of them. */
  readonly mayGrant?: (denial: Denial) => boolean;
  /** Of a sub-agent: why its task does not have what was denied, for the user. */
  readonly whyNarrow?: (claim: DenialClaim) => Promise<ToldReason>;
}

/** The modules that compute grants. */
type Lifting =
  & Pick<typeof import("../../sandbox/denial/grantable.ts"), "allows" | "grantable" | "startOption" | "whyClosed">
  & Pick<typeof import("../../sandbox/denial/widen.ts"), "grantedScopes" | "widen">;

let loaded: Lifting | undefined;

/** Loaded with the first denial: most sessions have none. */
async function lift(): Promise<Lifting> {
  return loaded ??= {
    ...await import("../../sandbox/denial/grantable.ts"),
    ...await import("../../sandbox/denial/widen.ts"),
  };
}

/** Keeps the processes of the policy that holds, and of those before it as long as calls or commands go on in them. */
export function openActivePolicy(
  { first, open, resolve, mayGrant = () => true, whyNarrow }: ActivePolicyParts,
): ActivePolicy {
  let start = first.policy;
  let current = first;
  let granted: readonly Denial[] = [];
  let kept: readonly Denial[] = [];
  const opened = new Set([first]);
  let closed = false;
  let held: (HeldPolicy & { readonly kept: readonly Denial[]; readonly narrow: Narrow }) | undefined;

  /** Whether a narrower policy took this away, which no grant gives back. */
  const isHeld = ({ kind }: DenialClaim): boolean => held !== undefined && (kind === "write" || kind === "net");

  /** What would lift a denial here and now, if anything does. */
  const offer = (
    { allows, grantable, grantedScopes }: Lifting,
    claim: DenialClaim,
    policy: Policy,
  ): Denial | undefined => {
    const denial = isHeld(claim) ? undefined : grantable(claim, policy, disk.realPath);
    if (denial === undefined || !mayGrant(denial)) return undefined;
    try {
      // Here shows what read-only sessions, denials of whole kinds and a project that narrows take away again.
      const resolved = resolve(grantedScopes(denial));
      const all = denial.kind === "write" ? [denial, { ...denial, kind: "read" as const }] : [denial];
      return all.every((part) => allows(resolved, part) && hasWhole(resolved, part)) ? denial : undefined;
    } catch (error) {
      if (error instanceof UserError) return undefined;
      throw error;
    }
  };

  /** For whoever is not asked: all that was denied, with its grant or why there is none. */
  const told = async (lifting: Lifting, claim: DenialClaim, policy: Policy): Promise<ToldDenial | undefined> => {
    if (isHeld(claim)) return { ...claim, why: WHY_HELD };
    const offered = offer(lifting, claim, policy);
    if (whyNarrow !== undefined) {
      const closed = offered ? undefined : lifting.whyClosed(claim, policy, disk.realPath);
      // Secrets and protected paths have their own reason, which holds for everybody.
      const isNarrowed = offered !== undefined || lifting.grantable(claim, policy, disk.realPath) !== undefined ||
        lifting.startOption(claim, policy, disk.realPath) !== undefined;
      if (isNarrowed) return { ...claim, ...await whyNarrow(claim) };
      return closed === undefined ? undefined : { ...claim, why: closed };
    }
    // In a trial the next run has another copy: what a person types is the workspace's path.
    const grant = offered && inWorkspace(offered.grant, policy);
    const why = offered ? undefined : lifting.whyClosed(claim, policy, disk.realPath);
    if (offered && grant) return { ...claim, ...offered, grant };
    if (why === undefined) return undefined;
    const option = lifting.startOption(claim, policy, disk.realPath);
    return { ...claim, why, ...(option === undefined ? {} : { option }) };
  };

  const openWider = (lifting: Lifting, denial: Denial, only?: Tool): ToolProcesses => {
    const { policy } = current;
    const now = offer(lifting, denial, policy);
    if (closed || now?.target !== denial.target || now.grant !== denial.grant) throw gone(denial);
    // What may be written is made by this program where it is missing: the kernel opens only what is there.
    const isFolder = denial.kind === "write" && denial.grant !== "*" && OPENS_WHAT_IS_THERE.includes(policy.sandbox);
    const why = isFolder ? makeGrantedFolder(denial.grant) : undefined;
    if (why !== undefined) throw unmade(denial, why);
    const processes = open(lifting.widen(policy, denial), only);
    opened.add(processes);
    return processes;
  };

  /** A narrower policy has tools of its own, or none of the name. */
  const toolUnder = (tool: Tool): Tool | undefined =>
    held ? current.known.find(({ name }) => name === tool.name) : tool;

  const runIn = async (
    processes: ToolProcesses,
    ...[tool, args, options]: Parameters<ActivePolicy["run"]>
  ): Promise<ToolResult> => {
    const result = await processes.run(tool, args, options);
    const { policy } = processes;
    const [claim, claims] = [claimIn(result.details), claimsIn(result.details)];
    if (!claim && claims.length === 0) return withDenial(withoutTold(result), undefined, []);
    const lifting = await lift();
    const offered = claim && offer(lifting, claim, policy);
    const isListed = claims.some(({ kind, target }) => kind === claim?.kind && target === claim.target);
    // A list is read alone: it holds what is asked about, too, however much was met before that.
    const isAlone = claims.length === 0 && offered && policy.copyOf === undefined && whyNarrow === undefined;
    const all = claim && !isListed && !isAlone ? [claim, ...claims] : claims;
    const list = (await Promise.all(all.map((one) => told(lifting, one, policy)))).filter((one) => one !== undefined);
    const said = [claim, ...claims].some((one) => one && isHeld(one)) ? withLine(result, HELD, true) : result;
    // What the policy does not confirm stands in the text alone, and there it is seen.
    return withDenial(list.length < all.length ? withoutTold(said) : said, offered, list);
  };

  const replace = (next: ToolProcesses): void => {
    const old = current;
    current = next;
    opened.add(next);
    // Running calls may take long: nobody waits for them, and `close` ends what is left.
    old.retire().catch(() => {});
  };

  const release = (): void => {
    if (!held || closed) return;
    const { policy } = held;
    ({ granted, kept } = held);
    held = undefined;
    replace(open(policy));
  };

  return {
    current: () => current,
    granted: () => granted,
    hold(narrow) {
      if (held || closed) return;
      const { policy, active, known } = current;
      held = { policy, active, known, granted, kept, narrow };
      replace(open(narrow(policy)));
    },
    release,
    before: () => held,
    run: async (tool, ...call) => {
      const own = toolUnder(tool);
      return own ? await runIn(current, own, ...call) : refused(tool);
    },
    runOnce: async (denial, tool, ...call) => {
      const own = toolUnder(tool);
      if (!own) return refused(tool);
      const processes = openWider(loaded ?? await lift(), denial, own);
      try {
        return await runIn(processes, own, ...call);
      } finally {
        await processes.close();
        opened.delete(processes);
      }
    },
    grant: async (denial) => {
      // Whoever has asked about a denial has it loaded: between an answer and its grant nothing else happens.
      replace(openWider(loaded ?? await lift(), denial));
      granted = [...granted, denial];
    },
    told: async (claim) => await told(await lift(), claim, current.policy),
    keep: (denial) => void (kept = [...kept, denial]),
    beginSession: () => {
      release();
      if (closed || granted.length === 0) return;
      const isLeft = granted.some((denial) => !kept.includes(denial));
      granted = [];
      // What was kept was granted first, and so is loaded.
      if (isLeft) replace(open(loaded ? kept.reduce(loaded.widen, start) : start));
    },
    allowReading: (folders) => {
      const wider = (policy: Policy): Policy => ({
        ...policy,
        read: joinScopes(policy.read, { all: false, list: folders }),
        denyRead: withoutDenialOf(policy.denyRead, folders, disk.listFolder),
      });
      if (closed) return;
      start = wider(start);
      if (held) held = { ...held, policy: wider(held.policy) };
      replace(open(wider(current.policy)));
    },
    renew: () => {
      if (!closed) replace(open(current.policy));
    },
    move: async (policy) => {
      const before = [...opened];
      start = policy;
      [granted, kept] = [[], []];
      current = open(policy);
      opened.add(current);
      if (held) {
        // It is the other policy that comes back, and meanwhile that is held as the one before was.
        const { active, known } = current;
        held = { policy, active, known, granted, kept, narrow: held.narrow };
        replace(open(held.narrow(policy)));
      }
      await Promise.all(before.map((processes) => processes.close()));
      before.forEach((processes) => opened.delete(processes));
    },
    close: async () => {
      closed = true;
      await allSettled(Array.from(opened, (processes) => processes.close()));
    },
  };
}

/** The denial in a result of `run`, which `run` itself put there. */
export function offeredIn({ details }: ToolResult): Denial | undefined {
  const claim = claimIn(details);
  const said = details?.["denial"];
  const grant = claim && typeof said === "object" && said !== null && "grant" in said ? said["grant"] : undefined;
  return claim && typeof grant === "string" ? { ...claim, grant } : undefined;
}

/** Every denial in a result of `run` that a grant would lift, each once. */
export function grantableIn(result: ToolResult): readonly Denial[] {
  const list = result.details?.["denials"];
  const all = Array.isArray(list) ? list.flatMap((one) => denialOf(one) ?? []) : [];
  const offered = offeredIn(result);
  const isListed = all.some(({ kind, target }) => kind === offered?.kind && target === offered.target);
  return offered && !isListed ? [...all, offered] : all;
}

function denialOf(value: JsonValue): Denial | undefined {
  const claim = claimOf(value);
  const grant = isObject(value) ? value["grant"] : undefined;
  return claim && typeof grant === "string" ? { kind: claim.kind, target: claim.target, grant } : undefined;
}

/** The workspace's path in place of its copy's. */
function inWorkspace(grant: string, { root, copyOf }: Policy): string {
  return copyOf !== undefined && isInside(grant, root) ? copyOf + grant.slice(root.length) : grant;
}

/** Whether all that a grant stands for is left of it, and not only what was denied this time. */
function hasWhole(policy: Policy, { kind, grant }: Denial): boolean {
  if (kind !== "read" && kind !== "write" && kind !== "net") return true;
  return grant === "*" ? policy[kind].all : kind === "net" || covers(policy[kind], grant);
}

/** The answer to a call of a tool that a narrower policy leaves nothing to do. */
function refused({ name }: Tool): ToolResult {
  return errorResult(`Denied: ${name}. ${HELD}`, { isDenied: true });
}

/** A result with one sentence more for the model; `isTold`: people are told of it as data, too, as of the lines before it. */
export function withLine(result: ToolResult, line: string, isTold = false): ToolResult {
  const { details } = result;
  const toldLines = details?.["toldLines"];
  const { [TOLD]: _, ...others } = details ?? {};
  return {
    ...result,
    content: [...result.content, { type: "text", text: `\n${line}` }],
    ...(details && typeof toldLines === "number"
      ? { details: isTold ? { ...others, [TOLD]: toldLines + 1 } : others }
      : {}),
  };
}

/** How many of a result's last lines tell of denials that its details have, too: a screen says each of them once. */
const TOLD = "toldLines";

function unmade({ target, grant }: Denial, why: string): UserError {
  return new UserError({
    what: `Cannot allow write for ${target}`,
    why: `its folder ${grant} cannot be made: ${why}`,
    fix: "Make the folder yourself, or allow another place",
  });
}

function gone({ kind, target }: Denial): UserError {
  return new UserError({
    what: `Cannot allow ${kind} for ${target}`,
    why: "no grant allows it, or the policy or the place has changed since it was denied",
    fix: `Start again with --allow-${kind}`,
  });
}
