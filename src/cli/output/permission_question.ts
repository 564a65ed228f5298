import type { AskPermission } from "../../core/engine.ts";
import type { Denial } from "../../core/event.ts";
import { oneLine } from "../../session/view/visible_text.ts";

/** The question of a permission prompt in one line: whose call, what it wants, and what a yes would allow. */
export function permissionQuestion(
  { toolName, denial, agentId, agentDescription = "" }: Omit<Parameters<AskPermission>[0], "id">,
): string {
  return questionOf(whose(toolName, agentId, agentDescription), denial);
}

/** Whose call it is. The description is the model's: it stays short and on one line, where it cannot pass for the question. */
function whose(toolName: string, agentId: string | undefined, description: string): string {
  return agentId === undefined ? toolName : `${toolName} of sub-agent ${agentId} ("${oneLine(description, 60)}")`;
}

function questionOf(toolName: string, { kind, target, grant }: Denial): string {
  const what = { read: "read", write: "write", run: "run", net: "reach" }[kind];
  const wider = grant === target ? "" : ` (allows ${grant === "*" ? "everything of this kind" : grant})`;
  return `${toolName} wants to ${what} ${target}${wider}`;
}
