import { grantOption } from "../../core/grant_option.ts";
import type { Denial, PermissionAnswer } from "../../core/event.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { cleanLine } from "../screen/foreign.ts";

const VERBS = { read: "read", write: "write", run: "run", net: "connect to" } as const;

/** What is said of an answer to a permission question once it holds. */
const DECISIONS: Readonly<Record<PermissionAnswer, string>> = {
  once: "Allowed once",
  session: "Allowed for this session",
  project: "Allowed for this project",
  no: "Not allowed",
};

/** What was refused, in words. */
export function deniedThing({ kind, target }: Pick<Denial, "kind" | "target">): string {
  return target === "*" ? `${VERBS[kind]} anything` : `${VERBS[kind]} ${cleanLine(target)}`;
}

/** A decision and what it is about; `denial`: that of its question, where that was heard. */
function decisionLine(answer: PermissionAnswer, denial: Denial | undefined): string {
  if (denial === undefined) return DECISIONS[answer];
  const how = answer === "no" ? "" : `, with ${grantOption(denial.kind, cleanLine(denial.grant))}`;
  return `${DECISIONS[answer]}: ${deniedThing(denial)}${how}`;
}

/** Questions about denials that were heard, by the calls that they are of. */
export interface HeardDenials {
  readonly ask: (request: { readonly id: string; readonly toolCallId: string; readonly denial: Denial }) => void;
  readonly decide: (id: string, answer: PermissionAnswer) => string;
  /** The call has ended: a line for each thing that it was denied, but for what was said when it was not allowed. */
  readonly end: (toolCallId: string, details: JsonObject | undefined) => string[];
}

/** None was heard yet. */
export function heardDenials(): HeardDenials {
  const asked = new Map<string, { readonly toolCallId: string; readonly denial: Denial; isRefused?: true }>();
  return {
    ask: ({ id, toolCallId, denial }) => void asked.set(id, { toolCallId, denial }),
    decide(id, answer) {
      const one = asked.get(id);
      if (one && answer === "no") one.isRefused = true;
      return decisionLine(answer, one?.denial);
    },
    end(toolCallId, details) {
      const own = [...asked].filter(([, one]) => one.toolCallId === toolCallId);
      for (const [id] of own) asked.delete(id);
      const told = own.flatMap(([, { denial, isRefused }]) => isRefused ? [denial] : []);
      return deniedLines(details, { told, isLive: true });
    },
  };
}

/**
 * A line for each thing that a call was denied, by its kind and its target.
 *
 * @param told Denials that are not repeated.
 * @param isLive Whether `/allow` can grant them: those of an earlier process are not in its list.
 */
export function deniedLines(
  details: JsonObject | undefined,
  { told = [], isLive = false }: { readonly told?: readonly Denial[]; readonly isLive?: boolean } = {},
): string[] {
  const list = details?.["denials"];
  const all = claims([...Array.isArray(list) ? list : [], details?.["denial"]]);
  const isSame = (one: Pick<Denial, "kind" | "target">, other: Pick<Denial, "kind" | "target">): boolean =>
    one.kind === other.kind && one.target === other.target;
  return all.flatMap((claim, at) => {
    if (told.some((one) => isSame(one, claim)) || all.findIndex((one) => isSame(one, claim)) < at) return [];
    const { kind, target, grant, why, times = 1 } = claim;
    const often = times > 1 ? ` (${times} times)` : "";
    const reason = grant === undefined && why !== undefined ? `: ${cleanLine(why)}` : "";
    const option = grant === undefined ? "" : grantOption(kind, cleanLine(grant));
    const how = grant === undefined ? "" : `. Allow it with ${isLive ? "/allow or " : ""}${cleanLine(option)}`;
    return [`Denied: ${deniedThing({ kind, target })}${often}${reason}${how}`];
  });
}

interface Claim {
  readonly kind: Denial["kind"];
  readonly target: string;
  readonly grant?: string;
  readonly why?: string;
  readonly times?: number;
}

function claims(list: readonly (JsonValue | undefined)[]): Claim[] {
  return list.flatMap((said) => {
    if (!isObject(said)) return [];
    const { kind, target, grant, why, times } = said;
    if (typeof kind !== "string" || !Object.hasOwn(VERBS, kind) || typeof target !== "string") return [];
    return [{
      kind: kind as Denial["kind"], // one of the table's
      target,
      ...(typeof grant === "string" ? { grant } : {}),
      ...(typeof why === "string" ? { why } : {}),
      ...(typeof times === "number" ? { times } : {}),
    }];
  });
}
