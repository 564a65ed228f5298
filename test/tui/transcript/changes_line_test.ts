import { assertEquals } from "@std/assert";
import type { ChangeSet } from "../../../src/core/changes.ts";
import { changesLine } from "../../../src/tui/transcript/changes_line.ts";

const RUN: ChangeSet = { of: "run", calls: [], files: [], linesAdded: 0, linesRemoved: 0, counted: [], leftOut: [] };

Deno.test("changesLine() tells a run's files with the way back, and nothing of single calls or of a run that changed none", () => {
  const files = [
    { path: "a.ts", kind: "changed", thing: "file" },
    { path: "b\x1b[2J.ts", kind: "created", thing: "file" },
    { path: "d.ts", from: "c.ts", kind: "moved", thing: "file" },
  ] as const;
  const changed = { ...RUN, files, linesAdded: 3, linesRemoved: 1 };
  assertEquals(
    changesLine(changed),
    "3 files changed, +3 −1 lines: ~ a.ts, + b.ts, > c.ts → d.ts. /undo puts them back",
  );
  assertEquals([changesLine(RUN), changesLine({ ...changed, of: "calls" })], [undefined, undefined]);
  const many = { ...RUN, files: Array.from({ length: 12 }, (_, at) => ({ ...files[0], path: `${at}` })) };
  assertEquals(changesLine(many)?.includes("7 and 4 more"), true);
  const partly = { ...RUN, files: [files[0]], leftOut: [{ why: "too many files" }] };
  assertEquals(changesLine(partly), "1 file changed: ~ a.ts. Not all was seen: too many files. /undo puts it back");
});
