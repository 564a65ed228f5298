import { METADATA_KEY } from "../text/runtime_metadata.ts";
import type { StableSection } from "../text/section.ts";
import { metadataSentence } from "../text/text.ts";
import { builtin } from "../text/base.ts";

/** What the messages with runtime metadata are, when there are any (R415). */
export const runtimeMetadata: StableSection = {
  id: "runtime_metadata",
  stability: "stable",
  profiles: ["full"],
  render: (inputs) => inputs.metadataMessages ? builtin("runtime_metadata", metadataSentence(METADATA_KEY)) : undefined,
};
