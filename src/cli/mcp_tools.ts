import type { McpTool } from "../mcp/open.ts";
import { foreignTool } from "./engine/foreign_tool.ts";
import type { KnownTool } from "./engine/toolset.ts";

/** Tools of servers as tools of the session. */
export function mcpTools(tools: readonly McpTool[]): readonly KnownTool[] {
  return tools.map((tool) => foreignTool(tool, "mcp", tool.run));
}
