import { METADATA_KEY } from "../runtime_metadata.ts";
import type { StableSection } from "../section.ts";
import { metadataSentence } from "../text.ts";
import { builtin } from "./base.ts";

/** What the messages with runtime metadata are, when there are any (R415). */
export const runtimeMetadata: StableSection = {
  id: "runtime_metadata",
  stability: "stable",
  profiles: ["full"],
  render: (inputs) => inputs.metadataMessages ? builtin("runtime_metadata", metadataSentence(METADATA_KEY)) : undefined,
};
