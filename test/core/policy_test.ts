import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { coverage, covers, isInside } from "../../src/core/policy.ts";

const INSIDE = [
  { path: "/a/b", folder: "/a/b", is: true },
  { path: "/a/b/c", folder: "/a/b", is: true },
  { path: "/a/bc", folder: "/a/b", is: false },
  { path: "/a", folder: "/a/b", is: false },
  { path: "/a", folder: "/", is: true },
  { path: "/", folder: "/", is: true },
] as const;
for (const { path, folder, is } of INSIDE) {
  Deno.test(`isInside() ${path} ${is ? "lies" : "does not lie"} in ${folder}`, () => {
    assertEquals(isInside(path, folder), is);
  });
}

Deno.test("coverage() says of any path what covers() says", () => {
  const name = fc.constantFrom("a", "b", "ab", "a.b", "ü");
  const path = fc.array(name, { maxLength: 5 }).map((names) => `/${names.join("/")}`);
  fc.assert(
    fc.property(fc.boolean(), fc.array(path, { maxLength: 4 }), fc.array(path), (all, list, asked) => {
      const isCovered = coverage({ all, list });
      assertEquals(asked.map(isCovered), asked.map((one) => covers({ all, list }, one)));
    }),
    { numRuns: 2000 },
  );
});
