import type { JsonObject } from "../../core/json.ts";
import type { Tool } from "../../core/tool.ts";
import type { KnownTool } from "./toolset.ts";

/** A tool that somebody else brought, as its bringer describes it. */
export interface ForeignTool {
  readonly name: string;
  readonly description: string;
  readonly promptSnippet?: string;
  readonly promptGuidelines?: readonly string[];
  /** JSON Schema of the arguments: sent as it is, and what arguments are checked against. */
  readonly parameters: JsonObject;
}

/**
 * Makes tools of extensions and servers ones of the session. Their code runs where it lives, never in the host: `run`
 * takes the call there. A schema that cannot be checked here lets every object through; the bringer checks its own.
 */
export async function foreignTools(
  brought: readonly ForeignTool[],
  origin: KnownTool["origin"],
  run: (name: string, ...call: Parameters<KnownTool["run"]>) => ReturnType<KnownTool["run"]>,
): Promise<readonly KnownTool[]> {
  if (brought.length === 0) return [];
  // The whole library, which can read JSON Schema: loaded only where such a tool exists.
  const z = await import("zod");
  const schemaOf = (parameters: JsonObject): Tool["args"] => {
    try {
      return z.fromJSONSchema(parameters) as unknown as Tool["args"]; // the loop uses `safeParse`, which both kinds have
    } catch {
      return z.looseObject({}) as unknown as Tool["args"]; // the same
    }
  };
  return brought.map(({ name, description, promptSnippet, promptGuidelines, parameters }) => ({
    tool: {
      name,
      description,
      args: schemaOf(parameters),
      promptSnippet: promptSnippet ?? "",
      ...(promptGuidelines ? { promptGuidelines } : {}),
      needs: [],
      readOnly: false,
      place: "shell",
      run: () => Promise.reject(new Error(`the tool ${name} does not run here`)),
    },
    definition: { name, description, parameters },
    origin,
    run: (args, callId, options) => run(name, args, callId, options),
  }));
}
