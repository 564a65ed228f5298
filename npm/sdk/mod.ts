/**
 * sandpiper from Node, Bun and Deno: an agent in a sandpiper process of its own, with the methods, events and types of one
 * that is embedded.
 *
 * ```ts
 * import { createAgent } from "@sandpiper/sdk";
 *
 * const agent = await createAgent({ cwd: "/path/to/project", model: "gpt-5-mini" });
 * console.log(await agent.answer("What does this project do?"));
 * await agent.close();
 * ```
 *
 * @module
 */
export { createAgent } from "./agent.ts";
export type { SdkOptions } from "./options.ts";
export { defineTool } from "./tools.ts";
export * from "../../src/cli/sdk/names.ts";
