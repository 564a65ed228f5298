import { assertEquals } from "@std/assert";
import type { Denial } from "../../../src/core/event.ts";
import { describeDenial, type ShownDenial } from "../../../src/core/grant_option.ts";
import { describePolicy } from "../../../src/sandbox/policy/describe.ts";
import { makeWorld, worldPolicy } from "../confined_world.ts";

const CASES: readonly (readonly [Denial, ShownDenial])[] = [
  [{ kind: "read", target: "/srv/a", grant: "/srv/a" }, {
    denied: "read /srv/a",
    allows: "read /srv/a and all that is in it",
  }],
  [{ kind: "read", target: "/", grant: "*" }, { denied: "read /", allows: "read everything but secrets" }],
  [{ kind: "write", target: "/srv/a", grant: "/srv" }, {
    denied: "write /srv/a",
    allows: "read, change, make and delete everything in /srv",
  }],
  [{ kind: "run", target: "git", grant: "git" }, { denied: "run git", allows: "run git, in the same confinement" }],
  [{ kind: "net", target: "a.test:443", grant: "a.test:443" }, {
    denied: "connect to a.test:443",
    allows: "connect to a.test:443",
  }],
  [{ kind: "net", target: "*", grant: "*" }, { denied: "use the network", allows: "use all of the network" }],
  [{ kind: "read", target: "/a\u001b[2J\n\u202eb", grant: "/a\u001b[2J\n\u202eb" }, {
    denied: "read /a\\u{1b}[2J\\u{a}\\u{202e}b",
    allows: "read /a\\u{1b}[2J\\u{a}\\u{202e}b and all that is in it",
  }],
];

for (const [denial, shown] of CASES) {
  Deno.test(`describeDenial() shows ${JSON.stringify(denial.target)} (${denial.kind}) in harmless words R480`, () => {
    assertEquals(describeDenial(denial), shown);
  });
}

Deno.test("describePolicy() tells what was allowed on the way R477", () => {
  using world = makeWorld();
  const policy = worldPolicy(world, "kernel");
  const granted: readonly Denial[] = [{ kind: "read", target: "/srv/a", grant: "/srv/a" }];
  const more = describePolicy(policy, granted).filter((line) => !describePolicy(policy).includes(line));
  assertEquals(more, ["Allowed by the user in this session: read /srv/a and all that is in it."]);
});
