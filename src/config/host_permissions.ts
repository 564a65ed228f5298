import { join, resolve } from "@std/path";
import { UserError } from "../core/error.ts";
import type { Policy, Scope } from "../core/policy.ts";
import type { Config } from "./config.ts";
import { scopeValue } from "./options/parse.ts";

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

/**
 * Throws UserError for a scope on the command line that is wider than what this process itself may do, where the tools run
 * inside it (R465): less would be less than what was asked for.
 */
export function refuseWiderThanHost({ invocation, root, world }: Pick<Config, "invocation" | "root" | "world">): void {
  for (const name of ["read", "write"] as const) {
    const asked = scopeValue(invocation.values, `allow-${name}`);
    if (asked === undefined || mayHost({ name })) continue;
    const paths = asked === "all" ? [] : asked.map((entry) => resolve(root, entry.replace(/^~(?=\/|$)/, world.home)));
    const missing = paths.filter((path) => !mayHost({ name, path }));
    if (asked !== "all" && missing.length === 0) continue;
    throw new UserError({
      what: `Cannot allow the tools to ${name} ${missing[0] ?? "everything"}`,
      why: `Deno gave this program itself no ${name} permission for it`,
      fix:
        `Start the program with deno run --allow-${name}${
          missing.length > 0 ? `=${missing.join(",")}` : ""
        }, or omit ` +
        `its own option --allow-${name}`,
      exitCode: 3,
    });
  }
}

/**
 * Throws UserError if the worker of the tools could not load its code: from source it reads this repository.
 *
 * @param source The directory of the sources.
 */
export function requireReadableSource(source: string): void {
  if (Deno.build.standalone || mayHost({ name: "read", path: source })) return;
  throw new UserError({
    what: "Cannot start the tools",
    why: `Deno gave this program no permission to read its own source, ${join(source, "..")}`,
    fix: `Add that directory to deno run --allow-read=…, or switch the tools off with --no-tools`,
    exitCode: 3,
  });
}

/** What a person is told of a policy that is smaller than usual, because this process may do no more. */
export function hostNotices({ sandbox, read, write }: Policy): readonly string[] {
  if (sandbox !== "permissions") return [];
  const nothing = (scope: Scope): boolean => !scope.all && scope.list.length === 0;
  return [
    ...(nothing(write) && !mayHost({ name: "write" })
      ? ["Deno gave this program no permission to write, so its tools cannot write either"]
      : []),
    ...(nothing(read) && !mayHost({ name: "read" })
      ? ["Deno gave this program no permission to read the workspace, so its tools cannot read it either"]
      : []),
  ];
}

function within(scope: Scope, name: "read" | "write", root: string): Scope {
  if (mayHost({ name })) return scope;
  const wanted = scope.all ? [root] : scope.list;
  return { all: false, list: wanted.filter((path) => mayHost({ name, path })) };
}
