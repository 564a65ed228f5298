import { assertEquals } from "@std/assert";
import { configure } from "../../src/config/config.ts";
import { parseCommandLine } from "../../src/config/options/parse.ts";
import { openTools } from "../../src/engine/tools/tools_host.ts";
import type { Engine } from "../../src/core/engine.ts";
import type { PermissionAnswer } from "../../src/core/event.ts";
import { type Session, withSession } from "./world.ts";

const READ = { calls: [{ name: "read", args: { path: "../b.txt" } }] };
const REPLIES = [READ, { text: "one" }, READ, { text: "two" }, READ, { text: "three" }];

const MOVES: readonly (readonly [name: string, move: (engine: Engine) => Promise<unknown>])[] = [
  ["a new session", (engine) => engine.newSession()],
  ["another session", (engine) => engine.switchSession("other.jsonl")],
  ["a fork", (engine) => engine.fork(engine.store().leaf() ?? "", "at")],
];

/** Whether each call of the tool so far had the file, oldest first. */
function had({ events }: Session): boolean[] {
  return events.flatMap((event) => event.type === "tool_execution_end" ? [event.isError !== true] : []);
}

const WRITE = { calls: [{ name: "write", args: { path: "../out/a.txt", content: "a" } }] };

/** What is told at the start, of places that are not there. */
const told = ({ engine, ws }: Session): string[] =>
  engine.notices.filter((notice) => notice.startsWith("Nothing is at")).map((notice) =>
    notice.replaceAll(ws.replace(/\/ws$/, ""), "TOP")
  );

/** A session in which `answers` are given to what is asked; then "no". */
async function asked(
  answers: readonly PermissionAnswer[],
  work: (session: Session, count: () => number) => Promise<void>,
): Promise<void> {
  let count = 0;
  const ask = (): Promise<PermissionAnswer> => Promise.resolve(answers[count++] ?? "no");
  await withSession({ replies: REPLIES, ask }, async (session) => {
    Deno.writeTextFileSync(`${session.ws}/../b.txt`, "b");
    await work(session, () => count);
  });
}

const tellsOfGrants = ({ engine }: Session): boolean => engine.compiled().full.includes("Allowed by the user in this");

for (const [name, move] of MOVES) {
  Deno.test(`what was allowed for the session ends with it: ${name} asks again R480`, () =>
    asked(["session", "no"], async (session, count) => {
      const { engine, say, ws } = session;
      const before = engine.state().policy.read.list;
      await say("first");
      Deno.copyFileSync(engine.state().sessionFile ?? "", `${ws}/other.jsonl`);
      assertEquals([had(session), count(), tellsOfGrants(session)], [[true], 1, true]);
      await move(engine);
      assertEquals([engine.state().policy.read.list, tellsOfGrants(session)], [before, false]);
      await say("second");
      assertEquals([had(session), count()], [[true, false], 2]);
    }));
}

Deno.test("a refusal ends with the session, and what is kept for the project does not R480", () =>
  asked(["no", "project"], async (session, count) => {
    const { engine, say } = session;
    await say("first");
    await engine.newSession();
    await say("second");
    assertEquals([had(session), count()], [[false, true], 2]);
    await engine.newSession();
    assertEquals(tellsOfGrants(session), false);
    await say("third");
    assertEquals([had(session), count()], [[false, true, true], 2]);
  }));

Deno.test("a folder that was allowed for the project is made again; other grants of what is not there are told of", async () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-grants-" }));
  const at = { ws: `${top}/ws`, home: `${top}/home` };
  const settings = `${at.home}/.sandpiper/agent/settings.json`;
  try {
    await withSession(
      { replies: [WRITE, { text: "ok" }], at, ask: () => Promise.resolve("project") },
      async (session) => {
        await session.say("first");
        assertEquals(Deno.readTextFileSync(`${top}/out/a.txt`), "a");
      },
    );
    Deno.removeSync(`${top}/out`, { recursive: true });
    await withSession({ replies: [WRITE, { text: "ok" }], at }, async (session) => {
      assertEquals(told(session), []);
      await session.say("second");
      assertEquals(Deno.readTextFileSync(`${top}/out/a.txt`), "a");
    });
    Deno.removeSync(`${top}/out`, { recursive: true });
    Deno.writeTextFileSync(settings, Deno.readTextFileSync(settings).replace("/out/", "/out"));
    await withSession({ replies: [], at }, (session) => {
      assertEquals(told(session), [
        "Nothing is at TOP/out, so its write grant opens nothing. Make it first, write TOP/out/ to have a folder made, or give the folder around it (TOP).",
      ]);
      return Promise.resolve();
    });
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});

for (const [claim, start] of [["a look", false], ["a run", true]] as const) {
  Deno.test(`${claim} at a folder that is to be made says what becomes of it`, async () => {
    const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-grants-" }));
    Deno.mkdirSync(`${top}/ws`);
    const world = { env: { HOME: top }, cwd: `${top}/ws`, home: top, stdinIsTerminal: true, stdoutIsTerminal: true };
    const config = configure(parseCommandLine([`--allow-write=+${top}/new/`]), { ...world, mayRun: true });
    const tools = openTools(config, start);
    try {
      const about = tools.notices.filter((notice) => notice.includes(`${top}/new`));
      assertEquals(
        about,
        start ? [] : [`Nothing is at ${top}/new yet: a run makes this folder, which may be written.`],
      );
    } finally {
      await tools.close();
      Deno.removeSync(top, { recursive: true });
    }
  });
}

const RULES = `export const permissions = { read: ["rules.md"] };
export default (sp) => {
  sp.registerCommand("rules", { handler: async (_args, ctx) => {
    let text = "none";
    try { text = await Deno.readTextFile(ctx.cwd + "/rules.md"); } catch { /* not granted */ }
    await ctx.ui.notify("rules: " + text, "warning");
  } });
};
`;

for (const [name, move] of MOVES) {
  for (const answer of ["session", "once", "always"] as const) {
    Deno.test(
      `what an extension was granted with "${answer}" ${
        answer === "always" ? "outlives" : "ends with"
      } the session: ${name} R480`,
      async () => {
        let count = 0;
        const ask = () => Promise.resolve(count++ === 0 ? answer : "no" as const);
        const files = { "rules.md": "tabs", "rules.ts": RULES };
        const options = { replies: [{ text: "one" }], files, args: ["-e", "rules.ts"], grants: { ask } };
        await withSession(options, async ({ engine, events, say, ws }) => {
          const rules = async (): Promise<string | undefined> => {
            await say("/rules");
            const told = events.flatMap((event) => event.type === "notice" ? [event.message] : []);
            return told.findLast((message) => /rules: (?:tabs|none)$/.test(message))?.slice(-4);
          };
          await say("first");
          assertEquals(await rules(), "tabs");
          Deno.copyFileSync(engine.state().sessionFile ?? "", `${ws}/other.jsonl`);
          await move(engine);
          assertEquals([await rules(), count], answer === "always" ? ["tabs", 1] : ["none", 2]);
          // What they bring is there as before.
          assertEquals(engine.commands().some((command) => command.name === "rules"), true);
        });
      },
    );
  }
}
