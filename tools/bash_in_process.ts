import type * as z from "zod/mini";
import { ToolError } from "../src/core/error.ts";
import type { Tool, Zod } from "../src/core/tool.ts";
import { boundedTimeout, runToEnd } from "./bash.ts";

const args = (z: Zod) =>
  z.object({
    command: z.string(),
    timeout: z.optional(z.number().check(z.positive(), z.describe("Seconds; 120 if absent, at most 600"))),
  });

/** What a script that is over its time may take until it is ended from outside, milliseconds. */
const SLACK_MS = 2_000;

/** The bash tool where no program, or only listed ones, may run: an interpreter beside the file tools (R456, R469). */
export const bashInProcess: Tool<z.infer<ReturnType<typeof args>>> = {
  name: "bash",
  description:
    "Run a bash script in the workspace folder, in a built-in interpreter with its own Unix commands. Returns stdout, " +
    "then stderr; of long output the last 2000 lines or 64KB. stdin is empty.",
  args,
  promptSnippet: "Execute bash scripts (ls, grep, find, etc.)",
  needs: ["read"],
  readOnly: false,
  place: "runner",
  deadlineMs: ({ timeout }, { limits }) => boundedTimeout(timeout, limits).timeoutMs + SLACK_MS,
  async run({ command, timeout }, { shell, ...context }) {
    if (!shell) throw new ToolError("There is no shell here: use the other tools.");
    return await runToEnd(shell, command, timeout, context);
  },
};
