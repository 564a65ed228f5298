import type { Policy, Scope } from "../core/policy.ts";

/** Whether this process itself may do something; anything but a plain yes is a no. */
export function mayHost(descriptor: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(descriptor).state === "granted";
}

/**
 * A policy cut down to what this process itself may do, where the tools run inside it (R465, R477).
 *
 * Under `deno run --allow-read=.` the system paths of the default scope are not the process's to give, and without write
 * permission there is no write scope: the tools that need one are then off.
 */
export function withinHost(policy: Policy): Policy {
  if (policy.sandbox !== "permissions") return policy;
  return {
    ...policy,
    read: within(policy.read, "read", policy.root),
    write: within(policy.write, "write", policy.root),
  };
}

function within(scope: Scope, name: "read" | "write", root: string): Scope {
  if (mayHost({ name })) return scope;
  const wanted = scope.all ? [root] : scope.list;
  return { all: false, list: wanted.filter((path) => mayHost({ name, path })) };
}
