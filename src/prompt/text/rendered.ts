import type { PromptSource, Rendered, StableInputs } from "../../core/prompt.ts";
import { countCharacters } from "../../core/support/text.ts";
import { clean } from "./clean.ts";

/**
 * Whether a SYSTEM.md owns the base: then none of the sections of the default base renders, nor the safety lines (R8).
 *
 * An empty file does not count, so that the model is never left without an identity; nor does it in profile `none`, which
 * reads no file (R42).
 */
export function isOverridden(inputs: StableInputs): boolean {
  const file = inputs.systemOverride;
  return inputs.profile !== "none" && file?.status === "loaded" && clean(file.text ?? "") !== "";
}

/** A section made from one text, all of which is kept. */
export function whole(kind: PromptSource["kind"], ref: string, text: string): Rendered {
  const chars = countCharacters(text);
  return { text, sources: [{ kind, ref, status: "loaded", chars, kept: chars }] };
}

/** A section made from the program's own words alone. */
export function builtin(ref: string, text: string): Rendered {
  return whole("builtin", ref, text);
}

/** A section that is a list of the program's own sentences. */
export function bullets(ref: string, lines: readonly string[]): Rendered {
  return builtin(ref, lines.map((line) => `- ${line}`).join("\n"));
}

/** Whether a tool of that name is active. */
export function hasTool(inputs: { readonly tools: readonly { readonly name: string }[] }, name: string): boolean {
  return inputs.tools.some((tool) => tool.name === name);
}
