import { assertEquals, assertThrows } from "@std/assert";
import { UserError } from "../../../src/core/error.ts";
import type { SandboxLevel } from "../../../src/core/policy.ts";
import { intersectHosts, netScope } from "../../../src/sandbox/policy/program_scopes.ts";

const list = (...hosts: string[]) => ({ all: false, list: hosts });
const [ALL, NONE] = [{ all: true, list: [] }, list()];

Deno.test("netScope() gives a list in canonical form at kernel+ R470", () => {
  assertEquals(
    netScope(list("Example.com.", "example.com", "*.B.test:80"), NONE, "kernel+"),
    list("example.com", "*.b.test:80"),
  );
});

for (const level of ["kernel", "seatbelt", "permissions", "off"] satisfies SandboxLevel[]) {
  Deno.test(`netScope() refuses a list at ${level} with the reason`, () => {
    const error = assertThrows(
      () => netScope(list("example.com"), NONE, level),
      UserError,
      `here the sandbox is ${level}`,
    );
    assertEquals(error.exitCode, 3);
    assertEquals([netScope(ALL, NONE, level), netScope(NONE, NONE, level)], [ALL, NONE]);
  });
}

Deno.test("netScope() gives a list at kernel where the machine can hold it, and asks only for a list R470", () => {
  assertEquals(netScope(list("A.test"), NONE, "kernel", () => undefined), list("a.test"));
  const why = () => "Yama is in the way";
  assertThrows(() => netScope(list("a.test"), NONE, "kernel", why), UserError, "Yama is in the way");
  const never = (): string => {
    throw new Error("asked");
  };
  assertEquals([netScope(ALL, NONE, "kernel", never), netScope(NONE, NONE, "kernel", never)], [ALL, NONE]);
});

Deno.test("netScope() takes denials away and refuses those that would have to be cut out", () => {
  assertEquals(netScope(list("a.test", "b.test"), list("A.test"), "kernel+"), list("b.test"));
  assertEquals(netScope(list("x.a.test", "b.test:80"), list("*.a.test", "b.test"), "kernel"), NONE);
  assertEquals(netScope(list("a.test"), list("other.test"), "kernel+"), list("a.test"));
  assertEquals(netScope(ALL, ALL, "kernel+"), NONE);
  for (
    const [wanted, denied] of [[ALL, "a.test"], [list("*.a.test"), "x.a.test"], [list("a.test"), "a.test:22"]] as const
  ) {
    assertEquals(assertThrows(() => netScope(wanted, list(denied), "kernel+"), UserError).exitCode, 3);
  }
});

Deno.test("netScope() refuses what is no host as a wrong use", () => {
  assertEquals(assertThrows(() => netScope(list("https://a.test"), NONE, "kernel+"), UserError).exitCode, 2);
});

Deno.test("intersectHosts() narrows a wildcard to a name and a host to a port", () => {
  assertEquals(
    intersectHosts(list("*.a.test", "b.test"), list("x.a.test", "b.test:443", "c.test")),
    list("x.a.test", "b.test:443"),
  );
  assertEquals([intersectHosts(ALL, list("a.test")), intersectHosts(list("a.test"), ALL)], [
    list("a.test"),
    list("a.test"),
  ]);
});
