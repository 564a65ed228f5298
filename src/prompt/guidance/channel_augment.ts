import { oneLine } from "../text/clean.ts";
import type { DynamicSection } from "../text/section.ts";
import { fromBlocks } from "../text/blocks.ts";

/** What the channel in use adds, and nothing of any other (R407, R408). */
export const channelAugment: DynamicSection = {
  id: "channel_augment",
  stability: "dynamic",
  profiles: ["full", "minimal"],
  budget: { total: 8_000 },
  render: ({ channel }) => channel && fromBlocks(channel.blocks, "runtime", oneLine(channel.name)),
};
