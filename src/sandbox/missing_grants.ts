import { dirname } from "@std/path";
import type { Policy } from "../core/policy.ts";

/**
 * What of a scope opens nothing, because the kernel opens only what is there when a process starts; one sentence each.
 *
 * Deno's permissions are lexical: at the level `permissions` such a path works once it exists.
 *
 * @param exists Whether a path leads to anything.
 */
export function missingGrants(policy: Policy, exists: (path: string) => boolean): string[] {
  if (policy.sandbox === "permissions" || policy.sandbox === "off") return [];
  return (["write", "read"] as const).flatMap((kind) => {
    const { all, list } = policy[kind];
    return (all ? [] : list).filter((path) => !exists(path)).map((path) => {
      const remedy = kind === "write" ? `Make it first, or give its folder (${dirname(path)})` : "Make it first";
      return `Nothing is at ${path}, so its ${kind} grant opens nothing. ${remedy}.`;
    });
  });
}
