import * as z from "zod/mini";
import type { Tool } from "../core/tool.ts";
import type { McpTool } from "../mcp/open.ts";
import type { KnownTool } from "./engine/toolset.ts";

/** Tools of servers as tools of the session. */
export function mcpTools(tools: readonly McpTool[]): readonly KnownTool[] {
  return tools.map(({ name, description, parameters, issues, run }): KnownTool => {
    // Not made from the schema: what a server wrote is not compiled here, and keys that it may know are not taken away.
    const args = z.looseObject({}).check((context) => {
      // Arguments are what a model's JSON held.
      for (const issue of issues(context.value as Parameters<McpTool["issues"]>[0])) {
        context.issues.push({ code: "custom", input: context.value, path: [...issue.path], message: issue.message });
      }
    });
    const tool: Tool = {
      name,
      description,
      args,
      promptSnippet: "",
      needs: [],
      // Whatever a server says of itself: its calls never run side by side with others for being harmless (X18).
      readOnly: false,
      place: "shell",
      run: () => Promise.reject(new Error(`the tool ${name} does not run here`)),
    };
    return { tool, definition: { name, description, parameters }, origin: "mcp", run };
  });
}
