import { assertEquals } from "@std/assert";
import { explainExit, keepTail } from "../../../src/sandbox/process/exit.ts";

const ended = (code: number, signal: Deno.Signal | null = null): Deno.CommandStatus => ({
  success: code === 0,
  code,
  signal,
});
const failed = (step: string, why: string): string => JSON.stringify({ confine: "failed", step, why });

const CASES: readonly (readonly [Deno.CommandStatus, string, string])[] = [
  [ended(0), "", "it ended with code 0"],
  [ended(3), "out of luck\n", "it ended with code 3 (out of luck)"],
  [ended(137, "SIGKILL"), "", "it was ended by SIGKILL"],
  [ended(1), "error: Uncaught x\n    at f (file:1:2)\n   0: <unknown>\n", "it ended with code 1 (error: Uncaught x)"],
  [
    ended(71),
    failed("landlock", "ENOSYS"),
    "the sandbox could not be set up (step landlock: ENOSYS), so nothing was run",
  ],
  [ended(71), `noise\n${failed("a", "b")}`, "the sandbox could not be set up (step a: b), so nothing was run"],
  [ended(71), failed("exec", "there is no program"), "its program could not be started (there is no program)"],
  [ended(71), "bwrap: no", "the sandbox could not be set up (bwrap: no), so nothing was run"],
  [ended(71), "", "the sandbox could not be set up, so nothing was run"],
  [ended(71), '{"step":{}}', "the sandbox could not be set up (step [object Object]: undefined), so nothing was run"],
];
for (const [status, stderr, expected] of CASES) {
  Deno.test(`explainExit() says "${expected}"`, () => assertEquals(explainExit(status, stderr), expected));
}

Deno.test("keepTail() keeps the newest four kilobytes, whatever the pieces, and nothing that steers a terminal", () => {
  const tail = keepTail();
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  tail.add(bytes("first\x1b[31m"));
  assertEquals(tail.text(), "first");
  for (let at = 0; at < 1_000; at++) tail.add(bytes(`${at % 10}`.repeat(7)));
  tail.add(bytes("x".repeat(10)));
  assertEquals(tail.text().length, 4_096);
  assertEquals(tail.text().endsWith("9999999" + "x".repeat(10)), true);
  tail.add(bytes("y".repeat(9_000)));
  assertEquals(tail.text(), "y".repeat(4_096));
});
