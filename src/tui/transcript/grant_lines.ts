import { GRANT_KINDS, type GrantRequest } from "../../core/hook.ts";
import { cleanLine } from "../screen/foreign.ts";

/** What an extension may do with each kind of permission, in words. */
const VERBS = {
  read: "read",
  write: "write",
  net: "connect to",
  env: "see the variables",
  providers: "add to your models, each asked with the key in its variable:",
} as const;

/** What an extension asks for, one kind a line: `read docs/rules.md, notes`. */
export function grantLines({ wants }: Pick<GrantRequest, "wants">): readonly string[] {
  return GRANT_KINDS.flatMap((kind) => {
    const list = wants[kind] ?? [];
    return list.length === 0 ? [] : [`${VERBS[kind]} ${list.map(cleanLine).join(", ")}`];
  });
}
