import { assertEquals, assertMatch } from "@std/assert";
import { auditLines } from "../../../src/cli/interactive/audit_lines.ts";
import { withSession } from "../../engine/world.ts";

Deno.test("auditLines() shows of each call its command or path, and what it was denied", async () => {
  const long = Array.from({ length: 30 }, (_, at) => `echo ${at}`).join("\n");
  const replies = [{
    calls: [
      { name: "read", args: { path: "a.txt" } },
      { name: "read", args: { path: "../b.txt" } },
      { name: "bash", args: { command: "cat ../b.txt\necho done" } },
      { name: "bash", args: { command: long } },
      { name: "write", args: { path: ".git/config", content: "x" } },
    ],
  }, { text: "Done." }];
  await withSession({ replies, files: { "a.txt": "a", ".git/HEAD": "ref: refs/heads/main\n" } }, async (session) => {
    const { engine, home, ws, say } = session;
    const outside = ws.replace(/\/ws$/, "/b.txt");
    Deno.writeTextFileSync(outside, "b");
    await say("go");
    const lines = auditLines(`${home}/.sandpiper/agent/audit`, engine.store());
    const shown = lines.map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, "").replace(/ {2}\d+ ms$/, ""));
    assertEquals(shown.slice(0, 5), [
      "read  allowed  ok",
      "    read a.txt",
      "read  denied  error",
      "    read ../b.txt",
      `    denied: read ${outside}; --allow-read=+${outside} allows it`,
    ]);
    assertEquals(shown[6], "    $ cat ../b.txt");
    assertEquals(shown[7], "    echo done");
    assertEquals(shown.slice(-4, -2), ["    … 10 more lines", "write  denied  error"]);
    assertMatch(shown.at(-1) ?? "", /^ {4}denied: write .*\.git\/config: it is protected, and no grant opens it$/);
    assertEquals(auditLines(undefined, engine.store()), []);
  });
});
