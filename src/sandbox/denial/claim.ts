import type { Denial } from "../../core/event.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { ToolResult } from "../../core/tool_result.ts";

/**
 * A denial as a tool's result claims it. Anyone may claim one, an untrusted runner too: which grant lifts it is decided
 * in grantable.ts.
 */
export interface DenialClaim extends Pick<Denial, "kind" | "target"> {
  /** How often in one call; absent for once, and where nobody counted. */
  readonly times?: number;
}

/** What a command met of the policy. It stays in the host and is shown to people, never to the model. */
export interface Met {
  /** What a person is asked about, where a grant could help. */
  readonly denial?: DenialClaim;
  /** All that was denied, one after the other; what no grant opens is among it. */
  readonly denials?: readonly DenialClaim[];
  /** Lines about what was undone, or refused for good. */
  readonly sandboxNotes?: readonly string[];
  /** Hosts of the network's list that it connected to. */
  readonly reached?: readonly string[];
  /** Whether it met anything of the policy. */
  readonly isDenied?: true;
}

/** Most distinct denials that are kept of one call. */
export const MOST_DENIALS = 20;

/** Longest target, UTF-16 units: PATH_MAX. */
const LONGEST = 4096;

const KINDS: readonly Denial["kind"][] = ["read", "write", "run", "net"];

/** The claim in a result's details; undefined where there is none, or none of the right shape. */
export function claimIn(details: JsonObject | undefined): DenialClaim | undefined {
  return claimOf(details?.["denial"]);
}

/** The list of claims in a result's details, each once; see Met. */
export function claimsIn(details: JsonObject | undefined): DenialClaim[] {
  const list = details?.["denials"];
  const claims = Array.isArray(list) ? list.slice(0, MOST_DENIALS).map(claimOf) : [];
  return distinctClaims(claims.filter((claim) => claim !== undefined));
}

/** The first few of some claims, each once. */
export function distinctClaims(claims: readonly DenialClaim[]): DenialClaim[] {
  const distinct = new Map<string, DenialClaim>();
  for (const claim of claims) {
    const { kind, target, times = 1 } = claim;
    const key = `${kind} ${target}`;
    // The same one may be named twice, as what is asked about and in the list.
    if (times >= (distinct.get(key)?.times ?? 1)) distinct.set(key, { kind, target, ...(times > 1 ? { times } : {}) });
  }
  return [...distinct.values()].slice(0, MOST_DENIALS);
}

/** The claim that a value is; undefined where it is none. */
export function claimOf(claim: JsonValue | undefined): DenialClaim | undefined {
  if (!isObject(claim)) return undefined;
  const { target } = claim;
  const kind = KINDS.find((known) => known === claim["kind"]);
  if (kind === undefined || typeof target !== "string" || target === "" || target.length > LONGEST) return undefined;
  const times = claim["times"];
  return { kind, target, ...(typeof times === "number" && times > 1 ? { times: Math.floor(times) } : {}) };
}

/** A result whose details say this of denials, and nothing else of any. `denials`: see Met; left out where empty. */
export function withDenial(
  result: ToolResult,
  denial: DenialClaim | Denial | undefined,
  denials: readonly (DenialClaim | ToldDenial)[] = [],
): ToolResult {
  const { details, ...bare } = result;
  const isSilent = details === undefined || !("denial" in details || "denials" in details);
  if (denial === undefined && denials.length === 0 && isSilent) return result;
  const { denial: _one, denials: _all, ...rest } = details ?? {};
  const said: JsonObject = {
    ...rest,
    ...(denial === undefined ? {} : { denial: { ...denial } }),
    ...(denials.length === 0 ? {} : { denials: denials.map((one) => ({ ...one })) }),
  };
  return Object.keys(said).length === 0 ? bare : { ...bare, details: said };
}

/** A denial as a person is told of it: with the grant that lifts it, or why none does and which option would at a start. */
export type ToldDenial = DenialClaim & ({ readonly grant: string } | ToldReason);

/** Why no grant lifts a denial, and the option that would allow it at the next start, if one does. */
export interface ToldReason {
  readonly why: string;
  readonly option?: string;
}
