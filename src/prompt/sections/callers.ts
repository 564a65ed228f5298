import { countCharacters } from "../../core/support/text.ts";
import { fromBlocks } from "../text/blocks.ts";
import { oneLine } from "../text/clean.ts";
import { memoryText } from "../text/memory.ts";
import { fromCaller } from "../text/rendered.ts";
import type { DynamicSection, StableSection } from "../text/section.ts";

/** The caller's own rules as a list (R53). */
export const rules: StableSection = {
  id: "rules",
  title: "Rules",
  stability: "stable",
  profiles: ["full", "minimal"],
  budget: { total: 20_000 },
  render: (inputs) => {
    const text = inputs.rules.map(oneLine).filter(Boolean).map((line) => `- ${line}`).join("\n");
    const chars = countCharacters(text);
    return { text, sources: [{ kind: "caller", ref: "rules", status: "loaded", chars, kept: chars }] };
  },
};

/** What the channel in use adds, and nothing of any other (R407, R408). */
export const channelAugment: DynamicSection = {
  id: "channel_augment",
  stability: "dynamic",
  profiles: ["full", "minimal"],
  budget: { total: 8_000 },
  render: ({ channel }) => channel && fromBlocks(channel.blocks, "runtime", oneLine(channel.name)),
};

/** What the loop wants done differently after a failure (R44). */
export const retryInstruction: DynamicSection = {
  id: "retry_instruction",
  title: "Retry Instruction",
  stability: "dynamic",
  isOfRound: true,
  profiles: ["full", "minimal"],
  budget: { total: 2_000 },
  render: (inputs) => fromCaller("retry_instruction", inputs.retryInstruction),
};

/** A text that the caller adds to this request; the program itself passes none (R48). */
export const dynamicContext: DynamicSection = {
  id: "dynamic_context",
  title: "Dynamic Context",
  stability: "dynamic",
  profiles: ["full"],
  budget: { total: 8_000 },
  render: (inputs) => fromCaller("dynamic_context", inputs.dynamicContext),
};

/** What earlier sessions left, after every other block (R401, R405). */
export const memorySummaries: DynamicSection = {
  id: "memory_summaries",
  title: "Memory",
  stability: "dynamic",
  profiles: ["full"],
  budget: { total: 8_000 },
  render: ({ memory }) => memory && memoryText(memory),
};
