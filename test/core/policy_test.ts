import { isAbsolutePath } from "../../src/core/support/on_disk.ts";
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
  // Windows: every spelling of a path is that path, so that none of them leads around a denial.
  ...[
    ["C:\\Users\\ann\\.ssh\\id", true],
    ["c:/users/ANN/.SSH/id", true],
    ["C:\\Users\\ann\\.ssh. .\\id", true],
    ["C:\\Users\\ann\\.ssh::$INDEX_ALLOCATION\\id", true],
    ["\\\\?\\C:\\Users\\ann\\.ssh", true],
    ["\\\\.\\c:\\users\\ann\\.ssh\\id:stream", true],
    ["C:\\Users\\ann\\.ssh2\\id", false],
    ["C:\\Users\\ann", false],
    ["D:\\Users\\ann\\.ssh\\id", false],
    ["/Users/ann/.ssh/id", false],
  ].map(([path, is]) => ({ path: String(path), folder: "C:\\Users\\ann\\.ssh", is: is === true })),
  { path: "C:\\a", folder: "c:\\", is: true },
  { path: "D:\\a", folder: "c:\\", is: false },
  { path: "\\\\server\\share\\a", folder: "\\\\SERVER\\share", is: true },
  { path: "\\\\?\\UNC\\server\\share\\a", folder: "\\\\server\\share", is: true },
  { path: "\\\\server\\share2\\a", folder: "\\\\server\\share", is: false },
  { path: "relative\\a", folder: "relative", is: false },
];
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

Deno.test("coverage() and covers() say the same of paths of Windows, however they are written", () => {
  const name = fc.constantFrom("a", "B", "a.", "a b", "x:y");
  const path = fc.tuple(
    fc.constantFrom("C:", "c:", "D:", "\\\\?\\C:"),
    fc.array(name, { maxLength: 3 }),
    fc.constantFrom("\\", "/"),
  )
    .map(([drive, names, slash]) => `${drive}${slash}${names.join(slash)}`);
  fc.assert(
    fc.property(fc.array(path, { maxLength: 3 }), fc.array(path), (list, asked) => {
      const isCovered = coverage({ all: false, list });
      assertEquals(asked.map(isCovered), asked.map((one) => covers({ all: false, list }, one)));
      assertEquals(asked.map((one) => isInside(one.toUpperCase(), one.replaceAll("/", "\\"))), asked.map(() => true));
    }),
    { numRuns: 500 },
  );
});

Deno.test("isAbsolutePath() knows drives and other machines on Windows alone", () => {
  for (const path of ["C:\\Users\\me", "c:/x", "\\\\host\\share"]) {
    assertEquals([isAbsolutePath(path, "windows"), isAbsolutePath(path, "linux")], [true, false], path);
  }
  for (const os of ["windows", "darwin", "linux"] as const) {
    assertEquals(["/x", "x", "", "C:x"].map((path) => isAbsolutePath(path, os)), [true, false, false, false]);
  }
});
