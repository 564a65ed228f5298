import type { AgentEvent } from "../../core/event.ts";

/** Tells the name of a tool as soon as a reply begins to call it: long before the arguments are there. */
export function foreseeCalls(event: AgentEvent, foresee: (tool: string) => void): void {
  if (event.type !== "message_update" || event.assistantMessageEvent.type !== "toolcall_delta") return;
  const { name } = event.assistantMessageEvent;
  if (name !== undefined) foresee(name);
}
