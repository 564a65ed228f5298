import { assertEquals } from "@std/assert";
import { sha256 } from "../../src/core/support/digest.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { openAudit } from "../../src/session/audit.ts";

const result = (text: string) => ({ content: [{ type: "text" as const, text }] });

function call(id: string, text: string, isError: boolean): AgentEvent[] {
  const head = { toolCallId: id, toolName: "read" };
  return [
    { type: "tool_execution_start", ...head, args: { path: "secret-name.txt" } },
    { type: "tool_execution_end", ...head, result: result(text), isError, durationMs: 1.26 },
    {
      type: "message_end",
      message: { role: "toolResult", ...head, content: result(text).content, isError, timestamp: 0 },
    },
  ];
}

Deno.test("openAudit() keeps a line for each call, with digests in place of arguments R360 R481", () => {
  const folder = Deno.makeTempDirSync();
  try {
    const audit = openAudit(`${folder}/audit`, "s1", () => 0, (error) => {
      throw error;
    });
    const skipped: AgentEvent = {
      type: "message_end",
      message: { role: "toolResult", toolCallId: "c", toolName: "bash", content: [], isError: true, timestamp: 0 },
    };
    const events = [...call("a", "text of the file", false), ...call("b", "Denied: read /etc/x: …", true), skipped];
    for (const event of events) audit.read(event);
    const text = Deno.readTextFileSync(audit.path);
    const lines = text.trim().split("\n").map((line) => JSON.parse(line));
    const digest = sha256('{"path":"secret-name.txt"}');
    const head = { time: "1970-01-01T00:00:00.000Z", session: "s1" };
    assertEquals(lines, [
      { ...head, callId: "a", tool: "read", arguments: digest, decision: "allowed", outcome: "ok", durationMs: 1.3 },
      { ...head, callId: "b", tool: "read", arguments: digest, decision: "denied", outcome: "error", durationMs: 1.3 },
      {
        ...head,
        callId: "c",
        tool: "bash",
        arguments: sha256("{}"),
        decision: "refused",
        outcome: "error",
        durationMs: 0,
      },
    ]);
    assertEquals([Deno.statSync(audit.path).mode! & 0o777, Deno.statSync(`${folder}/audit`).mode! & 0o777], [
      0o600,
      0o700,
    ]);
    assertEquals(/secret-name|text of the file/.test(text), false);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("openAudit() tells once that it cannot write, and the run goes on", () => {
  const failures: unknown[] = [];
  const audit = openAudit("/proc/nowhere", "s1", () => 0, (error) => failures.push(error));
  for (const event of [...call("a", "x", false), ...call("b", "x", false)]) audit.read(event);
  assertEquals(failures.length, 1);
});

const DENIED: readonly (readonly [
  claim: string,
  tool: string,
  text: string,
  isError: boolean,
  decision: "allowed" | "denied",
  details?: JsonObject,
])[] = [
  ["a file tool that the policy refused", "read", "Denied: read /etc/x: outside", true, "denied"],
  ["a file tool that Deno refused", "write", 'NotCapable: write access to "/x" is not granted', true, "denied"],
  ["a file tool that the kernel refused", "edit", "PermissionDenied: os error 13", true, "denied"],
  ["a file that begins like a denial", "read", "Denied: x", false, "allowed"],
  ["a denial further on in a text", "grep", "Cannot search: Denied: x", true, "allowed"],
  ["another failure", "ls", "No such folder: x", true, "allowed"],
  ["a command that a grant could help", "bash", "x", true, "denied", { denial: { kind: "net", target: "*" } }],
  ["a command that nothing could help", "bash", "x", true, "denied", { exitCode: 1, isDenied: true }],
  ["a command that went on after it", "bash", "x", false, "denied", { exitCode: 0, isDenied: true }],
  ["a command that prints a denial", "bash", "Denied: x\n\nCommand exited with code 1", true, "allowed", {
    exitCode: 1,
  }],
  ["a command that prints Deno's", "bash", 'NotCapable: read access to "/x"', true, "allowed", { exitCode: 1 }],
  ["a tool of somebody else", "deploy", "Denied: not today", true, "allowed"],
];

for (const [claim, toolName, text, isError, decision, details] of DENIED) {
  Deno.test(`openAudit() keeps ${decision} for ${claim} R481`, () => {
    const folder = Deno.makeTempDirSync();
    try {
      const audit = openAudit(folder, "s1", () => 0, (error) => {
        throw error;
      });
      const [started, ended] = call("a", text, isError);
      if (started?.type !== "tool_execution_start" || ended?.type !== "tool_execution_end") throw new Error("order");
      audit.read({ ...started, toolName });
      audit.read({ ...ended, toolName, result: { ...ended.result, ...(details ? { details } : {}) } });
      assertEquals(JSON.parse(Deno.readTextFileSync(audit.path)).decision, decision);
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  });
}
