import { UserError } from "../../src/core/error.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { CustomTool, ZodSchema } from "../../src/cli/sdk/custom_tool.ts";
import type { ExtensionFactory, ToolRegistration } from "../../src/hooks/api/api.ts";
import { SDK_PACKAGE } from "../../src/core/version.ts";

/** Gives `execute` the type of the arguments that a schema of zod has. */
export function defineTool<A>(tool: CustomTool<A> & { readonly parameters: ZodSchema<A> }): CustomTool {
  return tool;
}

/** Custom tools as an extension that brings them. Rejects with a UserError where zod cannot be loaded. */
export function toolsExtension(tools: readonly CustomTool[]): ExtensionFactory {
  return async (sp) => {
    for (const tool of tools) sp.registerTool(await registration(tool));
  };
}

/** The part of a schema of zod 4 in use. */
interface Zod {
  safeParse(value: unknown): {
    readonly success: boolean;
    readonly data?: unknown;
    readonly error?: {
      readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
    };
  };
}

async function registration(tool: CustomTool): Promise<ToolRegistration> {
  const { name, description, promptSnippet, promptGuidelines, parameters } = tool;
  // What has `_zod` is a schema of zod 4, which has `safeParse` in each of its flavours.
  const schema = "_zod" in parameters ? parameters as unknown as Zod : undefined;
  return {
    name,
    description,
    ...(promptSnippet === undefined ? {} : { promptSnippet }),
    ...(promptGuidelines === undefined ? {} : { promptGuidelines }),
    parameters: schema ? await jsonSchema(name, schema) : parameters as JsonObject,
    execute(toolCallId, params, ...rest) {
      const parsed = schema?.safeParse(params);
      if (parsed && !parsed.success) {
        const wrong = (parsed.error?.issues ?? []).map(({ path, message }) =>
          `${path.map(String).join(".") || "the arguments"}: ${message}`
        );
        return { content: [{ type: "text", text: `Cannot run ${name}: ${wrong.join("; ")}` }], isError: true };
      }
      return tool.execute(toolCallId, parsed ? parsed.data : params, ...rest);
    },
  };
}

async function jsonSchema(name: string, schema: Zod): Promise<JsonObject> {
  // The program's own zod: this package brings none. Not named in the import, so that no bundler looks for it.
  const module = "zod/mini";
  try {
    const { toJSONSchema } = await import(module);
    return toJSONSchema(schema);
  } catch (error) {
    throw new UserError({
      what: `The schema of the tool "${name}" was not read`,
      why: error instanceof Error ? error.message : String(error),
      fix: `Install zod 4 beside ${SDK_PACKAGE}, or give a JSON Schema`,
    });
  }
}
