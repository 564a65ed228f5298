import type { Rendered } from "../../core/prompt.ts";
import { countCharacters } from "../../core/support/text.ts";

/** A section whose text the caller hands in. */
export function fromCaller(ref: string, text: string | undefined): Rendered | undefined {
  if (!text) return undefined;
  const chars = countCharacters(text);
  return { text, sources: [{ kind: "caller", ref, status: "loaded", chars, kept: chars }] };
}
