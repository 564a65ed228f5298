import { assertEquals, assertLess, assertRejects } from "@std/assert";
import * as z from "zod/mini";
import { ToolError } from "../../src/core/error.ts";
import type { Policy } from "../../src/core/policy.ts";
import {
  argsOf,
  type Files,
  type Shell,
  type ShellOutcome,
  textResult,
  type ToolContext,
} from "../../src/core/tool.ts";
import type { ToolResult } from "../../src/core/tool_result.ts";
import { bashStop } from "../../tools/bash_stop.ts";
import { bash } from "../../tools/bash.ts";

const OUTCOME: ShellOutcome = { exitCode: 0, ending: "exited", output: "", totalLines: 0, totalBytes: 0, notes: [] };

/** Runs the tool with a shell that answers as told, and tells what the shell was asked. */
async function answer(
  outcome: Partial<ShellOutcome>,
  args: z.infer<Awaited<ReturnType<typeof bash.args>>> = { command: "true" },
): Promise<{ result: ToolResult; asked: { command: string; timeoutMs: number } }> {
  let asked = { command: "", timeoutMs: 0 };
  const shell: Shell = (command, { timeoutMs }) => {
    asked = { command, timeoutMs };
    return Promise.resolve({ ...OUTCOME, ...outcome });
  };
  return { result: await bash.run(args, contextWith(shell)), asked };
}

function contextWith(shell: Shell | undefined): ToolContext {
  const limits = { bashTimeoutMs: 120_000, bashMaxTimeoutMs: 600_000 };
  return {
    policy: { limits } as Policy, // the tool reads nothing else of it
    files: {} as Files, // nor any file
    signal: new AbortController().signal,
    update: () => {},
    ...(shell ? { shell } : {}),
  };
}

const PATH = "/tmp/private/bash-0123456789abcdef.log";

const CASES: readonly { name: string; outcome: Partial<ShellOutcome>; text: string; isError?: true }[] = [
  { name: "output", outcome: { output: "hello\n\n" }, text: "hello" },
  { name: "no output", outcome: {}, text: "(no output)" },
  {
    name: "a failure",
    outcome: { output: "bad\n", exitCode: 2 },
    text: "bad\n\nCommand exited with code 2",
    isError: true,
  },
  {
    name: "a silent failure",
    outcome: { exitCode: 1 },
    text: "(no output)\n\nCommand exited with code 1",
    isError: true,
  },
  {
    name: "a time-out R482",
    outcome: { output: "so far\n", ending: "timeout", exitCode: 143 },
    text: "so far\n\nCommand timed out after 120 seconds",
    isError: true,
  },
  {
    name: "an abort",
    outcome: { ending: "aborted", exitCode: 143 },
    text: "(no output)\n\nCommand aborted",
    isError: true,
  },
  {
    name: "a limit",
    outcome: { output: "x\n", ending: "limit", limit: "the command had 600 processes, more than 512", exitCode: 137 },
    text: "x\n\nCommand ended: the command had 600 processes, more than 512",
    isError: true,
  },
  {
    name: "output cut by lines R482",
    outcome: { output: "c\nd\n", totalLines: 4, totalBytes: 8, truncatedBy: "lines", fullOutputPath: PATH },
    text: `c\nd\n\n[Showing lines 3-4 of 4. Full output: ${PATH}]`,
  },
  {
    name: "output cut by bytes R482",
    outcome: { output: "c\nd", totalLines: 9, totalBytes: 80, truncatedBy: "bytes", fullOutputPath: PATH },
    text: `c\nd\n\n[Showing lines 8-9 of 9 (3B). Full output: ${PATH}]`,
  },
  {
    name: "the end of one long line",
    outcome: { output: "z".repeat(2048), totalLines: 7, totalBytes: 9000, truncatedBy: "bytes", fullOutputPath: PATH },
    text: `${"z".repeat(2048)}\n\n[Showing the last 2.0KB of line 7. Full output: ${PATH}]`,
  },
  {
    name: "cut output that could not be stored",
    outcome: { output: "d\n", totalLines: 4, totalBytes: 8, truncatedBy: "lines", notes: ["not stored"] },
    text: "d\n\n[Showing lines 4-4 of 4.]\n\nnot stored",
  },
  {
    name: "notes of the sandbox after a failure",
    outcome: { output: "o\n", exitCode: 1, notes: [".git/hooks was restored", "second"] },
    text: "o\n\nCommand exited with code 1\n\n.git/hooks was restored\nsecond",
    isError: true,
  },
];

