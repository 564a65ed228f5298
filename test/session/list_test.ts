import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { allSessionFolders, sessionsFolder } from "../../src/session/folder.ts";
import { findSession, listSessions, newestSession } from "../../src/session/list.ts";
import { createSession } from "../../src/session/store.ts";
import { inWorld, refusalOf, reply, said, user, type World } from "./world.ts";

function keep(world: World, id: string, cwd: string, text: string, modified: number): string {
  const session = createSession({ cwd, folder: world.folder, id }, world);
  session.append(said(user(text)));
  session.append(said(reply("answer")));
  session.close();
  Deno.utimeSync(session.path!, modified, modified);
  return session.path!;
}

const FOLDERS = [
  ["/home/u/my project", "/u/sessions/--home-u-my project--"],
  ["/", "/u/sessions/----"],
  ["C:\\src\\a", "/u/sessions/--C--src-a--"],
] as const;
for (const [cwd, folder] of FOLDERS) {
  Deno.test(`sessionsFolder() of ${cwd}`, () => assertEquals(sessionsFolder("/u", cwd), folder));
}

Deno.test("sessionsFolder() of a long path is a name that systems allow, its own for each", () => {
  const names = ["a", "b"].map((start) => sessionsFolder("/u", `/${start}/${"ä/".repeat(300)}end`));
  for (const name of names) {
    assert(new TextEncoder().encode(name.slice("/u/sessions/".length)).length <= 255);
    assert(name.endsWith("-end--"));
  }
  assert(names[0] !== names[1]);
});

Deno.test("listSessions() shows sessions newest first and leaves out what is none", () => {
  inWorld((world) => {
    const a = keep(world, "aa-1", "/w", "first \x1b[31m\n  question " + "x".repeat(300), 1000);
    const b = keep(world, "bb-1", "/w", "second", 2000);
    Deno.writeTextFileSync(join(world.folder, "empty.jsonl"), "");
    Deno.writeTextFileSync(join(world.folder, "foreign.jsonl"), "{}\n");
    Deno.mkdirSync(join(world.folder, "folder.jsonl"));
    Deno.writeTextFileSync(
      a,
      '{"type":"session_info","id":"x","parentId":null,"timestamp":"2026-01-01T00:00:00Z","name":"Named"}\n',
      { append: true },
    );
    Deno.utimeSync(a, 3000, 3000);
    assertEquals(listSessions(world.folder), [
      {
        id: "aa-1",
        path: a,
        cwd: "/w",
        name: "Named",
        created: new Date("2026-03-07T08:00:00.000Z"),
        modified: new Date(3_000_000),
        messageCount: 2,
        isWhole: true,
        firstMessage: "first question " + "x".repeat(185),
      },
      {
        id: "bb-1",
        path: b,
        cwd: "/w",
        created: listSessions(world.folder)[1]!.created,
        modified: new Date(2_000_000),
        messageCount: 2,
        isWhole: true,
        firstMessage: "second",
      },
    ]);
    assertEquals(listSessions(join(world.folder, "none")), []);
  });
});

Deno.test("listSessions() looks only at both ends of a long file and finds its name there", () => {
  inWorld((world) => {
    const path = keep(world, "long", "/w", "start", 1000);
    const line = JSON.stringify({ type: "message", id: "x", parentId: null, message: reply("y".repeat(100_000)) }) +
      "\n";
    Deno.writeTextFileSync(path, line.repeat(100), { append: true });
    Deno.writeTextFileSync(path, '{"type":"session_info","name":"End"}\n', { append: true });
    const [summary] = listSessions(world.folder);
    assertEquals([summary?.name, summary?.isWhole, summary?.firstMessage], ["End", false, "start"]);
  });
});

Deno.test("listSessions() shows a called skill by its name and the words beside it", () => {
  inWorld((world) => {
    const body = "Body. ".repeat(200);
    keep(world, "s", "/w", `<skill name="tidy" location="/s/SKILL.md">\n${body}\n</skill>\n\nthis file`, 1000);
    assertEquals(listSessions(world.folder).map(({ firstMessage }) => firstMessage), ["/skill:tidy this file"]);
  });
});

Deno.test("newestSession() passes over damaged files and, when asked, other workspaces", () => {
  inWorld((world) => {
    const a = keep(world, "a", "/w", "1", 1000);
    const b = keep(world, "b", "/v", "2", 2000);
    Deno.writeTextFileSync(join(world.folder, "z.jsonl"), "");
    assertEquals([newestSession(world.folder), newestSession(world.folder, "/w"), newestSession(world.folder, "/x")], [
      b,
      a,
      undefined,
    ]);
    assertEquals(newestSession("/nowhere"), undefined);
  });
});

Deno.test("findSession() takes a path, an id or the beginning of one, and says what else it found", () => {
  inWorld((world) => {
    const a = keep(world, "abc-1", "/w", "1", 1000);
    const b = keep(world, "abc-12", "/w", "2", 2000);
    const folders = ["/nowhere", world.folder];
    assertEquals([findSession(folders, "abc-1"), findSession(folders, "abc-12"), findSession(folders, "./x.jsonl")], [
      a,
      b,
      "./x.jsonl",
    ]);
    assertEquals(refusalOf(() => findSession(folders, "abc")).why, "2 begin with it: abc-12, abc-1");
    for (const query of ["x", ""]) {
      assert(refusalOf(() => findSession(folders, query)).why.startsWith("no session has this id"));
    }
  });
});

Deno.test("allSessionFolders() lists the folders of all workspaces", () => {
  inWorld((world) => {
    assertEquals(allSessionFolders(world.folder), []);
    const folders = ["/b", "/a"].map((cwd) => sessionsFolder(world.folder, cwd));
    for (const folder of folders) Deno.mkdirSync(folder, { recursive: true });
    assertEquals(allSessionFolders(world.folder), folders.toReversed());
  });
});

Deno.test("a folder of sessions that cannot be looked into is told, and never taken for an empty one", () => {
  inWorld((world) => {
    // What root cannot look into either.
    const home = join(world.folder, "home");
    Deno.writeTextFileSync(home, "");
    const folder = sessionsFolder(home, "/w");
    const said = `"${folder}" cannot be looked into`;
    const told: string[] = [];
    assertEquals(listSessions(folder, (why) => told.push(why)), []);
    assertEquals(told.map((why) => why.startsWith(said)), [true]);
    assertEquals(allSessionFolders(home), [join(home, "sessions")]);
    assertStringIncludes(refusalOf(() => newestSession(folder, "/w")).why, said);
    assertStringIncludes(refusalOf(() => findSession([world.folder, folder], "a")).why, said);
    const path = keep(world, "abc", "/w", "1", 1000);
    assertEquals(findSession([world.folder, folder], "a"), path);
  });
});
