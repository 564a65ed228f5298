import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import type { NewEntry } from "../../src/core/session.ts";
import { buildContext } from "../../src/session/context.ts";
import { createSession, memorySession } from "../../src/session/store.ts";
import { openSession } from "../../src/session/reopen.ts";
import { inWorld, linesOf, refusalOf, reply, result, said, START, user, writeLines } from "./world.ts";

const call = { type: "toolCall", id: "c1", name: "read", arguments: { path: "a.ts" } } as const;

Deno.test("createSession() makes its file with the first user message, header first, 0600 in a folder 0700 R323 R325 R335", () => {
  inWorld((world) => {
    const folder = join(world.folder, "sessions", "--w--");
    const session = createSession({ cwd: "/w", folder, id: "s-1" }, world);
    const change = session.append({ type: "model_change", provider: "openai", modelId: "m" });
    assertEquals([...Deno.readDirSync(world.folder)], []);
    const first = session.append(said(user("hello")));
    const second = session.append(said(reply("hi")));
    const path = join(folder, "2026-03-07T08-00-00-000Z_s-1.jsonl");
    assertEquals(session.path, path);
    assertEquals(linesOf(path), [
      { type: "session", version: 3, sandpiper: 1, id: "s-1", timestamp: "2026-03-07T08:00:00.000Z", cwd: "/w" },
      { ...change },
      {
        type: "message",
        id: first.id,
        parentId: change.id,
        timestamp: first.timestamp,
        message: { role: "user", content: "hello", timestamp: START },
      },
      { ...second },
    ]);
    assertEquals([Deno.statSync(path).mode! & 0o777, Deno.statSync(folder).mode! & 0o777], [0o600, 0o700]);
    assertEquals([change.parentId, first.parentId, second.parentId], [null, change.id, first.id]);
    for (const { id } of session.entries()) assert(/^[0-9a-f]{8}$/.test(id), id);
    session.close();
    session.close();
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), [path.slice(folder.length + 1)]);
  });
});

Deno.test("createSession() leaves no file when nothing was said", () => {
  inWorld((world) => {
    const session = createSession({ cwd: "/w", folder: join(world.folder, "s") }, world);
    session.append({ type: "session_info", name: "nothing" });
    session.sync();
    session.close();
    assertEquals([...Deno.readDirSync(world.folder)], []);
  });
});

Deno.test("openSession() gives back every entry, the leaf and the message array of before R323 R324 R331", () => {
  inWorld((world) => {
    const session = createSession({ cwd: "/w", folder: world.folder }, world);
    const added: NewEntry[] = [
      { type: "thinking_level_change", thinkingLevel: "high" },
      said(user('a \ud83d\ude00 \u2028 lone \ud800 \0 "x"\n')),
      said(
        reply("", { content: [{ type: "thinking", thinking: "t", field: "reasoning" }, call], stopReason: "toolUse" }),
      ),
      said(result("c1", "text")),
      { type: "custom_message", customType: "note", content: "n", display: false, details: { a: [1, null] } },
      said(reply("", { stopReason: "error", failure: { kind: "network", message: "gone", retry: true } })),
      { type: "custom", customType: "manifest", data: { round: 1 } },
      said(reply("done", { usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, totalTokens: 10 } })),
    ];
    for (const entry of added) session.append(entry);
    const before = [session.header, session.entries(), session.leaf(), buildContext(session)];
    session.close();
    const again = openSession(session.path!, world);
    assertEquals([again.header, again.entries(), again.leaf(), buildContext(again)], before);
    assertEquals(buildContext(again).messages.map(({ role }) => role), [
      "user",
      "assistant",
      "toolResult",
      "custom",
      "assistant",
    ]);
    const next = again.append(said(user("more")));
    assertEquals(next.parentId, session.leaf());
    again.close();
    assertEquals(linesOf(session.path!).length, added.length + 2);
    assertEquals(world.notices, []);
  });
});

