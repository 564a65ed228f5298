// Apart from tool.ts, whose types name zod: a type of the SDK names no package but its own.
import type { JsonObject } from "./json.ts";
import type { ImageContent, TextContent } from "./message.ts";

/** What a tool gives back to the model. */
export interface ToolResult {
  /** What the model gets. */
  readonly content: readonly (TextContent | ImageContent)[];
  /** For readers of events; never sent to the model. */
  readonly details?: JsonObject;
  /** Whether the call failed. */
  readonly isError?: boolean;
}
