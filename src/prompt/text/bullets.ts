import type { Rendered } from "../../core/prompt.ts";
import { builtin } from "./base.ts";

/** A section that is a list of the program's own sentences. */
export function bullets(ref: string, lines: readonly string[]): Rendered {
  return builtin(ref, lines.map((line) => `- ${line}`).join("\n"));
}

/** Whether a tool of that name is active. */
export function hasTool(inputs: { readonly tools: readonly { readonly name: string }[] }, name: string): boolean {
  return inputs.tools.some((tool) => tool.name === name);
}
