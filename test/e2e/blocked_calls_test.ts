// A call that did not run or that failed, as people and programs see it.
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { cassette, events, FULL_PROGRAM, inWorkspace, run } from "../helpers/program.ts";

const GUARD = `import { defineExtension } from "sandpiper";
export default defineExtension((sp) => {
  sp.on("tool_call", ({ toolName }) => toolName === "bash" ? { block: true, reason: "not here" } : undefined);
});
`;

const REPLIES = [
  { text: "Cleaning.", calls: [{ name: "bash", args: { command: "rm -rf src" } }] },
  { text: "Removed." },
];

Deno.test("a call that an extension blocks is in -v, in the report, among the events, and fails a run with --fail-on", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    Deno.writeTextFileSync(join(home, "guard.ts"), GUARD);
    const file = cassette(home, REPLIES);
    const options = { cwd: ws, env: { HOME: home } };
    const base = ["-e", join(home, "guard.ts"), "-m", `replay:${file}`];
    const text = await run(
      FULL_PROGRAM,
      ["-p", "-v", ...base, "--report", "r.json", "--report", "r.md", "go"],
      options,
    );
    assertEquals([text.code, text.stdout], [0, "Removed.\n"], text.stderr);
    assertStringIncludes(text.stderr, "▸ bash rm -rf src\n  blocked by an extension\n    not here\n");
    assertMatch(text.stderr, /warning: an extension blocked a call of bash: not here/);
    assertMatch(text.stderr, /1 call was denied, the last of the run/);
    const report = JSON.parse(Deno.readTextFileSync(join(ws, "r.json")));
    assertEquals([report.failedCalls, report.deniedCalls, report.commands, report.failures, report.denials], [
      1,
      1,
      [],
      [{ tool: "bash", target: "rm -rf src", why: "not here" }],
      [{ tool: "bash", why: "an extension blocked it: not here", grant: null, calls: 1 }],
    ]);
    assertStringIncludes(Deno.readTextFileSync(join(ws, "r.md")), "| `bash` | `rm -rf src` | not here |");
    const json = await run(FULL_PROGRAM, ["--mode", "json", ...base, "go"], options);
    const rejected = events(json.stdout).filter(({ type }) => type === "tool_call_rejected");
    assertEquals(rejected.map(({ toolCallId: _, timestamp: _t, ...event }) => event), [{
      type: "tool_call_rejected",
      toolName: "bash",
      args: { command: "rm -rf src" },
      by: "extension",
      reason: "not here",
    }]);
    for (const condition of ["tool-error", "denied"]) {
      const failed = await run(FULL_PROGRAM, ["-p", ...base, "--fail-on", condition, "go"], options);
      assertEquals(failed.code, 5, condition);
    }
  });
});

Deno.test("a call whose tool or arguments do not fit is shown and counted as failed, and not as denied", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const file = cassette(home, [
      { calls: [{ name: "nope", args: { a: 1 } }, { name: "read", args: { path: 7 } }] },
      { text: "Done." },
    ]);
    const ran = await run(FULL_PROGRAM, ["-p", "-v", "-m", `replay:${file}`, "--report", "r.json", "go"], {
      cwd: ws,
      env: { HOME: home },
    });
    assertEquals(ran.code, 0, ran.stderr);
    assertMatch(ran.stderr, /▸ nope .*\n {2}did not run\n {4}.*nope/);
    const report = JSON.parse(Deno.readTextFileSync(join(ws, "r.json")));
    assertEquals([report.failedCalls, report.deniedCalls], [2, 0]);
    assertEquals(report.failures.map(({ tool }: { tool: string }) => tool), ["nope", "read"]);
  });
});

Deno.test("the reason why a file tool failed is in -v and in the report", async () => {
  await inWorkspace({ "README.md": "x\n" }, async ({ ws, home }) => {
    const edits = [{ oldText: "nope", newText: "y" }];
    const file = cassette(home, [
      {
        calls: [
          { name: "edit", args: { path: "README.md", edits } },
          { name: "read", args: { path: "missing.txt" } },
          { name: "bash", args: { command: "exit 3" } },
        ],
      },
      { text: "Done." },
    ]);
    const args = ["-p", "-v", "-m", `replay:${file}`, "--report", "r.md", "--report", "r.json", "go"];
    const ran = await run(FULL_PROGRAM, args, { cwd: ws, env: { HOME: home } });
    assertMatch(ran.stderr, /▸ edit README\.md\n {2}failed in \d+ ms\n {4}.*(not found|nope|match)/i);
    assertMatch(ran.stderr, /▸ read missing\.txt\n {2}failed in \d+ ms\n {4}.*missing\.txt/);
    const page = Deno.readTextFileSync(join(ws, "r.md"));
    assertMatch(
      page,
      /### Failed\n\n\| tool \| what \| why \|\n.*\n\| `edit` \| `README\.md` \| .+ \|\n\| `read` \| `missing\.txt` \| .+ \|\n/,
    );
    const { failures, failedCalls } = JSON.parse(Deno.readTextFileSync(join(ws, "r.json")));
    // What a command failed with is its exit code.
    assertEquals([failedCalls, failures.length], [3, 2]);
  });
});
