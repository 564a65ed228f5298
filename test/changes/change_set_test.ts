import { assertEquals } from "@std/assert";
import { changeSet } from "../../src/changes/change_set.ts";
import { type Change, shownIn, type State } from "../../src/changes/states.ts";

const FACTS = { of: "calls", calls: [], counted: [], leftOut: [] } as const;
const ABSENT: State = { kind: "absent" };
const FOLDER: State = { kind: "folder", mode: 0o755 };
/** As of TreeStatus: inode, size, times of content and of status. */
const file = (inode: number, content: string, changed = 1, mode = 0o644): State => ({
  kind: "file",
  mode,
  size: 3,
  stamp: `${inode}:3:1.0:${changed}.0`,
  content: `sha256:${content}`,
});

const CASES: readonly (readonly [name: string, changes: readonly Change[], files: readonly unknown[]])[] = [
  ["a new file", [{ path: "/ws/a", before: ABSENT, after: file(1, "a") }], [["a", "created", undefined]]],
  ["other bytes", [{ path: "/ws/a", before: file(1, "a"), after: file(1, "b", 2) }], [["a", "changed", undefined]]],
  ["other bits", [{ path: "/ws/a", before: file(1, "a"), after: file(1, "a", 2, 0o755) }], [["a", "mode", undefined]]],
  ["as it was, but for times", [{ path: "/ws/a", before: file(1, "a"), after: file(1, "a", 2) }], []],
  ["a file moved: the same inode", [
    { path: "/ws/a", before: file(1, "a"), after: ABSENT },
    { path: "/ws/b", before: ABSENT, after: file(1, "a", 2) },
  ], [["b", "moved", "a"]]],
  ["another file of the same content is not moved", [
    { path: "/ws/a", before: file(1, "a"), after: ABSENT },
    { path: "/ws/b", before: ABSENT, after: file(2, "a") },
  ], [["a", "deleted", undefined], ["b", "created", undefined]]],
  ["a folder stands for itself only where nothing in it is told", [
    { path: "/ws/d", before: ABSENT, after: FOLDER },
    { path: "/ws/d/a", before: ABSENT, after: file(1, "a") },
    { path: "/ws/empty", before: ABSENT, after: FOLDER },
  ], [["d/a", "created", undefined], ["empty", "created", undefined]]],
];
for (const [name, changes, files] of CASES) {
  Deno.test(`changeSet(): ${name}`, () => {
    assertEquals(changeSet(changes, "/ws", FACTS).files.map(({ path, kind, from }) => [path, kind, from]), [...files]);
  });
}

Deno.test("changeSet() says why what was there cannot be brought back", () => {
  const now = (before: State): Change => ({ path: "/ws/a", before, after: file(2, "b") });
  const why = (before: State) => changeSet([now(before)], "/ws", FACTS).files[0]?.notRestorable;
  assertEquals(
    [file(1, "a"), { kind: "unknown", why: "late" } as State, { kind: "other", mode: 0 } as State].map(why),
    [
      undefined,
      "late",
      "it was a device, socket or pipe",
    ],
  );
});

Deno.test("shownIn() shortens only what lies below the workspace", () => {
  assertEquals(["/ws/a", "/ws", "/wsx/a", "/ws/\xc3\xa9"].map((path) => shownIn("/ws", path)), [
    "a",
    "/ws",
    "/wsx/a",
    "é",
  ]);
});
