import type { ExtensionTool } from "../../core/host_actions.ts";
import { withoutTold } from "../../core/grant_option.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Tool, Zod } from "../../core/tool.ts";
import { argumentIssues } from "../../mcp/arguments.ts";
import type { KnownTool } from "./toolset.ts";

/** A tool of an extension or of an MCP server, as that describes it: its schema is sent as it is. */
type ForeignTool = Omit<ExtensionTool, "extension"> & { readonly server?: string };

/**
 * A tool of an extension or a server as one of the session. Its code runs where it lives, never in the host: `run` takes
 * the call there.
 *
 * Of the schema the host checks types, required keys, choices and closed objects, and compiles nothing of it: a pattern
 * that somebody else wrote could stop the program. Keys that it may know are not taken away.
 */
export function foreignTool(
  brought: ForeignTool,
  origin: KnownTool["origin"],
  run: KnownTool["run"],
  isLate = false,
): KnownTool {
  const { name, description, promptSnippet, promptGuidelines, parameters } = brought;
  const args = (z: Zod) =>
    z.looseObject({}).check((context) => {
      const given = context.value as JsonObject; // arguments are what a model's JSON held
      for (const { path, message } of argumentIssues(given, parameters)) {
        context.issues.push({ code: "custom", input: given, path: [...path], message });
      }
    });
  const tool: Tool = {
    name,
    description,
    args,
    promptSnippet: promptSnippet ?? "",
    ...(promptGuidelines ? { promptGuidelines } : {}),
    needs: [],
    // Whatever the server claims: a foreign tool never runs in parallel with other calls for being read-only (X18).
    readOnly: false,
    place: "shell",
    run: () => Promise.reject(new Error(`the tool ${name} does not run here`)),
  };
  return {
    tool,
    definition: { name, description, parameters },
    origin,
    // Whoever brought it does not say which lines of its text a person need not see.
    run: async (...call) => withoutTold(await run(...call)),
    ...(isLate ? { isLate } : {}),
    ...(brought.server === undefined ? {} : { server: brought.server }),
  };
}
