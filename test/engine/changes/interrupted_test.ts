import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { isThere } from "../../../src/core/support/on_disk.ts";
import { untouchedFiles } from "../../../src/sandbox/names/named_files.ts";
import { lockSession } from "../../../src/session/lock.ts";
import { inWorkspace, PROGRAM, run } from "../../helpers/program.ts";
import { withSession } from "../world.ts";

/** Creates what a killed process leaves of a session's journal, with a directory in the place of the file of its contents. */
function interrupt(folder: string, session: string, root: string): void {
  Deno.mkdirSync(join(folder, "pack"), { recursive: true });
  Deno.writeTextFileSync(
    join(folder, "journal.jsonl"),
    `${JSON.stringify({ type: "journal", version: 1, session, root })}\n`,
  );
  Deno.writeTextFileSync(join(folder, "baseline"), "SANDBAS1");
}

Deno.test("a journal of an interrupted session that cannot be completed is reported once and stops no later journal", async () => {
  const write = { calls: [{ name: "write", args: { path: "a.txt", content: "new\n" } }] };
  await withSession({ replies: [write, { text: "done" }] }, async ({ home, ws, say, events, engine }) => {
    const folder = join(home, ".sandpiper/agent/checkpoints/interrupted");
    interrupt(folder, "interrupted", ws);

    await say("write");

    const notices = events.flatMap((event) =>
      event.type === "notice" ? [event.message.replace(/interrupted: .*/, "interrupted")] : []
    );
    assertEquals(notices, ["Cannot determine the changes of the last calls of the interrupted session interrupted"]);
    assertEquals(["baseline", "journal.jsonl.lock"].filter((name) => isThere(join(folder, name))), []);
    const [point] = await engine.undoPoints();
    assertEquals(point?.files, 1);
  });
});

Deno.test("journals of interrupted sessions of other workspaces, and of sessions that are open in a process, stay as they are", async () => {
  const write = { calls: [{ name: "write", args: { path: "a.txt", content: "new\n" } }] };
  await withSession({ replies: [write, { text: "done" }] }, async ({ home, ws, say, events }) => {
    const folder = (name: string): string => join(home, ".sandpiper/agent/checkpoints", name);
    interrupt(folder("elsewhere"), "elsewhere", `${ws}/other`);
    interrupt(folder("open"), "open", ws);
    const lock = lockSession(join(folder("open"), "journal.jsonl"), 0, untouchedFiles);
    try {
      await say("write");
    } finally {
      lock.release();
    }
    assertEquals(events.filter(({ type }) => type === "notice"), []);
    for (const name of ["elsewhere", "open"]) assertEquals(isThere(join(folder(name), "baseline")), true, name);
  });
});

Deno.test("sandpiper undo warns of an interrupted session whose journal cannot be completed", () =>
  inWorkspace({}, async ({ ws, home }) => {
    interrupt(join(home, ".sandpiper/agent/checkpoints/interrupted"), "interrupted", ws);
    const { stderr } = await run(PROGRAM, ["undo", "--list"], { cwd: ws, env: { HOME: home } });
    assertMatch(
      stderr,
      /^warning: Cannot determine the changes of the last calls of the interrupted session interrupted: /m,
    );
  }));
