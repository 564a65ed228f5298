import type { AgentEvent } from "../core/event.ts";
import { grantOption } from "../core/grant_option.ts";
import { textOf } from "../core/message.ts";
import { claimIn } from "../sandbox/denial_claim.ts";

/** How the sentences begin in which a result tells what the policy refused. */
const REFUSAL = /^(?:(?:Denied|Sandbox|NotCapable): )+(.*)$/m;

/**
 * One line for each distinct denial of a run, with its smallest grant: nobody can be asked there, and who reads the answer
 * alone should know what was not done. Undefined for an event that brings none.
 */
export function denialLines(): (event: AgentEvent) => string | undefined {
  const told = new Set<string>();
  return (event) => {
    if (event.type !== "tool_execution_end") return undefined;
    const line = lineOf(event);
    if (line === undefined || told.has(line)) return undefined;
    told.add(line);
    return line;
  };
}

function lineOf(
  { toolName, result: { details, content }, isError }: Extract<AgentEvent, { type: "tool_execution_end" }>,
): string | undefined {
  const claim = claimIn(details);
  const said = details?.["denial"];
  const grant = typeof said === "object" && said !== null && "grant" in said ? said["grant"] : undefined;
  if (claim && typeof grant === "string") {
    return `denied: ${claim.kind} ${claim.target}; ${grantOption(claim.kind, grant)} allows it`;
  }
  // No grant helps, or none is known.
  const isDenied = details?.["isDenied"] === true;
  if (!isDenied && !isError) return undefined;
  const why = REFUSAL.exec(textOf(content))?.[1];
  if (isDenied) return `denied in ${toolName}: ${why ?? "the sandbox refused something that it did"}`;
  // What commands print is their own.
  return toolName === "bash" || why === undefined ? undefined : `denied in ${toolName}: ${why}`;
}
