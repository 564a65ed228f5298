import { fromFileUrl, join } from "@std/path";
import { isObject, type JsonObject } from "../../src/core/json.ts";
import type { ToolDefinition } from "../../src/core/provider.ts";

const FOLDER = fromFileUrl(new URL("../fixtures", import.meta.url));

/** The text of a fixture. */
export function readFixture(name: string): string {
  return Deno.readTextFileSync(join(FOLDER, name));
}

/** One case of tool-calls.json. */
export interface ToolCase {
  readonly name: string;
  readonly tool: string;
  readonly raw: string;
  readonly expected: JsonObject | null;
  readonly expectedTool?: string;
  readonly reason?: string;
}

// The shape is the fixture's own readme; a wrong one fails the first test that reads it.
const file = JSON.parse(readFixture("tool-calls.json")) as {
  readonly tools: Readonly<Record<string, JsonObject>>;
  readonly cases: readonly ToolCase[];
};

export const TOOL_CASES: readonly ToolCase[] = file.cases;

/** The tools that the fixtures take for granted. */
export const TOOLS: readonly ToolDefinition[] = Object.entries(file.tools).map(([name, parameters]) => ({
  name,
  description: name,
  parameters,
}));

/** The arguments that a refused call keeps: those that the model sent, or none if they are no JSON object or hostile. */
export function asSent(raw: string): unknown {
  try {
    const value = JSON.parse(raw);
    return isObject(value) && !raw.includes("__proto__") ? value : {};
  } catch {
    return {};
  }
}