Deno.test("branch() moves the leaf and writes nothing; the next entry is a child of it R325", () => {
  inWorld((world) => {
    const session = createSession({ cwd: "/w", folder: world.folder }, world);
    const a = session.append(said(user("a")));
    const b = session.append(said(reply("b")));
    const size = Deno.statSync(session.path!).size;
    session.branch(a.id);
    assertEquals(Deno.statSync(session.path!).size, size);
    const c = session.append(said(reply("c")));
    assertEquals([session.pathTo().map(({ id }) => id), session.pathTo(b.id).map(({ id }) => id)], [[a.id, c.id], [
      a.id,
      b.id,
    ]]);
    session.branch(null);
    assertEquals([session.pathTo(), session.append(said(user("d"))).parentId], [[], null]);
    session.close();
  });
});

Deno.test("append() never lets the times of a session go backwards, also in a session that was opened again", () => {
  inWorld((world) => {
    const times = [5000, 9000, 1000, 2000, 10_000].map((ms) => START + ms);
    const options = { ...world, now: () => times.shift() ?? START };
    const session = createSession({ cwd: "/w", folder: world.folder }, options);
    for (const text of ["a", "b", "c"]) session.append(said(user(text)));
    session.close();
    const again = openSession(session.path!, { ...world, now: () => START - 1e6 });
    again.append(said(user("d")));
    again.close();
    const found = linesOf(session.path!).map((line) => (line as { timestamp: string }).timestamp);
    assertEquals(found, [...found].sort());
    assertEquals(found[0], "2026-03-07T08:00:05.000Z");
  });
});

Deno.test("append() makes ids that are new even when the random source repeats itself, and gives a whole entry a new place", () => {
  inWorld((world) => {
    const session = createSession({ cwd: "/w", folder: world.folder }, { ...world, random: () => 0.9999999999 });
    const a = session.append(said(user("a")));
    const b = session.append({ ...a });
    assertEquals([a.id, b.id, b.parentId], ["ffffffff", "00000000", "ffffffff"]);
    session.close();
    const again = openSession(session.path!, { ...world, random: () => 0.9999999999 });
    assertEquals(again.append(said(user("c"))).id, "00000001");
    again.close();
  });
});

Deno.test("append() of data that JSON cannot carry throws and changes nothing", () => {
  inWorld((world) => {
    const session = createSession({ cwd: "/w", folder: world.folder }, world);
    const a = session.append(said(user("a")));
    const size = Deno.statSync(session.path!).size;
    let thrown = false;
    try {
      session.append({ type: "custom", customType: "x", data: 1n });
    } catch {
      thrown = true;
    }
    assertEquals([thrown, session.leaf(), session.entries().length, Deno.statSync(session.path!).size], [
      true,
      a.id,
      1,
      size,
    ]);
    session.close();
  });
});

Deno.test("memorySession() keeps nothing R334", () => {
  const session = memorySession({ cwd: "/w" }, { now: () => START, random: Math.random });
  session.append(said(user("a")));
  session.sync();
  assertEquals([session.path, buildContext(session).messages], [undefined, [user("a")]]);
  session.close();
});

Deno.test("createSession() refuses an id that would not be a file name", () => {
  inWorld((world) => {
    for (const id of ["../x", "", "a/b", "-a", ".", "a\nb"]) {
      assert(
        refusalOf(() => createSession({ cwd: "/w", folder: world.folder, id }, world)).what.startsWith("Cannot start"),
      );
    }
  });
});

Deno.test("openSession() of an old format leaves the file alone and puts what is added into a new one", () => {
  inWorld((world) => {
    const path = join(world.folder, "old.jsonl");
    writeLines(path, [
      { type: "session", id: "old", timestamp: "2025-01-01T00:00:00.000Z", cwd: "/w" },
      { type: "message", timestamp: "2025-01-01T00:00:01.000Z", message: user("a") },
      { type: "message", timestamp: "2025-01-01T00:00:02.000Z", message: reply("b") },
    ]);
    const bytes = Deno.readFileSync(path);
    const session = openSession(path, world);
    assertEquals([...Deno.readDirSync(world.folder)].length, 1);
    session.append(said(user("c")));
    session.close();
    assertEquals(Deno.readFileSync(path), bytes);
    assertEquals(world.notices.length, 1);
    assertEquals(session.header.parentSession, Deno.realPathSync(path));
    const again = openSession(session.path!, world);
    assertEquals(buildContext(again).messages, [user("a"), reply("b"), user("c")]);
    again.close();
  });
});
