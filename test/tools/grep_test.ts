import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ToolError } from "../../src/core/error.ts";
import { openFiles } from "../../src/runner/files/files.ts";
import { grep, runGrep } from "../../tools/grep.ts";
import { startPace } from "../../tools/search/pace.ts";
import { type SearchWorkspace, searchWorkspace, shown } from "../helpers/search_workspace.ts";

type Args = Parameters<typeof grep.run>[0];

async function text(workspace: SearchWorkspace, args: Args): Promise<string> {
  return shown(await grep.run(args, workspace.context));
}

Deno.test("grep shows path, line number and line, relative to the searched folder R486", async () => {
  using workspace = searchWorkspace({ "src/a.ts": "one\ntwo one\n", "b.txt": "one", "src/c.ts": "none" });
  assertEquals(await text(workspace, { pattern: "\\bone" }), "b.txt:1: one\nsrc/a.ts:1: one\nsrc/a.ts:2: two one");
  assertEquals(await text(workspace, { pattern: "two", path: "src" }), "a.ts:2: two one");
  assertEquals(await text(workspace, { pattern: "two", path: "src/a.ts" }), "a.ts:2: two one");
  assertEquals(await grep.run({ pattern: "absent" }, workspace.context), {
    content: [{ type: "text", text: "No matches found" }],
  });
});

Deno.test("grep takes glob, ignoreCase, literal and patterns that begin with a dash", async () => {
  using workspace = searchWorkspace({ "a.ts": "a.b -x\n", "sub/a.ts": "A.B\naxb\n", "a.js": "a.b\n" });
  assertEquals(await text(workspace, { pattern: "a.b", glob: "*.ts", literal: true }), "a.ts:1: a.b -x");
  assertEquals(
    await text(workspace, { pattern: "a.b", glob: "./sub/*", ignoreCase: true }),
    "sub/a.ts:1: A.B\nsub/a.ts:2: axb",
  );
  assertEquals(await text(workspace, { pattern: "a.b", glob: "!sub", literal: true }), "a.js:1: a.b\na.ts:1: a.b -x");
  assertEquals(await text(workspace, { pattern: "-x" }), "a.ts:1: a.b -x");
});

Deno.test("grep shows context lines once and marks them", async () => {
  using workspace = searchWorkspace({ "a": "1\n2\nhit 3\n4\nhit 5\n6\n7\n8\n9\nhit 10\n" });
  assertEquals(
    await text(workspace, { pattern: "hit", context: 1 }),
    "a-2- 2\na:3: hit 3\na-4- 4\na:5: hit 5\na-6- 6\na-9- 9\na:10: hit 10",
  );
});

