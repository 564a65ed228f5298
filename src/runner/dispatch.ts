import type * as z from "zod/mini";
import type { RunnerCall } from "../core/runner.ts";
import { grants } from "../core/policy.ts";
import { argsOf, errorResult, type Tool, type ToolContext } from "../core/tool.ts";
import type { ToolResult } from "../core/tool_result.ts";
import { deniedBy, deniedDetails } from "./files/denial.ts";
import { explainFailure } from "./files/failure.ts";

/**
 * Runs one call of a tool whose place is the runner and whose needs the policy grants (R455).
 *
 * Never rejects: whatever goes wrong is an error result that the model can act on. The shell in `context` is the one in
 * this process: a tool that runs here cannot start anything.
 */
export async function dispatch(
  tools: readonly Tool[],
  call: RunnerCall,
  context: ToolContext,
): Promise<ToolResult> {
  const here = tools.filter((tool) => tool.place === "runner");
  const active = here.filter((tool) => tool.needs.every((need) => grants(context.policy, need)));
  const tool = active.find(({ name }) => name === call.name);
  if (tool === undefined) {
    const missing = here.find(({ name }) => name === call.name)?.needs.filter((need) => !grants(context.policy, need));
    const why = missing ? `the user did not grant ${missing.join(" and ")}` : "there is no such tool";
    return errorResult(
      `Tool "${call.name}" is not available: ${why}. Available: ${active.map(({ name }) => name).join(", ") || "none"}`,
    );
  }
  const args = (await argsOf(tool)).safeParse(call.args);
  if (!args.success) {
    return errorResult(`Invalid arguments for ${tool.name}: ${args.error.issues.map(complaint).join("; ")}`);
  }
  // Cancelled in the line after the call's own.
  if (context.signal.aborted) return errorResult("Operation aborted");
  try {
    return await tool.run(args.data, context);
  } catch (error) {
    const text = explainFailure(tool.name, error, context.policy);
    return errorResult(text, deniedDetails(deniedBy(error), text));
  }
}

/** One fault of the arguments; the small build of zod has no texts of its own. */
function complaint(issue: z.core.$ZodIssue): string {
  const fault = issue.code === "invalid_type" ? `must be ${issue.expected}` : issue.message;
  return `${issue.path.join(".") || "the arguments"}: ${fault}`;
}
