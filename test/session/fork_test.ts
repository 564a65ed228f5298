import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { buildContext } from "../../src/session/context.ts";
import { forkSession } from "../../src/session/fork.ts";
import { importSession } from "../../src/session/import.ts";
import { createSession } from "../../src/session/store.ts";
import { openSession } from "../../src/session/reopen.ts";
import { labelsOf } from "../../src/session/tree.ts";
import { inWorld, linesOf, refusalOf, reply, said, user, type World, writeLines } from "./world.ts";

function original(world: World) {
  const session = createSession({ cwd: "/w", folder: world.folder, id: "first" }, world);
  const a = session.append(said(user("a")));
  const b = session.append(said(reply("b")));
  const c = session.append(said(user("c")));
  session.append({ type: "label", targetId: c.id, label: "old" });
  session.branch(a.id);
  session.append(said(reply("other")));
  session.append({ type: "label", targetId: b.id, label: "good" });
  session.append({ type: "label", targetId: c.id });
  return { session, a, b, c };
}

Deno.test("forkSession() begins with the path to an entry and its labels, and leaves the original as it was R326", () => {
  inWorld((world) => {
    const { session, a, b, c } = original(world);
    const before = Deno.readFileSync(session.path!);
    const folder = join(world.folder, "forks");
    const fork = forkSession(session.path!, { entryId: c.id, folder, id: "second" }, world);
    assertEquals(fork.header.parentSession, session.path!);
    assertEquals(buildContext(fork).messages, [user("a"), reply("b"), user("c")]);
    assertEquals([...labelsOf(fork.entries())], [[b.id, "good"]]);
    fork.append(said(reply("d")));
    fork.close();
    assertEquals(Deno.readFileSync(session.path!), before);
    const again = openSession(fork.path!, world);
    assertEquals([again.entries(), world.notices], [fork.entries(), []]);
    assertEquals(again.pathTo().slice(0, 3).map(({ id }) => id), [a.id, b.id, c.id]);
    again.close();
    session.close();
  });
});

Deno.test("forkSession() can leave the entry out, take the leaf, copy an open session and stay in memory R326", () => {
  inWorld((world) => {
    const { session, c } = original(world);
    const before = forkSession(session, { entryId: c.id, isBefore: true, folder: world.folder, cwd: "/v" }, world);
    assertEquals([buildContext(before).messages, before.header.cwd], [[user("a"), reply("b")], "/v"]);
    const leaf = forkSession(session.path!, { folder: undefined }, world);
    assertEquals([buildContext(leaf).messages, leaf.path], [[user("a"), reply("other")], undefined]);
    const first = forkSession(
      session,
      { entryId: session.entries()[0]!.id, isBefore: true, folder: world.folder },
      world,
    );
    assertEquals([
      first.entries(),
      [...Deno.readDirSync(world.folder)].filter(({ name }) => name.endsWith(".jsonl")).length,
    ], [[], 2]);
    const error = refusalOf(() => forkSession(session, { entryId: "00000000x", folder: world.folder }, world));
    assertEquals(error.why, "the session has no such entry");
    for (const store of [before, leaf, first, session]) store.close();
  });
});

Deno.test("importSession() copies every branch of a file from anywhere, in format 3, and leaves the original as it was", () => {
  inWorld((world) => {
    const at = { timestamp: "2026-01-01T00:00:01.000Z" };
    const path = join(world.folder, "pi.jsonl");
    writeLines(path, [
      { type: "session", version: 2, id: "pi", ...at, cwd: "/w" },
      { type: "message", id: "1", parentId: null, ...at, message: user("a") },
      { type: "message", id: "2", parentId: "1", ...at, message: { role: "hologram", light: true } },
      { type: "usage", id: "3", parentId: "1", ...at, usage: { input: 1 } },
      {
        type: "message",
        id: "4",
        parentId: "3",
        ...at,
        message: { role: "hookMessage", customType: "x", content: "b", display: true, timestamp: 1 },
      },
    ]);
    const before = Deno.readFileSync(path);
    const to = importSession(path, join(world.folder, "own"), { ...world, cwd: "/v" });
    assertEquals(Deno.readFileSync(path), before);
    const [header, ...lines] = linesOf(to) as Record<string, unknown>[];
    assertEquals([header!["version"], header!["cwd"], header!["parentSession"]], [3, "/v", Deno.realPathSync(path)]);
    assertEquals(lines, [
      { type: "message", id: "1", parentId: null, ...at, message: user("a") },
      { type: "message", id: "2", parentId: "1", ...at, message: { role: "hologram", light: true } },
      { type: "usage", id: "3", parentId: "1", ...at, usage: { input: 1 } },
      {
        type: "message",
        id: "4",
        parentId: "3",
        ...at,
        message: { role: "custom", customType: "x", content: "b", display: true, timestamp: 1 },
      },
    ] as never);
    const session = openSession(to, world);
    assertEquals(buildContext(session).messages.map(({ role }) => role), ["user", "custom"]);
    session.close();
    assert(
      refusalOf(() => importSession(join(world.folder, "none.jsonl"), world.folder, world)).what.startsWith(
        "Cannot open",
      ),
    );
    assert(refusalOf(() => importSession(path, "/proc/nowhere", world)).what.startsWith("Cannot copy"));
  });
});