Deno.test("grep tells of the limit only when there is another match", async () => {
  using workspace = searchWorkspace({ "a": "hit\nhit\n", "b": "hit\n" });
  assertEquals(await text(workspace, { pattern: "hit", limit: 3 }), "a:1: hit\na:2: hit\nb:1: hit");
  const result = await grep.run({ pattern: "hit", limit: 2 }, workspace.context);
  assertEquals(
    shown(result),
    "a:1: hit\na:2: hit\n\n[2 matches limit reached. Use limit=4 for more, or refine pattern]",
  );
  assertEquals(result.details, { matchLimitReached: 2 });
  assertMatch(await text(workspace, { pattern: "hit", limit: 0 }), /^a:1: hit\n\n\[1 matches limit/);
});

Deno.test("grep shows a match beyond the limit as context of the last one", async () => {
  using workspace = searchWorkspace({ "a": "hit\nhit\nx\n" });
  assertMatch(
    await text(workspace, { pattern: "hit", limit: 1, context: 1 }),
    /^a:1: hit\na-2- hit\n\n\[1 matches limit/,
  );
});

Deno.test("grep cuts long lines at 500 characters and says so", async () => {
  using workspace = searchWorkspace({ "a": "x".repeat(501), "b": "x".repeat(499) + "😀" });
  const result = await grep.run({ pattern: "x" }, workspace.context);
  const notice = "Some lines truncated to 500 chars. Use read tool to see full lines";
  assertEquals(shown(result), `a:1: ${"x".repeat(500)}... [truncated]\nb:1: ${"x".repeat(499)}😀\n\n[${notice}]`);
  assertEquals(result.details, { linesTruncated: true });
});

Deno.test("grep gives whole lines up to 50 KB", async () => {
  using workspace = searchWorkspace({ "a": `${"é".repeat(245)}\n`.repeat(1000) });
  const result = await grep.run({ pattern: "é", limit: 1000 }, workspace.context);
  const [body = "", notice] = shown(result).split("\n\n");
  assertEquals(notice, "[50.0KB limit reached]");
  const bytes = new TextEncoder().encode(body).length;
  assert(bytes <= 51_200 && bytes > 50_000, String(bytes));
  assert(body.split("\n").every((line) => /^a:\d+: é{245}$/.test(line)));
});

Deno.test("grep leaves out what is ignored, .git, binary files and links R460", async () => {
  using workspace = searchWorkspace({
    ".gitignore": "*.log\nnode_modules/\n",
    "sub/.gitignore": "!keep.log\n",
    "sub/keep.log": "hit",
    "sub/x.log": "hit",
    "node_modules/a.js": "hit",
    ".git/HEAD": "hit",
    ".github/ci.yml": "hit",
    "image.bin": new Uint8Array([104, 105, 116, 0, 1, 2]),
  });
  Deno.symlinkSync("/etc", workspace.root + "/outside");
  Deno.symlinkSync("sub/keep.log", workspace.root + "/inside");
  assertEquals(await text(workspace, { pattern: "hit|root" }), ".github/ci.yml:1: hit\nsub/keep.log:1: hit");
});

Deno.test("grep passes over a FIFO and goes on, at every level R463", async () => {
  for (const sandbox of ["kernel", "permissions"] as const) {
    using workspace = searchWorkspace({ "a": "hit", "c": "hit" });
    new Deno.Command("mkfifo", { args: [`${workspace.root}/b`] }).outputSync();
    const policy = { ...workspace.context.policy, sandbox };
    const result = await grep.run({ pattern: "hit" }, { ...workspace.context, policy, files: openFiles(policy) });
    assertEquals(shown(result), "a:1: hit\nc:1: hit");
  }
});

Deno.test("grep finds a match at the end of a file that is larger than what is read in one go", async () => {
  for (const sandbox of ["kernel", "permissions"] as const) {
    const sizes = [262_143, 262_144, 262_145, 1_500_000];
    using workspace = searchWorkspace(
      Object.fromEntries(sizes.map((size) => [`f${size}`, "x\n".repeat(size / 2) + "hit\n"])),
    );
    const policy = { ...workspace.context.policy, sandbox };
    const result = await grep.run({ pattern: "hit" }, { ...workspace.context, policy, files: openFiles(policy) });
    const expected = sizes.map((size) => `f${size}:${Math.floor(size / 2) + 1}: hit`);
    assertEquals(shown(result).split("\n").sort(), expected.sort());
  }
});

Deno.test("grep reads UTF-16 with a byte order mark and says that a binary file is one", async () => {
  const wide = new Uint8Array([0xff, 0xfe, ...[..."a hit\n"].flatMap((char) => [char.charCodeAt(0), 0])]);
  using workspace = searchWorkspace({ "wide.txt": wide, "b.bin": new Uint8Array([0, 1]), "empty": "" });
  assertEquals(await text(workspace, { pattern: "a hit" }), "wide.txt:1: a hit");
  assertMatch(await text(workspace, { pattern: "hit", path: "b.bin" }), /^ERROR .*b\.bin is a binary file/);
  assertEquals(await text(workspace, { pattern: "hit", path: "empty" }), "No matches found");
});

Deno.test("grep finds matches behind the first chunk of a huge file with the right line numbers", async () => {
  const line = "0123456789abcde\n";
  using workspace = searchWorkspace({ "huge.log": line.repeat(600_000) + "the needle\n" });
  assertEquals(await text(workspace, { pattern: "needle" }), "huge.log:600001: the needle");
});

Deno.test("grep passes over what may not be read, and says so when it was asked for by name", async () => {
  using workspace = searchWorkspace({ "a": "hit", "secret/b": "hit", "hard/c": "hit" });
  Deno.linkSync(workspace.root + "/hard/c", workspace.root + "/hard/d");
  assertEquals(await text(workspace, { pattern: "hit" }), "a:1: hit");
  await assertRejects(() => grep.run({ pattern: "hit", path: "secret" }, workspace.context), ToolError, "Denied");
  await assertRejects(() => grep.run({ pattern: "hit", path: "absent" }, workspace.context), ToolError, "absent");
});

Deno.test("grep lets nothing through that could steer a terminal", async () => {
  using workspace = searchWorkspace({ "a\x1b[31m\nb": "hit \x1b[2J\x1b]0;title\x07\u202ehere\r\nnext" });
  assertEquals(await text(workspace, { pattern: "hit" }), '"a\\u001b[31m\\u000ab":1: hit here');
});

Deno.test("grep answers a broken pattern with an error that names the way out", async () => {
  using workspace = searchWorkspace({ "a": "f(x" });
  assertMatch(await text(workspace, { pattern: "f(x" }), /^ERROR Invalid regular expression: .*literal: true/);
  assertEquals(await text(workspace, { pattern: "f(x", literal: true }), "a:1: f(x");
});

Deno.test("grep says that matches lie within one line", async () => {
  using workspace = searchWorkspace({ "a": "one\ntwo\n" });
  assertMatch(await text(workspace, { pattern: "one\\ntwo" }), /^No matches found\n\n\[Matches lie within one line/);
});

Deno.test("grep ends when it is aborted", async () => {
  using workspace = searchWorkspace({ "a": "hit" });
  const context = workspace.withSignal(AbortSignal.abort());
  assertEquals(shown(await grep.run({ pattern: "hit" }, context)), "ERROR Operation aborted");
});

Deno.test("grep hears an abort that comes while it works", async () => {
  using workspace = searchWorkspace(Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, "x\n"])));
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 0);
  let now = 0;
  const pace = startPace(1e9, () => now += 200);
  const result = await runGrep({ pattern: "x" }, workspace.withSignal(controller.signal), pace);
  assertEquals(shown(result), "ERROR Operation aborted");
});

Deno.test("grep stops when its time is over, shows what it has and says so", async () => {
  using workspace = searchWorkspace({ "a": "hit", "b": "hit" });
  let asked = 0;
  const pace = { isOver: () => ++asked > 1, breathe: () => undefined };
  const result = await runGrep({ pattern: "hit" }, workspace.context, pace);
  assertMatch(shown(result), /^\[Search stopped after 20 seconds, not everything was searched\.[^\]]*\]\n\na:1: hit$/);
  assertEquals(result.details, { timeLimitReached: true });
});
