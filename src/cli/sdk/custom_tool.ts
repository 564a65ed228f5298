import * as z from "zod/mini";
import type { JsonObject } from "../../core/json.ts";
import { errorResult } from "../../core/tool.ts";
import type { ToolResult } from "../../core/tool_result.ts";
import type { ExtensionContext, ExtensionFactory, ToolRegistration } from "../../hooks/api/api.ts";

/**
 * A tool that runs in the embedding program, with all that this program may do: the sandbox is around the built-in tools
 * and not around this one.
 */
// deno-lint-ignore no-explicit-any -- arguments have the shape of `parameters`; `defineTool` infers it from a schema of zod
export interface CustomTool<A = any> extends Omit<ToolRegistration, "parameters" | "execute"> {
  /** A JSON Schema of an object, or a schema of zod, which then checks the arguments before every call. */
  readonly parameters: JsonObject | ZodSchema<A>;
  /**
   * Runs one call, as `execute` of `registerTool`. A string is a text result. What it throws becomes an error result, which
   * the model reads.
   *
   * `signal` aborts when the run is stopped; what the tool started should end then. `onUpdate` shows partial results.
   */
  execute(
    toolCallId: string,
    params: A,
    signal: AbortSignal,
    onUpdate: (partial: ToolResult | string) => void,
    ctx: ExtensionContext,
  ): ToolResult | string | Promise<ToolResult | string>;
}

/** A schema of zod (4, plain or mini), as far as tools need it. */
export interface ZodSchema<A> {
  /** Where zod keeps what a schema gives. */
  readonly _zod: { readonly output: A };
}

/** Gives `execute` the type of the arguments that a schema of zod has. */
export function defineTool<A>(tool: CustomTool<A> & { readonly parameters: ZodSchema<A> }): CustomTool {
  return tool;
}

/** Custom tools as an extension that brings them. */
export function toolsExtension(tools: readonly CustomTool[]): ExtensionFactory {
  return (sp) => {
    for (const tool of tools) sp.registerTool(registration(tool));
  };
}

function registration(tool: CustomTool): ToolRegistration {
  const { name, description, promptSnippet, promptGuidelines, parameters } = tool;
  const schema = isZod(parameters) ? parameters : undefined;
  return {
    name,
    description,
    ...(promptSnippet === undefined ? {} : { promptSnippet }),
    ...(promptGuidelines === undefined ? {} : { promptGuidelines }),
    // What zod makes of a schema is JSON.
    parameters: schema ? z.toJSONSchema(schema) as unknown as JsonObject : parameters as JsonObject,
    execute(toolCallId, params, ...rest) {
      const parsed = schema?.safeParse(params);
      if (parsed && !parsed.success) return errorResult(`Cannot run ${name}: ${wrong(parsed.error)}`);
      return tool.execute(toolCallId, parsed ? parsed.data : params, ...rest);
    },
  };
}

function isZod(parameters: CustomTool["parameters"]): parameters is z.ZodMiniType & ZodSchema<unknown> {
  return "_zod" in parameters;
}

function wrong(error: z.core.$ZodError): string {
  return error.issues.map(({ path, message }) => `${path.map(String).join(".") || "the arguments"}: ${message}`).join(
    "; ",
  );
}
