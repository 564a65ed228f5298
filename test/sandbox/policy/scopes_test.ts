import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { UserError } from "../../../src/core/error.ts";
import { covers, type Scope } from "../../../src/core/policy.ts";
import { pathReader, realFolder, realOf } from "../../../src/sandbox/policy/path_entry.ts";
import {
  EVERYTHING,
  intersectNames,
  intersectPaths,
  NOTHING,
  readScope,
  withoutDenied,
} from "../../../src/sandbox/policy/scopes.ts";

const same = (entry: string): readonly string[] => [entry];
const list = (...paths: string[]): Scope => ({ all: false, list: paths });

Deno.test("readScope() takes a bare flag and the root for everything, and nothing for nothing", () => {
  assertEquals([readScope(true, same), readScope(["/"], same), readScope(["/a", "/"], same)], [
    EVERYTHING,
    EVERYTHING,
    EVERYTHING,
  ]);
  assertEquals([readScope(false, same), readScope([], same)], [NOTHING, NOTHING]);
  assertEquals(readScope(["/a", "/a", "/b"], same), list("/a", "/b"));
  assertEquals(readScope(["x"], (entry) => [`/real/${entry}`, `/name/${entry}`]), list("/real/x", "/name/x"));
});

const path = fc.array(fc.constantFrom("a", "b", "c", "ab"), { maxLength: 4 }).map((names) => "/" + names.join("/"));
const scope: fc.Arbitrary<Scope> = fc.oneof(
  fc.constant(EVERYTHING),
  fc.array(path.filter((one) => one !== "/"), { maxLength: 4 }).map((paths) => list(...paths)),
);

Deno.test("intersectPaths() covers exactly what both cover", () => {
  fc.assert(fc.property(scope, scope, path, (a, b, at) => {
    assertEquals(covers(intersectPaths(a, b), at), covers(a, at) && covers(b, at));
  }));
});

Deno.test("intersectNames() keeps what both name, and withoutDenied() nothing that lies in a denial", () => {
  assertEquals(intersectNames(list("git", "npm"), list("npm", "deno")), list("npm"));
  assertEquals([intersectNames(EVERYTHING, list("a")), intersectNames(list("a"), EVERYTHING)], [list("a"), list("a")]);
  assertEquals(withoutDenied(list("/a", "/b/c", "/bc"), ["/b", "/a/x"]), list("/a", "/bc"));
  assertEquals(withoutDenied(EVERYTHING, ["/"]), NOTHING);
  assertEquals(withoutDenied(EVERYTHING, ["/b"]), EVERYTHING);
});

Deno.test("pathReader() reads a grant as the place that it leads to, and a denial as place and name", () => {
  const links: Readonly<Record<string, string>> = {
    "/": "/",
    "/w": "/real/w",
    "/w/door": "/out",
    "/h": "/h",
    "/real": "/real",
    "/out": "/out",
  };
  const reader = pathReader("/w", "/h", (at) => links[at]);
  for (const entry of ["door", "./x//../door/"]) assertThrows(() => reader.granted(entry), UserError, `"/out"`);
  assertEquals(reader.granted("/out"), ["/out"]);
  assertEquals(reader.denied("door"), ["/out", "/w/door"]);
  assertEquals(reader.granted("new/file"), ["/real/w/new/file"]);
  assertEquals([reader.granted("~"), reader.granted("~/a"), reader.granted("/")], [["/h"], ["/h/a"], ["/"]]);
  assertEquals(reader.granted("~a"), ["/real/w/~a"]);
  for (const entry of ["", "a\0b"]) {
    assertThrows(() => reader.granted(entry), UserError, "Cannot read a path of a scope");
    assertThrows(() => reader.denied(entry), UserError);
  }
});

Deno.test("realOf() and realFolder() go by the deepest folder that is there", () => {
  const real = (at: string): string | undefined => ({ "/a": "/b", "/": "/" })[at];
  assertEquals([realOf("/a/x/y", real), realOf("/z/y", real), realOf("/", () => undefined)], ["/b/x/y", "/z/y", "/"]);
  assertEquals(realFolder("/a", "workspace", real), "/b");
  assertThrows(() => realFolder("/z", "workspace", real), UserError, "Cannot use the workspace /z");
});
