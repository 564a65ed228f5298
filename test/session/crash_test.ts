// Real processes, really killed: what a session said it keeps must be there afterwards.
import { assert, assertEquals } from "@std/assert";
import { listSessions } from "../../src/session/list.ts";
import { loadSession } from "../../src/session/load.ts";
import { openSession } from "../../src/session/reopen.ts";
import { rounds } from "../helpers/rounds.ts";
import { begin, startWriter } from "./start_writer.ts";
import { said, user, worldIn } from "./world.ts";

const KILLS = rounds(20);
/** A writer is killed up to so many milliseconds after its first words. */
const LATEST_MS = 25;

/** Lets a writer work for a while and kills it; gives what it said. */
async function killed(writer: Deno.ChildProcess, afterMs: number): Promise<string[]> {
  let said = "";
  let isTimed = false;
  const decoder = new TextDecoder();
  for await (const bytes of writer.stdout) {
    said += decoder.decode(bytes, { stream: true });
    if (isTimed) continue;
    isTimed = true;
    setTimeout(() => writer.kill("SIGKILL"), afterMs);
  }
  await writer.status;
  return said.split("\n").slice(0, -1); // an announcement that was cut off was none
}

Deno.test(`a session survives ${KILLS} kills of its process at random moments: nothing that was kept is lost R323`, async () => {
  const folder = Deno.makeTempDirSync();
  let next = startWriter();
  try {
    let path: string | undefined;
    const kept: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const writer = next;
      await begin(writer, path === undefined ? { folder } : { path });
      next = startWriter(); // it warms up meanwhile
      const said = await killed(writer, Math.random() * LATEST_MS);
      assert(said.length > 0);
      kept.push(...said.map((line) => line.slice(0, 8)));
      path ??= said[0]?.slice(9) ?? "";
      const { entries, notices } = loadSession(path);
      const ids = entries.map(({ id }) => id);
      // The process may have been killed between keeping an entry and saying so.
      const known = new Set(kept);
      assertEquals(kept.filter((id) => !ids.includes(id)), []);
      assert(ids.filter((id) => !known.has(id)).length <= kill + 1, "entries that nobody wrote");
      assertEquals(entries.map(({ parentId }) => parentId), [null, ...ids.slice(0, -1)]);
      assert(notices.length <= 1);
    }
    const world = worldIn(folder);
    const session = openSession(path ?? "", world);
    session.append(said(user("after all")));
    session.close();
    assertEquals([world.failures, loadSession(path ?? "").notices], [[], []]);
    assertEquals(listSessions(folder).length, 1);
  } finally {
    next.kill("SIGKILL");
    await Promise.all([next.status, next.stdin.close(), next.stdout.cancel()]);
    Deno.removeSync(folder, { recursive: true });
  }
});
