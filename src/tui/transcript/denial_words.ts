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
  /** The call has ended: lines about what else it was denied. */
  readonly end: (toolCallId: string, details: JsonObject | undefined) => string[];
}

/** None was heard yet. */
export function heardDenials(): HeardDenials {
  const asked = new Map<string, { readonly toolCallId: string; readonly denial: Denial }>();
  return {
    ask: ({ id, toolCallId, denial }) => void asked.set(id, { toolCallId, denial }),
    decide: (id, answer) => decisionLine(answer, asked.get(id)?.denial),
    end(toolCallId, details) {
      const own = [...asked].filter(([, one]) => one.toolCallId === toolCallId);
      for (const [id] of own) asked.delete(id);
      return unaskedDenials(details, own.map(([, { denial }]) => denial));
    },
  };
}

/** What a call was denied that nobody was asked about: a question is about one thing alone. */
function unaskedDenials(details: JsonObject | undefined, asked: readonly Denial[]): string[] {
  const list = details?.["denials"];
  if (!Array.isArray(list)) return [];
  const said = [...asked, ...claims([details?.["denial"]])];
  return claims(list).flatMap(({ kind, target, grant, why }) => {
    if (said.some((one) => one.kind === kind && one.target === target)) return [];
    const how = grant === undefined ? why : `${grantOption(kind, cleanLine(grant))} allows it`;
    return [`Denied: ${deniedThing({ kind, target })}${how === undefined ? "" : `: ${cleanLine(how)}`}`];
  });
}

interface Claim {
  readonly kind: Denial["kind"];
  readonly target: string;
  readonly grant?: string;
  readonly why?: string;
}

function claims(list: readonly (JsonValue | undefined)[]): Claim[] {
  return list.flatMap((said) => {
    if (!isObject(said)) return [];
    const { kind, target, grant, why } = said;
    if (typeof kind !== "string" || !Object.hasOwn(VERBS, kind) || typeof target !== "string") return [];
    return [{
      kind: kind as Denial["kind"], // one of the table's
      target,
      ...(typeof grant === "string" ? { grant } : {}),
      ...(typeof why === "string" ? { why } : {}),
    }];
  });
}
