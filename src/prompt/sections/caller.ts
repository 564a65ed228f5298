import type { Rendered } from "../../core/prompt.ts";
import { sizeOf } from "../size.ts";

/** A section whose text the caller hands in. */
export function fromCaller(ref: string, text: string | undefined): Rendered | undefined {
  if (!text) return undefined;
  const chars = sizeOf(text);
  return { text, sources: [{ kind: "caller", ref, status: "loaded", chars, kept: chars }] };
}
