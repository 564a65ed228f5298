import type { JsonObject } from "../../core/json.ts";

/** The one key of a metadata message. */
export const METADATA_KEY = "sandpiper_runtime";

/** What a message that grew too large keeps, when it fits. */
const KEPT = ["trigger", "correlationId"] as const;

/**
 * The text of the user message that carries facts about the moment: one JSON object under one fixed key (R414).
 *
 * Nothing to tell: undefined, and no message is sent (R413). Over `maxBytes` of UTF-8 a stub that says so takes its
 * place, with `trigger` and `correlationId` where they fit (R416).
 */
export function runtimeMetadataMessage(data: JsonObject, maxBytes = 4096): string | undefined {
  if (Object.keys(data).length === 0) return undefined;
  const short = Object.fromEntries(KEPT.flatMap((key) => typeof data[key] === "string" ? [[key, data[key]]] : []));
  const forms: readonly JsonObject[] = [data, { truncated: true, ...short }, { truncated: true }];
  const texts = forms.map((form) => JSON.stringify({ [METADATA_KEY]: form }));
  return texts.find((text) => new TextEncoder().encode(text).length <= maxBytes) ?? texts.at(-1);
}
