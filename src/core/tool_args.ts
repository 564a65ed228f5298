import type * as z from "zod/mini";
import type { Tool, Zod } from "./tool.ts";

let loading: Promise<Zod> | undefined;
const made = new WeakMap<Tool["args"], z.ZodMiniType<unknown>>();

/** Loads what checks arguments, ahead of the first call: it costs milliseconds, and no start needs it. */
export function loadZod(): Promise<Zod> {
  loading ??= import("./support/zod.ts");
  return loading;
}

/** The schema that a tool's arguments are checked against; made with its first call, the same one afterwards. */
export async function argsOf(tool: Pick<Tool, "args">): Promise<z.ZodMiniType<unknown>> {
  const known = made.get(tool.args);
  if (known) return known;
  const schema = await tool.args(await loadZod());
  made.set(tool.args, schema);
  return schema;
}
