import type { HookName } from "../core/hook_events.ts";

/** Events that come before the first request of a session is out, or may: who listens to one is needed at once. */
const EARLY: ReadonlySet<HookName> = new Set<HookName>([
  ...["input", "before_agent_start", "context", "before_provider_request", "before_provider_headers"] as const,
  ...["resources_discover", "session_start", "model_select", "mcp_servers_change", "notice"] as const,
  ...["agent_start", "turn_start", "prompt_compiled", "message_start", "message_end"] as const,
]);

/** Whether a list of events has one that comes before the first request. */
export function isNeededEarly(events: readonly HookName[]): boolean {
  return events.some((name) => EARLY.has(name));
}
