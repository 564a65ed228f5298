import type { Denial } from "../core/event.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import type { ToolResult } from "../core/tool.ts";

/** What somebody says was denied. Anybody may say so, the runner too: what grant lifts it is decided elsewhere. */
export type DenialClaim = Pick<Denial, "kind" | "target">;

/** Longest target, UTF-16 units: PATH_MAX. */
const LONGEST = 4096;

const KINDS: readonly Denial["kind"][] = ["read", "write", "run", "net"];

/** The claim in a result's details; undefined where there is none, or none of the right shape. */
export function claimIn(details: JsonObject | undefined): DenialClaim | undefined {
  const claim = details?.["denial"];
  if (!isObject(claim)) return undefined;
  const { target } = claim;
  const kind = KINDS.find((known) => known === claim["kind"]);
  if (kind === undefined || typeof target !== "string" || target === "" || target.length > LONGEST) return undefined;
  return { kind, target };
}

/** A result whose details say this of a denial, and nothing else of one. */
export function withDenial(result: ToolResult, denial: DenialClaim | Denial | undefined): ToolResult {
  const { details, ...bare } = result;
  if (denial === undefined && (details === undefined || !("denial" in details))) return result;
  const { denial: _said, ...rest } = details ?? {};
  const said: JsonObject = denial === undefined ? rest : { ...rest, denial: { ...denial } };
  return Object.keys(said).length === 0 ? bare : { ...bare, details: said };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
