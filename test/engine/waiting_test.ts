import { assert, assertEquals } from "@std/assert";
import type { PermissionAnswer } from "../../src/core/event.ts";
import { readAudit } from "../../src/session/export/read_audit.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";
import { withSession } from "./world.ts";

/** How long the person of these tests thinks, milliseconds. */
const THINKS_MS = 700;

const ANSWERS: readonly PermissionAnswer[] = ["once", "no"];
for (const answer of ANSWERS) {
  Deno.test({
    name: `a call that a person is asked about and answers "${answer}": the wait is told apart from the work R481`,
    ignore: CONFINED.length === 0,
    fn: () =>
      withSession({
        replies: [
          { calls: [{ name: "read", args: { path: "../outside.txt" } }] },
          { calls: [{ name: "read", args: { path: "a.txt" } }] },
          { text: "done" },
        ],
        files: { "a.txt": "alpha" },
        ask: () => new Promise((resolve) => setTimeout(() => resolve(answer), THINKS_MS)),
      }, async ({ engine, say, ws, home, events }) => {
        Deno.writeTextFileSync(`${ws}/../outside.txt`, "beyond");
        const begin = performance.now();
        assertEquals(await say("go"), "done");
        const tookMs = performance.now() - begin;
        const ends = events.flatMap((event) => event.type === "tool_execution_end" ? [event] : []);
        const [asked, plain] = ends;
        assertEquals([ends.length, asked?.isError, plain?.waitedMs], [2, answer === "no", undefined]);
        const { durationMs = NaN, waitedMs = NaN } = asked ?? {};
        // Timers may be a millisecond early.
        assert(waitedMs >= THINKS_MS - 2, `${waitedMs} ms`);
        assert(durationMs >= 0 && durationMs <= tookMs - waitedMs + 2, `${durationMs} and ${waitedMs} of ${tookMs} ms`);
        const { calls } = readAudit(`${home}/.sandpiper/agent/audit`, engine.state().sessionId);
        assertEquals(calls.map(({ durationMs, waitedMs }) => [durationMs, waitedMs]), [
          [durationMs, waitedMs],
          [plain?.durationMs, undefined],
        ]);
      }),
  });
}
