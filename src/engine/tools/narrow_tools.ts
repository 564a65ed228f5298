import type { Denial } from "../../core/event.ts";
import { grants, type Policy } from "../../core/policy.ts";
import type { Tool } from "../../core/tool.ts";
import type { Grants } from "../../sandbox/policy/policy.ts";
import type { DenialClaim, ToldReason } from "../../sandbox/denial/claim.ts";
import { BACKGROUND_TOOLS, toolsUnder } from "../../../tools/mod.ts";
import { openActivePolicy } from "./active_policy.ts";
import { type Asker, runWithApproval } from "./approval.ts";
import { backgroundCommands } from "./background_commands.ts";
import { openToolProcesses, type ToolGround, type ToolProcesses } from "./tool_processes.ts";
import type { ToolsHost } from "./tools_host.ts";

/** What of a host of tools others are opened with. */
export interface ToolsBase {
  readonly ground: Pick<ToolGround, "self" | "cache">;
  /** What command line, settings and project leave of a grant. */
  readonly resolve: (grants: Grants) => Policy;
}

/** What narrower tools are opened with. */
export interface NarrowTools {
  /** Never wider than that of the tools beside which they are opened. */
  readonly policy: Policy;
  /** Names of the tools that there may be; those that the policy does not let work are left out. */
  readonly names: readonly string[];
  /** Answers denials; without it they are final. */
  readonly asker?: Asker;
  /** What no answer grants is refused here. */
  readonly mayGrant: (denial: Denial) => boolean;
  /** See `ActivePolicyParts`. */
  readonly whyNarrow: (claim: DenialClaim) => Promise<ToldReason>;
  /** Processes that have run before under a policy that is the same; they end with these tools unless `onEnd` keeps them. */
  readonly first?: ToolProcesses;
  /** Called once with the first processes, when nothing will be asked of them any more, in place of their end. */
  readonly onEnd?: (processes: ToolProcesses) => Promise<void>;
  /** Hears what the user has to know of commands, one line each. */
  readonly warn: (line: string) => void;
}

/** Tools under a narrower policy, in processes of their own. Nothing is started before the first request. */
export function openNarrowTools(
  { bundled, base }: { readonly bundled: ToolsHost["bundled"]; readonly base: ToolsBase },
  { policy, names, asker, mayGrant, whyNarrow, first, onEnd, warn }: NarrowTools,
): ToolsHost {
  const choose = (now: Policy): Pick<ToolProcesses, "active" | "known"> => {
    const works = (tool: Tool): boolean => tool.needs.every((need) => grants(now, need));
    // A command in the background can be looked at and ended by whoever may start one.
    const isNamed = ({ name }: Tool): boolean => names.includes(BACKGROUND_TOOLS.includes(name) ? "bash" : name);
    const tools = toolsUnder(now).filter((tool) => isNamed(tool) && works(tool));
    return { active: tools, known: tools };
  };
  const background = backgroundCommands();
  const ground: ToolGround = { ...base.ground, numbered: background.numbered, warn };
  const own = first ?? openToolProcesses(policy, choose(policy), ground);
  let [isOver, isRetired] = [false, false];
  const end = async (): Promise<void> => {
    // After a grant calls may go on in them: those are given to nobody.
    if (onEnd === undefined || isRetired) return await own.close();
    if (isOver) return;
    isOver = true;
    await onEnd(own);
  };
  const retire = async (): Promise<void> => {
    isRetired = true;
    await own.retire();
  };
  const activePolicy = openActivePolicy({
    first: { ...own, close: end, retire },
    open: (wider, only) => openToolProcesses(wider, only ? { active: [only], known: [only] } : choose(wider), ground),
    resolve: base.resolve,
    mayGrant,
    whyNarrow,
  });
  // What is allowed for the project is kept by whoever asks the person.
  const approved = asker && runWithApproval(activePolicy, { ...asker, record: () => {} });
  return {
    get policy() {
      return activePolicy.current().policy;
    },
    get active() {
      return activePolicy.current().active;
    },
    get known() {
      return activePolicy.current().known;
    },
    get granted() {
      return activePolicy.granted();
    },
    // Whoever started these tools plans, and what they may do is no more than what that may.
    held: undefined,
    holdToReading: () => {},
    foreign: [],
    notices: [],
    background,
    bundled,
    base,
    ...(approved ? { askFor: approved.askFor } : {}),
    run: approved ? approved.run : (tool, args, _callId, options) => activePolicy.run(tool, args, options),
    grant: activePolicy.grant,
    told: activePolicy.told,
    beginSession: () => {},
    // A trial begins and ends between runs, and these tools end with a run.
    takeConfig: () => {},
    move: () => Promise.reject(new Error("a sub-agent's tools stay where they are")),
    warmSoon: () => activePolicy.current().warmSoon(),
    prewarm: (tool) => activePolicy.current().prewarm(tool),
    close: activePolicy.close,
  };
}
