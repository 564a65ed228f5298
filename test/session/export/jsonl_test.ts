import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { buildContext } from "../../../src/session/context.ts";
import { jsonlPieces } from "../../../src/session/export/jsonl.ts";
import { importSession } from "../../../src/session/import.ts";
import { loadSession } from "../../../src/session/load.ts";
import { openSession } from "../../../src/session/reopen.ts";
import { labelsOf } from "../../../src/session/tree.ts";
import { inWorld, linesOf, reply, said, user, type World, writeLines } from "../world.ts";
import { everyKind } from "./sample.ts";

function exported(world: World, path: string, allBranches: boolean): string {
  const to = join(world.folder, `exported ${allBranches}.jsonl`);
  Deno.writeTextFileSync(to, [...jsonlPieces(loadSession(path), allBranches, world)].join(""));
  return to;
}

for (const allBranches of [false, true]) {
  Deno.test(`jsonlPieces() ${allBranches ? "of every branch" : "of the path"}, imported, gives the same context R324`, () => {
    inWorld((world) => {
      const path = everyKind(world, "a text with \u001b[31m and </script>");
      const file = exported(world, path, allBranches);
      const imported = importSession(file, join(world.folder, "own"), { ...world, cwd: "/v" });
      const session = openSession(imported, world);
      try {
        const before = loadSession(path);
        const context = ({ entryIds: _ids, ...rest }: ReturnType<typeof buildContext>) => rest;
        assertEquals(context(buildContext(session)), context(buildContext(before.entries)));
        assertEquals(labelsOf(session.entries()), labelsOf(before.entries));
        assertEquals(session.header.cwd, "/v");
        session.append(said(user("on we go")));
      } finally {
        session.close();
      }
      assertEquals(world.failures, []);
    });
  });
}

Deno.test("jsonlPieces() of every branch is the file line by line, of the path it is that and nothing else", () => {
  inWorld((world) => {
    const path = everyKind(world, "x");
    assertEquals(linesOf(exported(world, path, true)), linesOf(path));
    const said = JSON.stringify(linesOf(exported(world, path, false)));
    assert(!said.includes("left x") && said.includes('"compaction"'));
  });
});

Deno.test("jsonlPieces() brings the labels along that were given on other branches, and keeps what it does not know", () => {
  inWorld((world) => {
    const at = { timestamp: "2026-01-01T00:00:00.000Z" };
    const path = join(world.folder, "a.jsonl");
    writeLines(path, [
      { type: "session", version: 3, id: "s", ...at, cwd: "/w" },
      { type: "message", id: "a", parentId: null, ...at, message: user("a") },
      { type: "message", id: "b", parentId: "a", ...at, message: reply("b") },
      { type: "label", id: "c", parentId: "b", ...at, targetId: "a", label: "start" },
      { type: "hologram", id: "d", parentId: "a", ...at, depth: 3 },
      { type: "message", id: "e", parentId: "d", ...at, message: user("e") },
    ]);
    const lines = linesOf(exported(world, path, false));
    assertEquals(lines.slice(0, 4), [0, 1, 4, 5].map((number) => linesOf(path)[number]));
    const [label, ...more] = lines.slice(4) as { [key: string]: unknown }[];
    assertEquals([more, { ...label, id: "" }], [
      [],
      { type: "label", id: "", parentId: "e", ...at, targetId: "a", label: "start" },
    ]);
  });
});
