import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { isThere } from "../../../src/core/support/on_disk.ts";
import { withSession } from "../world.ts";

Deno.test("a journal of an interrupted session that cannot be completed is reported once and stops no later journal", async () => {
  const write = { calls: [{ name: "write", args: { path: "a.txt", content: "new\n" } }] };
  await withSession({ replies: [write, { text: "done" }] }, async ({ home, ws, say, events, engine }) => {
    const folder = join(home, ".sandpiper/agent/checkpoints/interrupted");
    // A directory stands where its contents were.
    Deno.mkdirSync(join(folder, "pack"), { recursive: true });
    const head = { type: "journal", version: 1, session: "interrupted", root: ws };
    Deno.writeTextFileSync(join(folder, "journal.jsonl"), `${JSON.stringify(head)}\n`);
    Deno.writeTextFileSync(join(folder, "baseline"), "SANDBAS1");

    await say("write");

    const notices = events.flatMap((event) =>
      event.type === "notice" ? [event.message.replace(/known: .*/, "known")] : []
    );
    assertEquals(notices, ["What the last calls of the interrupted session interrupted changed is not known"]);
    assertEquals(["baseline", "journal.jsonl.lock"].filter((name) => isThere(join(folder, name))), []);
    const [point] = await engine.undoPoints();
    assertEquals(point?.files, 1);
  });
});