for (const { name, outcome, text, isError } of CASES) {
  Deno.test(`bash reports ${name}`, async () => {
    const { result } = await answer(outcome);
    const { ending, exitCode, truncatedBy, fullOutputPath } = { ...OUTCOME, ...outcome };
    const details = {
      exitCode,
      ending,
      ...(truncatedBy ? { truncated: true } : {}),
      ...(fullOutputPath ? { fullOutputPath } : {}),
    };
    assertEquals(result, { ...textResult(text, details), ...(isError ? { isError } : {}) });
  });
}

Deno.test("bash takes seconds, the policy's default and no more than its longest time R482", async () => {
  assertEquals((await answer({})).asked, { command: "true", timeoutMs: 120_000 });
  assertEquals((await answer({}, { command: "a", timeout: 0.5 })).asked, { command: "a", timeoutMs: 500 });
  const { asked, result } = await answer({ output: "x" }, { command: "a", timeout: 601 });
  assertEquals(asked.timeoutMs, 600_000);
  assertEquals(result.content, [
    { type: "text", text: "x\n\n[The timeout was cut to 600 seconds, the longest allowed.]" },
  ]);
});

Deno.test("bash without a shell says so R456", async () => {
  await assertRejects(() => bash.run({ command: "true" }, contextWith(undefined)), ToolError, "other tools");
});

Deno.test("bash refuses a timeout that is none", async () => {
  for (const timeout of [0, -1, Number.NaN, Infinity, "1"]) {
    assertEquals(z.safeParse(await argsOf(bash), { command: "a", timeout }).success, false, `${timeout}`);
  }
});

Deno.test("bash is described to the model in few characters R62", async () => {
  assertEquals(bash.promptSnippet, "Execute bash commands");
  assertLess(bash.description.length + JSON.stringify(z.toJSONSchema(await argsOf(bash))).length, 520);
});

/** A shell whose background knows one command; tells what it was asked. */
function backgroundShell(exitCode?: number): { shell: Shell; asked: string[] } {
  const asked: string[] = [];
  const state = { id: "b1", outputPath: PATH, ...(exitCode === undefined ? {} : { exitCode }) };
  const background = {
    start: (command: string) => Promise.resolve((asked.push(`start ${command}`), state)),
    stop: (id: string) => Promise.resolve((asked.push(`stop ${id}`), { ...state, exitCode: 143 })),
    told: (id: string) => void asked.push(`told ${id}`),
  };
  const run: Shell = (command) => Promise.resolve((asked.push(`run ${command}`), { ...OUTCOME, output: "hi" }));
  return { shell: Object.assign(run, { background }), asked };
}

Deno.test("bash starts commands in the background, and bash_stop ends them", async () => {
  const { shell, asked } = backgroundShell();
  const begun = `Running in the background as b1. Its output: ${PATH}\nYou are told when it has ended. ` +
    "bash_output gives what it has written since, or waits for its end; bash_stop ends it.";
  const over = `Background command b1 has ended with code 143. Its output: ${PATH}`;
  const context = contextWith(shell);
  assertEquals(
    await bash.run({ command: "serve", background: true }, context),
    textResult(begun, { id: "b1", outputPath: PATH }),
  );
  assertEquals(await bashStop.run({ id: "b1" }, context), textResult(over, { id: "b1" }));
  assertEquals(asked, ["start serve", "stop b1", "told b1"]);
});

Deno.test("bash reports a background command that ended at once, and a shell that has no background", async () => {
  const failed = await bash.run({ command: "x", background: true }, contextWith(backgroundShell(127).shell));
  assertEquals([failed.isError, failed.content], [
    true,
    textResult(`The command ended at once with code 127. Its output: ${PATH}`).content,
  ]);
  const plain: Shell = () => Promise.resolve(OUTCOME);
  await assertRejects(
    () => bash.run({ command: "x", background: true }, contextWith(plain)),
    ToolError,
    "Nothing can run",
  );
});
