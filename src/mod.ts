/**
 * sandpiper as a library: an agent in your own program, with its tools in the sandbox and your own beside them.
 *
 * ```ts
 * import { createAgent } from "sandpiper";
 *
 * await using agent = await createAgent({ cwd: "/path/to/project", model: "gpt-5-mini" });
 * console.log(await agent.answer("What does this project do?"));
 * ```
 *
 * @module
 */
export { createAgent } from "./cli/sdk/agent.ts";
export { defineTool } from "./cli/sdk/custom_tool.ts";
export * from "./cli/sdk/names.ts";
