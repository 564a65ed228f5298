import { assertEquals } from "@std/assert";
import type { JournalRecord } from "../../src/changes/journal_file.ts";
import type { Change, State } from "../../src/changes/states.ts";
import { momentsOf, redoPosition, wantedBefore } from "../../src/changes/undo_plan.ts";

const time = "2026-01-01T00:00:00.000Z";
const ABSENT: State = { kind: "absent" };
const file = (content: string): State => ({ kind: "file", mode: 0o644, size: 1, stamp: content, content });
const change = (path: string, before: State, after: State): Change => ({ path, before, after });
const prompt = (entryId: string): JournalRecord => ({ type: "prompt", entryId, time });
const calls = (...changes: Change[]): JournalRecord => ({ type: "look", of: "calls", calls: [], time, changes });
const outside = (...changes: Change[]): JournalRecord => ({ type: "look", of: "outside", calls: [], time, changes });
const undo = (to: number): JournalRecord => ({ type: "undo", to, time, changes: [] });

const [A, B] = [change("/a", ABSENT, file("1")), change("/b", ABSENT, file("2"))];

const REDO: readonly (readonly [name: string, records: readonly JournalRecord[], position: number | undefined])[] = [
  ["nothing was undone", [prompt("p"), calls(A)], undefined],
  ["one undo", [prompt("p"), calls(A), undo(0)], 2],
  ["two undos: the last", [prompt("p"), calls(A), prompt("q"), calls(B), undo(2), undo(0)], 5],
  ["two undos and a redo: the first", [prompt("p"), calls(A), prompt("q"), calls(B), undo(2), undo(0), undo(5)], 4],
  ["as many redos as undos", [prompt("p"), calls(A), undo(0), undo(2)], undefined],
  ["a redo of both at once", [prompt("p"), calls(A), prompt("q"), calls(B), undo(2), undo(0), undo(4)], undefined],
  ["an undo of what was redone", [prompt("p"), calls(A), undo(0), undo(2), undo(0)], 4],
  ["calls changed files since", [prompt("p"), calls(A), undo(0), prompt("q"), calls(B)], undefined],
  ["somebody else did, or a prompt alone came", [prompt("p"), calls(A), undo(0), prompt("q"), outside(B)], 2],
];
for (const [name, records, position] of REDO) {
  Deno.test(`redoPosition(): ${name}`, () => assertEquals(redoPosition(records), position));
}

Deno.test("momentsOf() counts the session's files and somebody else's apart, folders not", () => {
  const folder = change("/f", ABSENT, { kind: "folder", mode: 0o755 });
  const records = [prompt("p"), outside(A), prompt("q"), calls(A, B, folder), calls(A), outside(A), undo(2)];
  assertEquals(
    momentsOf(records).map(({ kind, files, outside, isUndone }) => [kind, files, outside, isUndone]),
    [["prompt", 0, 1, false], ["prompt", 2, 1, true], ["undo", 0, 0, false]],
  );
});

Deno.test("wantedBefore() wants what was there before the session, knows who came after it, and leaves what only others did", () => {
  const [one, two, three] = [file("1"), file("2"), file("3")];
  const records = [
    prompt("p"),
    outside(change("/a", one, two)),
    calls(change("/a", two, three)),
    outside(change("/a", three, one), change("/only", ABSENT, one)),
  ];
  assertEquals(
    [...wantedBefore(records, 0)].map(([path, { want, expect, isForeign }]) => [path, want, expect, isForeign]),
    [
      ["/a", two, one, true],
    ],
  );
});
