import { assertEquals } from "@std/assert";
import { ToolError } from "../../../src/core/error.ts";
import type { Policy } from "../../../src/core/policy.ts";
import { fileScope } from "../../../src/runner/files/scope.ts";
import { policyFor, scope } from "../world.ts";

const POLICY = policyFor("/w", {
  read: scope("/w", "/lib"),
  write: scope("/w", "/tmp/own"),
  denyRead: ["/w/secret", "/w/asked", "/w/secret/asked", "/w/kept"],
  denyWrite: ["/w/fixed", "/lib/x", "/w/program"],
  deniedFor: { asked: ["/w/fixed", "/lib/x", "/w/asked", "/w/secret/asked"], own: ["/w/kept", "/w/program"] },
  protected: ["/w/.git/config", "/w/.envrc"],
});

/** The rule that a denial names; undefined where there is none. */
function rule(policy: Policy, access: "read" | "write", path: string, real?: string): string | undefined {
  try {
    fileScope(policy).check(access, path, real);
    return undefined;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return /outside the \w+ scope|\/proc, |--deny-\w+|secrets|program's own|protected|NUL/.exec(error.message)
      ?.[0] ?? error.message;
  }
}

const CASES: readonly (readonly ["read" | "write", string, string | undefined, string?])[] = [
  ["read", "/w/a", undefined],
  ["read", "/w", undefined],
  ["read", "/wa", "outside the read scope"],
  ["read", "/w/../etc/passwd", "outside the read scope", "/etc/passwd"],
  ["read", "/lib/x", undefined],
  ["write", "/lib/x", "--deny-write"],
  ["write", "/lib/y", "outside the write scope"],
  ["read", "/w/secret", "secrets"],
  ["read", "/w/SECRET/a", "secrets"],
  ["write", "/w/secret/a", "secrets"],
  ["read", "/w/secrets", undefined],
  ["read", "/w/asked/a", "--deny-read"],
  ["write", "/w/asked/a", "--deny-read"],
  ["read", "/w/secret/asked", "secrets"],
  ["read", "/w/kept/s", "program's own"],
  ["write", "/w/program", "program's own"],
  ["write", "/w/fixed/a", "--deny-write"],
  ["read", "/w/fixed/a", undefined],
  ["write", "/w/link", "--deny-write", "/w/fixed/a"],
  ["write", "/w/.git/config", "protected"],
  ["read", "/w/.git/config", undefined],
  ["write", "/w/.ENVRC", "protected"],
  ["write", "/w/.en\u200dvrc", "protected"],
  ["write", "/w/a/.git/hooks/x", "protected"],
  ["write", "/w/a/.git", "protected"],
  ["read", "/w/a/.git", undefined],
  ["write", "/w/.git/index", undefined],
  ["write", "/tmp/own/.git/config", "protected"],
  ["read", "/proc/self/environ", "/proc, "],
  ["read", "/w/link", "/proc, ", "/proc/1/mem"],
  ["read", "/process", "outside the read scope"],
  ["read", "/w/a\0b", "NUL"],
];
for (const [access, path, expected, real] of CASES) {
  Deno.test(`fileScope() ${access}s ${JSON.stringify(path)}${real ? ` at ${real}` : ""}: ${expected ?? "yes"}`, () =>
    assertEquals(rule(POLICY, access, path, real), expected));
}

Deno.test("fileScope() with everything granted still closes the kernel's file systems and what is denied", () => {
  const all = { ...POLICY, read: { all: true, list: [] }, write: { all: true, list: [] } };
  assertEquals(rule(all, "read", "/etc/passwd"), undefined);
  assertEquals(rule(all, "write", "/etc/passwd"), undefined);
  assertEquals(rule(all, "read", "/w/secret"), "secrets");
  assertEquals(rule(all, "read", "/sys/kernel"), "/proc, ");
  assertEquals(rule(all, "write", "/home/u/.git/config"), "protected");
});

Deno.test("fileScope() lets a workspace lie in shared memory, and nothing else of it", () => {
  const shared = policyFor("/dev/shm/w");
  assertEquals([rule(shared, "write", "/dev/shm/w/a"), rule(shared, "read", "/dev/shm/x")], [
    undefined,
    "/proc, ",
  ]);
});

Deno.test("fileScope() lets nothing be moved that holds what is denied or protected", () => {
  const { checkTree } = fileScope(POLICY);
  const refused = (path: string): boolean => {
    try {
      checkTree(path, path);
      return false;
    } catch (error) {
      return error instanceof ToolError;
    }
  };
  assertEquals(["/w", "/w/.git", "/w/.GIT", "/lib", "/w/kept", "/w/a"].map(refused), [
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
});

Deno.test("fileScope() knows folders in which no name needs a check of its own", () => {
  const { readsAll } = fileScope(POLICY);
  assertEquals(["/w/a", "/w", "/w/secret", "/w/secret/x", "/lib", "/etc", "/", "/proc"].map(readsAll), [
    ...[true, false, false, false, true, false, false, false],
  ]);
});
