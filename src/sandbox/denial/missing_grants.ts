import { dirname } from "@std/path";
import { isInside, type Policy, type Scope } from "../../core/policy.ts";
import { privateFolders } from "../policy/private_folders.ts";

/**
 * What of a scope opens nothing, because the kernel opens only what is there when a process starts; one sentence each.
 *
 * Deno's permissions are lexical: at the level `permissions` such a path works once it exists.
 *
 * @param exists Whether a path leads to anything.
 */
export function missingGrants(policy: Policy, exists: (path: string) => boolean): string[] {
  if (policy.sandbox === "permissions" || policy.sandbox === "off") return [];
  const missing = ({ all, list }: Scope): string[] => (all ? [] : list).filter((path) => !exists(path));
  const written = missing(policy.write);
  return [
    ...written.map((path) =>
      `Nothing is at ${path}, so its write grant opens nothing. ` +
      `Make it first, write ${path}/ to have a folder made, or give the folder around it (${dirname(path)}).`
    ),
    // What is written is read as well, and said once.
    ...missing(policy.read).filter((path) => !written.includes(path)).map((path) =>
      `Nothing is at ${path}, so its read grant opens nothing. Make it first.`
    ),
  ];
}

/**
 * The policy without what opens nothing in folders that are a command's own: what is written there would be in those, and
 * not where the grant says.
 */
export function withoutMissing(policy: Policy, exists: (path: string) => boolean): Policy {
  const own = privateFolders(policy);
  const there = ({ all, list }: Scope): Scope => ({
    all,
    list: list.filter((path) => !own.some((folder) => isInside(path, folder)) || exists(path)),
  });
  return { ...policy, read: there(policy.read), write: there(policy.write) };
}
