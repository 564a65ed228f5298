import type { PlanEntry } from "@agentclientprotocol/sdk";
import * as z from "zod/mini";
import type { JsonObject } from "../../core/json.ts";

const entries = z.array(z.object({
  content: z.string(),
  status: z.enum(["pending", "in_progress", "completed"]),
  priority: z._default(z.enum(["high", "medium", "low"]), "medium"),
}));

/**
 * The plan in a tool's result: whatever tool keeps one gives all of it each time as `details.plan`, a list of
 * `{content, status, priority?}` (X22). Undefined for results without one.
 */
export function planIn(details: JsonObject | undefined): PlanEntry[] | undefined {
  return entries.safeParse(details?.["plan"]).data;
}
