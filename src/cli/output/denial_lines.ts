import type { AgentEvent, Denial } from "../../core/event.ts";
import { describeDenial, grantOption } from "../../core/grant_option.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { textOf } from "../../core/message.ts";
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
    if (of.type !== "tool_execution_end" && of.type !== "tool_call_rejected") return [];
    // Of a run each thing is told once, and how often it was is told at the end.
    const lines = of.type === "tool_execution_end" ? linesOf(of, false) : blockedLines(of);
    const fresh = lines.map((line) => whose + line).filter((line) => !told.has(line));
    for (const line of fresh) told.add(line);
    return fresh;
  };
}

function blockedLines({ toolName, by, reason }: Extract<AgentEvent, { type: "tool_call_rejected" }>): string[] {
  return by === "extension" ? [`an extension blocked a call of ${toolName}: ${reason}`] : [];
}

/** Something that the policy refused to a call. */
export interface Refusal {
  /** With the target: what was asked for, where that is known. */
  readonly kind?: Denial["kind"];
  readonly target?: string;
  readonly why: string;
  /** The option that allows it, where one is known. */
  readonly grant?: string;
}

/** All that the policy refused to a call, one at least where it was denied; empty where it was not. */
export function refusalsIn(
  ended: Pick<Ended, "toolName" | "result" | "isError">,
): readonly Refusal[] {
  const { toolName, result: { details, content }, isError } = ended;
  const isDenied = details?.["isDenied"] === true;
  const known = saidIn(details).flatMap((said): Refusal[] => {
    const { kind, target } = claimOf(said) ?? {};
    if (kind === undefined || target === undefined) return [];
    const claim = { kind, target };
    const [grant, why] = [textIn(said, "grant"), textIn(said, "why")];
    if (grant !== undefined) return [{ ...claim, why: NOT_GRANTED[claim.kind], grant: grantOption(claim.kind, grant) }];
    const option = textIn(said, "option");
    return [{ ...claim, why: why ?? REFUSED, ...(option === undefined ? {} : { grant: option }) }];
  });
  const isRefusal = isError && toolName !== "bash" && FILE_REFUSAL.test(textOf(content));
  if (known.length === 0 && !isDenied && !isRefusal) return [];
  const all = [...known, ...notesIn(details).map((why) => ({ why }))];
  return all.length > 0 ? all : [{ why: reasonIn(ended) ?? REFUSED }];
}

/** How the refusals of a file tool begin. */
const FILE_REFUSAL = /^(?:Denied|NotCapable|PermissionDenied): /;

const REFUSED = "the sandbox refused something that it did";

/** Why something was refused that a grant allows. */
const NOT_GRANTED = {
  read: "it is outside the read scope",
  write: "it is outside the write scope",
  run: "it is none of the programs that may run",
  net: "it is not in the network scope",
} as const satisfies Readonly<Record<Denial["kind"], string>>;

/** The same for one call, repeated or not; `isCounted`: with how often each thing was denied. */
export function linesOf(
  ended: Pick<Ended, "toolName" | "result" | "isError">,
  isCounted = true,
): string[] {
  const { toolName, result: { details }, isError } = ended;
  const known = [...denialsIn(details, isCounted), ...notesIn(details).map((note) => `in ${toolName}: ${note}`)];
  if (known.length > 0) return known;
  // No grant helps, or none is known.
  const isDenied = details?.["isDenied"] === true;
  if (!isDenied && !isError) return [];
  const why = reasonIn(ended);
  if (isDenied) return [`denied in ${toolName}: ${why ?? REFUSED}`];
  return toolName === "bash" || why === undefined ? [] : [`denied in ${toolName}: ${why}`];
}

/** What the model reads about the user, as that person reads it. */
const TO_PERSON: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\b([Oo])nly the user can\b/g, "$1nly you can"],
  [/\bdenied by the user\b/g, "denied by you"],
  [/\bThe user has to make such a change\b/g, "You have to make such a change"],
  [/\bAsk the user to run this command\b/g, "Run this command yourself"],
  [/\bthe user accepts the plan\b/g, "you accept the plan"],
  [/, the user's too, /g, ", yours too, "],
  [/; the user's own ~/g, "; your own ~"],
];

function toPerson(text: string): string {
  return TO_PERSON.reduce((said, [words, instead]) => said.replace(words, instead), text);
}

/** The last refusal that a result's text tells of: what commands print may begin as the sandbox's lines do, which come last. */
function reasonIn({ result: { content } }: Pick<Ended, "result">): string | undefined {
  const said = [...textOf(content).matchAll(REFUSAL)].at(-1)?.[1];
  return said && toPerson(said);
}

function denialsIn(details: JsonObject | undefined, isCounted: boolean): string[] {
  return saidIn(details).flatMap((said) => {
    const line = denialLine(said);
    const times = isCounted ? claimOf(said)?.times : undefined;
    return line === undefined ? [] : [times === undefined ? line : `${line} (${times} times)`];
  });
}

function saidIn(details: JsonObject | undefined): readonly (JsonValue | undefined)[] {
  const list = details?.["denials"];
  return Array.isArray(list) && list.length > 0 ? list : [details?.["denial"]];
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
  return Array.isArray(notes) ? notes.filter((note) => typeof note === "string").map(toPerson) : [];
}

function textIn(value: JsonValue | undefined, name: string): string | undefined {
  const text = isObject(value) ? value[name] : undefined;
  return typeof text === "string" ? text : undefined;
}
