import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/core/json.ts";
import { plainEvents } from "../../../src/tui/plain/events.ts";

const numbers = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join("\n");

function told(toolName: string, args: JsonObject, text: string, isError = false): string {
  const lines: string[] = [];
  const tell = plainEvents((line) => lines.push(line), "/w/app");
  const call = { toolCallId: "1", toolName };
  tell({ type: "tool_execution_start", ...call, args });
  tell({
    type: "tool_execution_end",
    ...call,
    result: { content: [{ type: "text", text }] },
    isError,
    durationMs: 100,
  });
  return lines.join("\n");
}

Deno.test("plainEvents() tells what a command said that succeeded, its lines as they are", () => {
  assertEquals(
    told("bash", { command: "cat <<'EOF'\na\nEOF" }, "a\nb\n"),
    "tool: $ cat <<'EOF'\na\nEOF\nbash: done, 0.1s\na\nb",
  );
});

Deno.test("plainEvents() tells the newest lines of a long output, and how to get the rest", () => {
  const said = told("bash", { command: "seq" }, numbers(100)).split("\n");
  assertEquals(said.slice(0, 4), [
    "tool: $ seq",
    "bash: done, 0.1s",
    "60 lines before these; /output prints all",
    "line 61",
  ]);
  assertEquals(said.at(-1), "line 100");
});

Deno.test("plainEvents() tells what is written before it is, and nothing that success says already", () => {
  const said = told("write", { path: "a.txt", content: numbers(30) }, "Successfully wrote").split("\n");
  assertEquals([said[0], said[1], said[20], said[21], said.at(-1)], [
    "tool: write a.txt",
    "line 1",
    "line 20",
    "10 more lines to write",
    "write: done, 0.1s",
  ]);
  assertEquals(told("read", { path: "a" }, numbers(30)), "tool: read a\nread: done, 0.1s");
});

Deno.test("plainEvents() tells why a tool failed", () => {
  assertEquals(told("read", { path: "a" }, "Denied", true), "tool: read a\nread: failed, 0.1s\nDenied");
});
