import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { isInside } from "../../../src/core/policy.ts";
import { outermost } from "../../../src/sandbox/policy/readable.ts";

const CASES = [
  { name: "keeps order and drops what is inside another", paths: ["/b/c", "/a", "/b", "/a/x"], left: ["/a", "/b"] },
  { name: "drops what is there twice", paths: ["/a", "/a"], left: ["/a"] },
  { name: "keeps a name that only begins alike", paths: ["/usr", "/usr2", "/usr/bin"], left: ["/usr", "/usr2"] },
  { name: "lets the root take everything", paths: ["/a", "/", "/b/c"], left: ["/"] },
] as const;
for (const { name, paths, left } of CASES) {
  Deno.test(`outermost() ${name} R451`, () => assertEquals(outermost(paths), [...left]));
}

Deno.test("outermost() keeps exactly the paths that lie in no other R451", () => {
  const path = fc.array(fc.constantFrom("a", "b", "ab"), { maxLength: 4 }).map((names) => "/" + names.join("/"));
  fc.assert(fc.property(fc.array(path, { maxLength: 12 }), (paths) => {
    const list = [...new Set(paths)];
    const left = list.filter((path) => !list.some((other) => other !== path && isInside(path, other)));
    assertEquals(outermost(paths), left);
  }));
});
