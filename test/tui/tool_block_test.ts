// What a tool call shows of itself, in short and in full.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../src/core/json.ts";
import type { ToolResult } from "../../src/core/tool_result.ts";
import type { Look } from "../../src/tui/widgets/block.ts";
import { toolBlock } from "../../src/tui/blocks/tool.ts";
import { themeOf } from "../../src/tui/screen/theme.ts";
import { widthOf } from "../../src/tui/screen/wrap.ts";

const SHORT: Look = { width: 40, theme: themeOf("none"), expanded: false, expandKey: "Ctrl+O" };
const FULL: Look = { ...SHORT, expanded: true };

// deno-lint-ignore no-control-regex -- styles
const bare = (text: string): string => text.replace(/\x1b\[[0-9;]*m/g, "");

function block(name: string, args: JsonObject, result?: ToolResult) {
  const made = toolBlock(name, args, "/w/app", () => 0);
  if (result) made.end(result, result.isError === true, 0);
  return (look: Look): string => {
    const lines = made.lines(look);
    for (const line of lines) assert(widthOf(line) <= look.width, line);
    return lines.map(bare).join("\n");
  };
}

const said = (text: string, details: JsonObject = {}): ToolResult => ({ content: [{ type: "text", text }], details });
const numbers = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join("\n");
/** All words in their order, wherever a line was broken. */
const joined = (text: string): string => text.replace(/\s+/g, "");

Deno.test("a command that is longer than the screen is wide is shown to its end", () => {
  const command = "grep -rn 'something' src | sort -u | head -n 20 && rm -rf ./build-of-yesterday";
  assertStringIncludes(joined(block("bash", { command })(SHORT)), joined(`● $ ${command}`));
});

Deno.test("a long command is shown by its first rows and its last ones, and whole in full", () => {
  const command = `cat > a.txt <<'EOF'\n${numbers(30)}\nEOF\nrm -rf src/`;
  const shown = block("bash", { command }, said("(no output)"));
  assertEquals(
    shown(SHORT).split("\n"),
    [
      "✓ $ cat > a.txt <<'EOF'",
      ...numbers(7).split("\n").map((line) => `  ${line}`),
      "  … 21 more lines (Ctrl+O)",
      "  line 29",
      "  line 30",
      "  EOF",
      "  rm -rf src/",
      "  (no output)",
    ],
  );
  assertStringIncludes(shown(FULL), "line 30\n  EOF\n  rm -rf src/");
  assertEquals(shown(FULL).includes("more"), false);
});

Deno.test("a command with a small file in it is shown whole", () => {
  const command = `cat > a.py <<'PY'\n${numbers(8)}\nPY\npython3 a.py && rm a.py`;
  const rows = block("bash", { command }, said("(no output)"))(SHORT).split("\n");
  assertEquals(rows.map((row) => row.slice(2)).join("\n"), `$ ${command}\n(no output)`);
});

Deno.test("a command of one endless line is shown by its beginning and its end", () => {
  const shown = block("bash", { command: `echo ${"x".repeat(5000)}; rm -rf src/` })(SHORT);
  assertMatch(shown, /^● \$ echo[^]*… 1 more line \(Ctrl\+O\)\n[^]*rm -rf src\/$/m);
});

Deno.test("one line more is shown rather than said", () => {
  assertEquals(block("bash", { command: "x" }, said(numbers(6)))(SHORT).includes("more"), false);
  assertStringIncludes(block("bash", { command: "x" }, said(numbers(7)))(SHORT), "… 2 more lines (Ctrl+O)");
});

Deno.test("how a command ended stands behind its end, never inside of a line that is broken", () => {
  const result = { content: [{ type: "text" as const, text: "no" }], isError: true, details: { exitCode: 3 } };
  const rows = block("bash", { command: "cat one.txt; curl -s https://example.com/two" }, result)(SHORT).split("\n");
  assertEquals(rows, ["✗ $ cat one.txt; curl -s", "  https://example.com/two  exit 3", "  no"]);
});

Deno.test("an error is shown with the grant that mends it", () => {
  const text =
    "Denied: write /srv/data/a/very/long/path/to/some/file.txt: outside the write scope. Only the user can " +
    "allow it, with --allow-write=+/srv/data/a/very/long/path/to/some";
  const shown = block("write", { path: "/srv/x", content: "" }, { content: [{ type: "text", text }], isError: true })(
    SHORT,
  );
  assertStringIncludes(joined(shown), joined(text));
});

Deno.test("a failed command is shown by its first rows and its last ones", () => {
  const text = `${numbers(40)}\n\nCommand exited with code 3`;
  const result = { content: [{ type: "text" as const, text }], isError: true, details: { exitCode: 3 } };
  const shown = block("bash", { command: "make" }, result);
  const rows = shown(SHORT).split("\n");
  assertEquals(rows.slice(0, 3), ["✗ $ make  exit 3", "  line 1", "  line 2"]);
  assertStringIncludes(shown(SHORT), "  … 30 more lines (Ctrl+O)\n  line 37");
  assertEquals(rows.at(-1), "  Command exited with code 3");
  assertStringIncludes(shown(FULL), "line 20");
});

Deno.test("the path of the full output is whole beside the newest lines", () => {
  const notice = "[Showing lines 12-40 of 40. Full output: /tmp/sandpiper-0123456789abcdef/bash-0123456789abcdef.log]";
  const result = said(`${numbers(40)}\n\n${notice}`, { truncated: true, exitCode: 0 });
  const shown = block("bash", { command: "seq" }, result)(SHORT);
  assertStringIncludes(joined(shown), joined(notice));
  assertStringIncludes(shown, "  … 35 more lines (Ctrl+O)\n  line 36");
});

Deno.test("a file that is written shows its first lines before and after, and all of them in full", () => {
  const args = { path: "a.ts", content: `${numbers(20)}\n` };
  for (const result of [undefined, said("Successfully wrote to a.ts (1 bytes)")]) {
    const shown = block("write", args, result);
    assertMatch(shown(SHORT), /write a\.ts.*\n {2}line 1\n {2}line 2\n/);
    assertStringIncludes(shown(SHORT), "line 10\n  … 10 more of 20 lines (Ctrl+O)");
    assertStringIncludes(shown(FULL), "line 20");
  }
});

Deno.test("an edit that waits shows what it would change; afterwards the diff takes its place", () => {
  const args = { path: "a.ts", edits: [{ oldText: "a - b", newText: "a + b" }] };
  assertEquals(block("edit", args)(SHORT), "● edit a.ts  0.0s\n  - a - b\n  + a + b");
  const diff = "-1 x = a - b\n+1 x = a + b";
  assertEquals(block("edit", args, said("Edited", { diff }))(SHORT), "✓ edit a.ts\n  -1 x = a - b\n  +1 x = a + b");
});

Deno.test("long lines of a diff go on below their text", () => {
  const diff = " 9 const before = 1;\n-10 const value = first + second + third + fourth;\n+10 const value = none;";
  assertEquals(block("edit", { path: "a.ts", edits: [] }, said("Edited", { diff }))(SHORT).split("\n").slice(1), [
    "   9 const before = 1;",
    "  -10 const value = first + second +",
    "      third + fourth;",
    "  +10 const value = none;",
  ]);
});

Deno.test("steering characters in what is shown of a call do not survive", () => {
  const text = block("write", { path: "a\x1b]0;x\x07", content: "b\x1b[2Jc\rd" })(FULL);
  // deno-lint-ignore no-control-regex -- controls are what this is about
  assertEquals(/[\x00-\x09\x0b-\x1f]/.test(text), false);
});
