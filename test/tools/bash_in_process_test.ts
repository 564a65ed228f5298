import { assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../src/core/error.ts";
import type { Policy, SandboxLevel, Scope } from "../../src/core/policy.ts";
import { type Files, type ShellOutcome, textResult, type ToolContext } from "../../src/core/tool.ts";
import { bashInProcess } from "../../tools/bash_in_process.ts";
import { toolsUnder } from "../../tools/mod.ts";

const limits = { bashTimeoutMs: 120_000, bashMaxTimeoutMs: 600_000 };
const policy = { limits } as Policy; // the tool reads nothing else of it
const context: ToolContext = {
  policy,
  files: {} as Files, // nor any file
  signal: new AbortController().signal,
  update: () => {},
};

Deno.test("bashInProcess.run() runs the script in the shell of its place and tells of it as bash does R469", async () => {
  const outcome: ShellOutcome = {
    exitCode: 2,
    ending: "exited",
    output: "a\n",
    totalLines: 1,
    totalBytes: 2,
    notes: ["Denied: x"],
  };
  const asked: unknown[] = [];
  const result = await bashInProcess.run({ command: "ls", timeout: 3 }, {
    ...context,
    shell: (command, { timeoutMs }) => {
      asked.push([command, timeoutMs]);
      return Promise.resolve(outcome);
    },
  });
  assertEquals(asked, [["ls", 3000]]);
  assertEquals(result, {
    ...textResult("a\n\nCommand exited with code 2\n\nDenied: x", { exitCode: 2, ending: "exited" }),
    isError: true,
  });
});

Deno.test("bashInProcess.run() without a shell sends the model to the other tools", async () => {
  await assertRejects(() => bashInProcess.run({ command: "ls" }, context), ToolError, "use the other tools");
});

Deno.test("bashInProcess.deadlineMs() leaves a script its timeout and a little more", () => {
  const deadline = (timeout?: number) =>
    bashInProcess.deadlineMs?.(timeout === undefined ? { command: "" } : { command: "", timeout }, policy);
  assertEquals([deadline(), deadline(5), deadline(9999)], [122_000, 7_000, 602_000]);
});

const ALL: Scope = { all: true, list: [] };
const NONE: Scope = { all: false, list: [] };
const LIST: Scope = { all: false, list: ["git"] };
const PLACES: readonly (readonly [SandboxLevel, Scope, "shell" | "runner"])[] = [
  ["kernel+", ALL, "shell"],
  ["kernel", ALL, "shell"],
  ["seatbelt", ALL, "shell"],
  ["off", ALL, "shell"],
  ["permissions", ALL, "runner"],
  ["kernel+", LIST, "runner"],
  ["kernel", NONE, "runner"],
  ["off", NONE, "runner"],
  ["permissions", NONE, "runner"],
];
for (const [sandbox, run, place] of PLACES) {
  const scope = run.all ? "all" : run.list.join() || "nothing";
  Deno.test(`toolsUnder() puts bash in the ${place} at ${sandbox} with ${scope} to run R456`, () => {
    const tools = toolsUnder({ ...policy, sandbox, run });
    const ofShell = place === "shell" ? ["bash_output", "bash_stop"] : [];
    const names = ["read", "bash", "edit", "write", "grep", "find", "ls", "read_skill"];
    assertEquals(tools.map(({ name }) => name), [...names, "fetch", "web_search", ...ofShell, "todo", "task"]);
    assertEquals(tools[1]?.place, place);
  });
}
