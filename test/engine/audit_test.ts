import { assertEquals } from "@std/assert";
import { auditLines } from "../../src/cli/interactive/audit_lines.ts";
import { readAudit } from "../../src/session/export/read_audit.ts";
import { withSession } from "./world.ts";

Deno.test("after another session is begun, its calls stand in its own audit R481", () => {
  const reading = { calls: [{ name: "read", args: { path: "a.txt" } }] };
  const replies = [reading, { text: "one" }, reading, { text: "two" }, reading, { text: "three" }];
  return withSession({ replies, files: { "a.txt": "a" } }, async ({ engine, say, home }) => {
    const folder = `${home}/.sandpiper/agent/audit`;
    await say("first");
    const { sessionId: first, sessionFile = "" } = engine.state();
    await engine.newSession();
    await say("second");
    const { sessionId: second, totals } = engine.state();
    const kept = (id: string) => readAudit(folder, id).calls.map(({ session, tool }) => [session, tool]);
    assertEquals([kept(first), kept(second)], [[[first, "read"]], [[second, "read"]]]);
    const calls = auditLines(folder, engine.store()).filter((line) => !line.startsWith(" "));
    assertEquals([engine.store().header.id, calls.length], [second, totals.toolCalls]);
    // And back.
    await engine.switchSession(sessionFile);
    await say("third");
    assertEquals([kept(first).length, kept(second).length], [2, 1]);
  });
});

Deno.test("a command that the person typed is in the audit, between two prompts, too, with what became of it R481", () =>
  withSession({ replies: [{ text: "one" }], files: { "a.txt": "a" } }, async ({ engine, say, home }) => {
    const folder = `${home}/.sandpiper/agent/audit`;
    await engine.bash("cat a.txt", false);
    await say("first");
    await engine.bash("exit 3", true);
    const { calls } = readAudit(folder, engine.store().header.id);
    assertEquals(calls.map(({ tool, decision, outcome }) => [tool, decision, outcome]), [
      ["user_bash", "allowed", "ok"],
      ["user_bash", "allowed", "error"],
    ]);
    const lines = auditLines(folder, engine.store());
    assertEquals(lines.filter((line) => line.startsWith(" ")).map((line) => line.trim()), ["$ cat a.txt", "$ exit 3"]);
  }));
