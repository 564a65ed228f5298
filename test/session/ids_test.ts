import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { openAudit } from "../../src/session/audit.ts";
import { forkSession } from "../../src/session/fork.ts";
import { importSession } from "../../src/session/import.ts";
import { findSession, listSessions, newestSession } from "../../src/session/list.ts";
import { loadSession } from "../../src/session/load.ts";
import { createSession } from "../../src/session/store.ts";
import { openSession } from "../../src/session/reopen.ts";
import { inWorld, refusalOf, reply, said, user, type World, writeLines } from "./world.ts";

const AT = "2026-01-01T00:00:00.000Z";
const ENTRY = { type: "message", id: "a", parentId: null, timestamp: AT, message: user("hello") };

/** A session's file whose header holds an id that was written by somebody else. */
function written(world: World, id: unknown): string {
  const path = join(world.folder, "given.jsonl");
  writeLines(path, [{ type: "session", version: 3, id, timestamp: AT, cwd: "/w" }, ENTRY]);
  return path;
}

for (const id of ["../../x", "a/b", "..", ".hidden", "a\\b", "x\0y", "-x", "a b", "x".repeat(200), "a\n"]) {
  Deno.test(`a session file whose id is ${JSON.stringify(id).slice(0, 20)} is opened, forked and imported nowhere`, () => {
    inWorld((world) => {
      const path = written(world, id);
      const before = [...Deno.readDirSync(world.folder)].map(({ name }) => name);
      const uses = [
        () => openSession(path, world),
        () => loadSession(path),
        () => forkSession(path, { folder: world.folder }, world),
        () => importSession(path, world.folder, world),
      ];
      for (const use of uses) assertStringIncludes(refusalOf(use).why, "id");
      assertEquals(listSessions(world.folder), []);
      assertEquals([...Deno.readDirSync(world.folder)].map(({ name }) => name), before);
    });
  });
}

Deno.test("openAudit() makes no file from an id that is no session's", () => {
  inWorld((world) => refusalOf(() => openAudit(join(world.folder, "audit"), "../outside", world.now, () => {})));
});

function keep(world: World, id: string, modified: number): string {
  const session = createSession({ cwd: "/w", folder: world.folder, id }, world);
  session.append(said(user(id)));
  session.append(said(reply("answer")));
  session.close();
  Deno.utimeSync(session.path!, modified, modified);
  return session.path!;
}

function spoil(path: string): void {
  const modified = Deno.statSync(path).mtime!;
  Deno.writeTextFileSync(path, "x" + Deno.readTextFileSync(path));
  Deno.utimeSync(path, modified, modified);
}

Deno.test("a session whose first line is spoilt is told of: as the newest, in a list, and when it is named", () => {
  inWorld((world) => {
    const old = keep(world, "old-1", 1000);
    const path = keep(world, "new-1", 2000);
    assertEquals(newestSession(world.folder, "/w"), path);
    spoil(path);
    assertStringIncludes(refusalOf(() => newestSession(world.folder, "/w")).why, path);
    const told: string[] = [];
    assertEquals(listSessions(world.folder, (why) => told.push(why)).map((one) => one.id), ["old-1"]);
    assertEquals(told.length, 1);
    assertStringIncludes(told[0] ?? "", path);
    const found = findSession([world.folder], "new");
    assertEquals(found, path);
    assertStringIncludes(refusalOf(() => loadSession(found)).why, "header");
    // What is older than the newest sound one stands in nobody's way.
    Deno.utimeSync(old, 3000, 3000);
    assertEquals(newestSession(world.folder, "/w"), old);
  });
});

Deno.test("an empty file, in which nothing was said, is no spoilt session", () => {
  inWorld((world) => {
    const path = keep(world, "old-1", 1000);
    Deno.writeTextFileSync(join(world.folder, "empty.jsonl"), "");
    const told: string[] = [];
    assertEquals(listSessions(world.folder, (why) => told.push(why)).length, 1);
    assertEquals([newestSession(world.folder, "/w"), told], [path, []]);
  });
});
