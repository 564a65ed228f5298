import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ToolError } from "../../src/core/error.ts";
import { find, runFind } from "../../tools/find.ts";
import { type SearchWorkspace, searchWorkspace, shown } from "../helpers/search_workspace.ts";

async function text(workspace: SearchWorkspace, args: Parameters<typeof find.run>[0]): Promise<string> {
  return shown(await find.run(args, workspace.context));
}

Deno.test("find lists files and folders relative to the searched folder R486", async () => {
  using workspace = searchWorkspace({ "src/a.ts": "", "src/ts/b.TS": "", ".hidden/c.ts": "", "d.js": "" });
  assertEquals(await text(workspace, { pattern: "*.ts" }), ".hidden/c.ts\nsrc/a.ts\nsrc/ts/b.TS");
  assertEquals(await text(workspace, { pattern: "ts/" }), "src/ts/");
  assertEquals(await text(workspace, { pattern: "*", path: "src" }), "a.ts\nts/\nts/b.TS");
  assertEquals(await text(workspace, { pattern: "src/*.ts" }), "src/a.ts");
  assertEquals(await text(workspace, { pattern: "-x" }), "No files found matching pattern");
});

Deno.test("find leaves out what is ignored and .git, and does not follow links R460", async () => {
  using workspace = searchWorkspace({ ".gitignore": "dist\n", "dist/a.ts": "", ".git/a.ts": "", "b.ts": "" });
  Deno.symlinkSync("/etc", workspace.root + "/link");
  assertEquals(await text(workspace, { pattern: "*" }), ".gitignore\nb.ts\nlink");
});

Deno.test("find tells of the limit only when there is another result", async () => {
  using workspace = searchWorkspace({ "a": "", "b": "", "c": "" });
  assertEquals(await text(workspace, { pattern: "?", limit: 3 }), "a\nb\nc");
  const result = await find.run({ pattern: "?", limit: 2 }, workspace.context);
  assertEquals(shown(result), "a\nb\n\n[2 results limit reached. Use limit=4 for more, or refine pattern]");
  assertEquals(result.details, { resultLimitReached: 2 });
});

Deno.test("find gives whole names up to 50 KB", async () => {
  using workspace = searchWorkspace();
  for (let i = 0; i < 300; i++) workspace.put(`${"n".repeat(190)}${String(i).padStart(3, "0")}`, "");
  const result = await find.run({ pattern: "n*" }, workspace.context);
  assertMatch(shown(result), /n\d{3}\n\n\[50\.0KB limit reached\]$/);
  assertEquals(result.details?.["truncation"], {
    truncated: true,
    truncatedBy: "bytes",
    totalLines: 300,
    outputLines: 263,
    outputBytes: 263 * 194 - 1 + 0,
    maxBytes: 51_200,
  });
});

Deno.test("find lets no name through that could steer a terminal", async () => {
  using workspace = searchWorkspace({ "a\x1b]0;x\x07\nb": "" });
  assertEquals(await text(workspace, { pattern: "a*" }), '"a\\u001b]0;x\\u0007\\u000ab"');
});

Deno.test("find answers bad input with what to do", async () => {
  using workspace = searchWorkspace({ "a": "", "secret/b": "" });
  assertMatch(await text(workspace, { pattern: " " }), /^ERROR The pattern is empty/);
  assertEquals(await text(workspace, { pattern: "*", path: "a" }), `ERROR Not a directory: ${workspace.root}/a`);
  await assertRejects(() => find.run({ pattern: "*", path: "secret" }, workspace.context), ToolError, "Denied");
  await assertRejects(() => find.run({ pattern: "*", path: "absent" }, workspace.context), ToolError, "absent");
});

Deno.test("find ends when it is aborted, and when its time is over it says so", async () => {
  using workspace = searchWorkspace({ "a": "", "b": "" });
  assertEquals(
    shown(await find.run({ pattern: "*" }, workspace.withSignal(AbortSignal.abort()))),
    "ERROR Operation aborted",
  );
  let asked = 0;
  const result = await runFind({ pattern: "*" }, workspace.context, {
    isOver: () => ++asked > 1,
    breathe: () => undefined,
  });
  assertMatch(shown(result), /^\[Search stopped after 20 seconds, not everything was searched\.[^\]]*\]\n\na$/);
  assertEquals(result.details, { timeLimitReached: true });
});
