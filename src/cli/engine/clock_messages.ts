import { formatDateTime } from "../../context/date_time.ts";
import type { CustomMessage } from "../../core/message.ts";
import { runtimeMetadataMessage } from "../../prompt/runtime_metadata.ts";
import type { EngineCore } from "./core.ts";

/** A clock in the system prompt that is younger than this needs no other one beside the user's words (K7), milliseconds. */
const FRESH_CLOCK_MS = 60_000;

/** The moment of the user's words, where the prompt's own clock does not tell it (K7) and its text says what that is (R415). */
export function clockMessages(core: Pick<EngineCore, "prompt">): CustomMessage[] {
  const now = Date.now();
  if (!core.prompt.base().inputs.metadataMessages) return [];
  if (now - core.prompt.reading().at < FRESH_CLOCK_MS) return [];
  const content = runtimeMetadataMessage({ time: formatDateTime(now) });
  return content === undefined
    ? []
    : [{ role: "custom", customType: "runtime_metadata", content, display: false, timestamp: now }];
}
