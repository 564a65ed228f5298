import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { dirname } from "@std/path";
import { UserError } from "../../../src/core/error.ts";
import { sessionLines } from "../../../src/cli/interactive/session_lines.ts";
import { isThere } from "../../../src/core/support/on_disk.ts";
import { configure } from "../../../src/config/config.ts";
import { parseCommandLine } from "../../../src/config/options/parse.ts";
import { deleteSession } from "../../../src/engine/sessions/kept_sessions.ts";
import { withSession } from "../world.ts";

const REPLIES = [{ text: "one" }, { text: "two" }];

/** A workspace and a home that several sessions of a test share. */
async function inPlace(work: (at: { readonly ws: string; readonly home: string }) => Promise<void>): Promise<void> {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-choice-" }));
  try {
    await work({ ws: `${top}/ws`, home: `${top}/home` });
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
}

Deno.test("-r latest goes on with the newest session of the workspace, --fork latest copies it", () =>
  inPlace(async (at) => {
    let file = "";
    await withSession({ at, replies: REPLIES }, async ({ engine, say }) => {
      await say("first");
      file = engine.state().sessionFile ?? "";
    });
    await withSession({ at, replies: REPLIES, args: ["-r", "latest"] }, ({ engine }) => {
      assertEquals(engine.state().sessionFile, file);
      assertEquals(engine.messages().length, 2);
      return Promise.resolve();
    });
    await withSession({ at, replies: REPLIES, args: ["--fork", "latest"] }, async ({ engine }) => {
      assert(engine.state().sessionFile !== file);
      assertEquals([engine.messages().length, engine.store().header.parentSession], [2, file]);
      // The word means the same in RPC and at /resume.
      Deno.utimeSync(file, new Date(Date.now() + 60_000), new Date(Date.now() + 60_000));
      assertEquals(await engine.switchSession("latest"), true);
      assertEquals(engine.state().sessionFile, file);
    });
  }));

Deno.test("-c and latest say that the newest session is spoilt, and go on with no other", () =>
  inPlace(async (at) => {
    for (const text of ["older", "newer"]) {
      await withSession({ at, replies: REPLIES }, async ({ say }) => void await say(text));
    }
    let file = "";
    await withSession({ at, replies: REPLIES, args: ["-c"] }, ({ engine }) => {
      file = engine.state().sessionFile ?? "";
      return Promise.resolve();
    });
    const modified = new Date(Date.now() + 60_000);
    Deno.writeTextFileSync(file, "{" + Deno.readTextFileSync(file));
    Deno.utimeSync(file, modified, modified);
    for (const args of [["-c"], ["-r", "latest"], ["--fork", "latest"]]) {
      const error = await assertRejects(() => withSession({ at, replies: REPLIES, args }, async () => {}), UserError);
      assertStringIncludes(error.why, file);
    }
    const world = {
      env: { HOME: at.home },
      cwd: at.ws,
      home: at.home,
      stdinIsTerminal: true,
      stdoutIsTerminal: true,
      mayRun: true,
    };
    const lines = sessionLines(configure(parseCommandLine(["-m", "replay:x"]), world), "");
    assertEquals(lines.map(({ which }) => which === file), [true, false]);
    assertStringIncludes(lines[0]?.firstMessage ?? "", "header");
  }));

Deno.test("a file whose id is a path is resumed, forked and switched to nowhere, and nothing is written outside", () =>
  inPlace(async (at) => {
    await withSession({ at, replies: REPLIES }, async ({ engine, say, ws, home }) => {
      await say("first");
      const header = { type: "session", version: 3, id: "../../x", timestamp: new Date().toISOString(), cwd: ws };
      const given = `${ws}/given.jsonl`;
      Deno.writeTextFileSync(given, JSON.stringify(header) + "\n");
      await assertRejects(() => engine.switchSession(given), UserError, "as a session");
      for (const option of ["-r", "--fork"]) {
        const opening = () => withSession({ at, replies: REPLIES, args: [option, given] }, async () => {});
        await assertRejects(opening, UserError, "as a session");
      }
      assertEquals([...Deno.readDirSync(`${home}/.sandpiper`)].map(({ name }) => name), ["agent"]);
    });
  }));

Deno.test("sessions of sub-agents are in no list and never the latest, are named by their ids, and go with their parent", () =>
  inPlace(async (at) => {
    const task = (prompt: string) => ({ name: "task", args: { description: "a part", prompt } });
    const args = ["--tools", "read,task"];
    const files: string[] = [];
    await withSession({
      at,
      args,
      replies: [
        { calls: [task("Child")] },
        { conversation: "Child", calls: [task("Below")] },
        { conversation: "Below", text: "below" },
        { conversation: "Child", text: "child" },
        { text: "done" },
      ],
    }, async ({ engine, say }) => {
      await say("go");
      files.push(engine.state().sessionFile ?? "");
    });
    const [parent = ""] = files;
    const folder = `${dirname(parent)}/agents`;
    const subs = [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`).filter((path) =>
      path.endsWith(".jsonl")
    );
    assertEquals(subs.length, 2);
    // A copy has what was said, and no sub-agents of its own.
    await withSession({ at, replies: REPLIES, args: ["--fork", "latest"] }, async ({ engine, say }) => {
      await say("more");
      files.push(engine.state().sessionFile ?? "");
    });
    const later = new Date(Date.now() + 60_000);
    for (const path of subs) Deno.utimeSync(path, later, later);
    for (const args of [["-c"], ["-r", "latest"]]) {
      await withSession({ at, replies: REPLIES, args }, ({ engine }) => {
        assertEquals(engine.state().sessionFile, files[1]);
        return Promise.resolve();
      });
    }
    const world = {
      env: { HOME: at.home },
      cwd: at.ws,
      home: at.home,
      stdinIsTerminal: false,
      stdoutIsTerminal: false,
      mayRun: true,
    };
    const config = configure(parseCommandLine([]), world);
    assertEquals(sessionLines(config, "").length, 2);
    const idOf = (path: string): string => /_([^_]+)\.jsonl$/.exec(path)?.[1] ?? "";
    await withSession({ at, replies: [{ text: "again" }], args: ["-r", idOf(subs[0] ?? "")] }, ({ engine }) => {
      assertEquals(engine.state().sessionFile, subs[0]);
      // One of a sub-agent is open: nothing is deleted.
      assertThrows(() => deleteSession(config, idOf(parent)), UserError);
      assertEquals([parent, ...subs].filter((path) => isThere(path)).length, 3);
      return Promise.resolve();
    });
    const audits = (): number => subs.filter((path) => isThere(`${config.auditFolder}/${idOf(path)}.jsonl`)).length;
    assertEquals(audits(), 1); // the other called nothing
    deleteSession(config, idOf(parent));
    assertEquals([[parent, ...subs].filter((path) => isThere(path)), audits()], [[], 0]);
    assertEquals([...Deno.readDirSync(folder)], []);
    assert(isThere(files[1] ?? ""));
  }));
