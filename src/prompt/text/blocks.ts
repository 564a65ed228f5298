import { sha256 } from "../../core/support/digest.ts";
import type { Rendered } from "../../core/prompt.ts";
import type { PromptBlock } from "../../core/prompt.ts";
import { countCharacters } from "../../core/support/text.ts";
import { clean, oneLine } from "./clean.ts";
import type { StableSection } from "./section.ts";

/** What an embedding program appended, in the order of appending (R50, R52). */
export const blocks: StableSection = {
  id: "blocks",
  stability: "stable",
  profiles: ["full"],
  budget: { total: 50_000 },
  render: (inputs) => fromBlocks(inputs.blocks ?? [], "caller", "blocks"),
};

/** Titled blocks in their order; one without content leaves nothing, one without title is called `Context`. */
export function fromBlocks(list: readonly PromptBlock[], kind: "caller" | "runtime", ref: string): Rendered {
  const shown = list.map(({ title, content }) => ({ title: oneLine(title) || "Context", content: clean(content) }))
    .filter(({ content }) => content !== "");
  return {
    text: shown.map(({ title, content }) => `## ${title}\n${content}`).join("\n\n"),
    // By number and not by title: a manifest holds nothing of the prompt's text.
    sources: shown.map(({ content }, at) => {
      const chars = countCharacters(content);
      return { kind, ref: `${ref}:${at + 1}`, status: "loaded", chars, kept: chars, sha256: sha256(content) };
    }),
  };
}
