import type { AgentEvent, Denial } from "../../core/event.ts";
import { grantOption } from "../../core/grant_option.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { textOf } from "../../core/message.ts";
import { describeDenial } from "../../sandbox/policy/describe.ts";
import { claimOf } from "../../sandbox/denial/claim.ts";

/** How the sentences begin in which a result tells what the policy refused. */
const REFUSAL = /^(?:(?:Denied|Sandbox|NotCapable): )+(.*)$/gm;

type Ended = Extract<AgentEvent, { type: "tool_execution_end" }>;

/**
 * One line for each distinct denial of a run, with its smallest grant or why there is none, and for each thing that was
 * undone: nobody can be asked there, and who reads the answer alone should know what was not done.
 */
export function denialLines(): (event: AgentEvent) => string[] {
  const told = new Set<string>();
  return (event) => {
    const [of, whose] = event.type === "subagent_event" ? [event.event, `${event.agentId}: `] : [event, ""];
    if (of.type !== "tool_execution_end") return [];
    const fresh = linesOf(of).map((line) => whose + line).filter((line) => !told.has(line));
    for (const line of fresh) told.add(line);
    return fresh;
  };
}

/** The same for one call, repeated or not. */
export function linesOf(
  { toolName, result: { details, content }, isError }: Pick<Ended, "toolName" | "result" | "isError">,
): string[] {
  const known = [...denialsIn(details), ...notesIn(details).map((note) => `in ${toolName}: ${note}`)];
  if (known.length > 0) return known;
  // No grant helps, or none is known.
  const isDenied = details?.["isDenied"] === true;
  if (!isDenied && !isError) return [];
  // What commands print may begin as the sandbox's lines do: those come last.
  const why = [...textOf(content).matchAll(REFUSAL)].at(-1)?.[1];
  if (isDenied) return [`denied in ${toolName}: ${why ?? "the sandbox refused something that it did"}`];
  return toolName === "bash" || why === undefined ? [] : [`denied in ${toolName}: ${why}`];
}

function denialsIn(details: JsonObject | undefined): string[] {
  const list = details?.["denials"];
  const all = Array.isArray(list) && list.length > 0 ? list : [details?.["denial"]];
  return all.map(denialLine).filter((line) => line !== undefined);
}

function denialLine(said: JsonValue | undefined): string | undefined {
  const claim = claimOf(said);
  if (claim === undefined) return undefined;
  const [grant, why] = [textIn(said, "grant"), textIn(said, "why")];
  const denial: Denial = { ...claim, grant: grant ?? claim.target };
  const { denied } = describeDenial(denial);
  if (grant !== undefined) return `denied: ${denied}; ${grantOption(claim.kind, grant)} allows it`;
  return why === undefined ? undefined : `denied: ${denied}: ${why}`;
}

function notesIn(details: JsonObject | undefined): string[] {
  const notes = details?.["sandboxNotes"];
  return Array.isArray(notes) ? notes.filter((note) => typeof note === "string") : [];
}

function textIn(value: JsonValue | undefined, name: string): string | undefined {
  const text = isObject(value) ? value[name] : undefined;
  return typeof text === "string" ? text : undefined;
}
