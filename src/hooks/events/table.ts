import type { DecisionName, HookName } from "../../core/hook_events.ts";

/**
 * How the results of several handlers become one.
 *
 * `chain`: each gets what the one before left. `first`: the first that decides ends it. `collect`: all of them count.
 * `tell`: results do not count.
 */
export type Combining = "chain" | "first" | "collect" | "tell";

/**
 * What it means that a handler throws, gives nonsense, is too slow or is gone.
 *
 * `report`: it is named and passed over. `refuse`: what was asked does not happen. `withhold`: the model gets an error in
 * place of the result that nobody looked at.
 */
export type Failure = "report" | "refuse" | "withhold";

/** How one event is treated. */
export interface EventRule {
  readonly combining: Combining;
  readonly failure: Failure;
  /**
   * How long an extension's handlers of one event may take together, milliseconds; waiting for the person or for a program
   * that the host runs does not count.
   */
  readonly limitMs: number;
}

/** Unless the table says otherwise. */
const LIMIT_MS = 1000;

const DECISIONS: { readonly [N in DecisionName]: EventRule } = {
  input: { combining: "chain", failure: "report", limitMs: 5000 },
  before_agent_start: { combining: "chain", failure: "report", limitMs: 5000 },
  context: { combining: "chain", failure: "report", limitMs: LIMIT_MS },
  before_provider_request: { combining: "chain", failure: "report", limitMs: LIMIT_MS },
  before_provider_headers: { combining: "chain", failure: "report", limitMs: LIMIT_MS },
  tool_call: { combining: "first", failure: "refuse", limitMs: LIMIT_MS },
  tool_result: { combining: "chain", failure: "withhold", limitMs: LIMIT_MS },
  user_bash: { combining: "first", failure: "refuse", limitMs: LIMIT_MS },
  resources_discover: { combining: "collect", failure: "report", limitMs: LIMIT_MS },
  session_before_switch: { combining: "first", failure: "report", limitMs: LIMIT_MS },
  session_before_fork: { combining: "first", failure: "report", limitMs: LIMIT_MS },
  // A handler that writes the summary itself asks a model for it.
  session_before_compact: { combining: "first", failure: "report", limitMs: 60_000 },
  session_before_tree: { combining: "first", failure: "report", limitMs: 60_000 },
};

const TELL: EventRule = { combining: "tell", failure: "report", limitMs: LIMIT_MS };

/** Events that only tell. A name that is in neither list does not exist. */
const NOTICES = [
  ...["agent_start", "agent_end", "agent_settled", "turn_start", "turn_end", "prompt_compiled", "queue_update"],
  ...["bash_execution_update", "session_changed"],
  ...["message_start", "message_update", "message_end", "notice", "permission_request", "permission_decision"],
  ...["tool_execution_start", "tool_execution_update", "tool_execution_end", "auto_retry_start", "auto_retry_end"],
  ...["compaction_start", "compaction_end", "session_start", "session_shutdown", "session_info_changed"],
  ...["session_compact", "session_compact_failed", "session_tree", "model_select", "thinking_level_select"],
  ...["after_provider_response", "mcp_servers_change", "ui_prompt_start", "ui_prompt_end"],
] as const satisfies readonly HookName[];

type Missing = Exclude<HookName, DecisionName | typeof NOTICES[number]>;
// Does not compile while an event of the type table is in neither list.
const COMPLETE: [Missing] extends [never] ? true : Missing = true;

/** The one table: event → rule. */
export const EVENTS: ReadonlyMap<string, EventRule> = new Map(
  COMPLETE ? [...Object.entries(DECISIONS), ...NOTICES.map((name): [string, EventRule] => [name, TELL])] : [],
);

/** The rule of an event that exists. */
export function ruleOf(name: HookName): EventRule {
  return EVENTS.get(name) ?? TELL;
}

/** Whether a name is that of an event. */
export function isEvent(name: string): name is HookName {
  return EVENTS.has(name);
}
