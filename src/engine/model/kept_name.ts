import type { SessionContext } from "../../core/session.ts";
import type { ProviderTable } from "../../provider/table/table.ts";

/** The model that a session used last. */
export type KeptModel = NonNullable<SessionContext["model"]>;

/** The provider's name of a cassette in sessions. */
export const REPLAY = "replay";

/**
 * What a session's model is chosen by; nothing where its provider is not known here, or where a cassette's replies name no
 * file.
 */
export function keptName({ provider, modelId }: KeptModel, table: ProviderTable): string | undefined {
  if (provider === REPLAY) return modelId.startsWith("replay:") ? modelId : undefined;
  // A prefix is taken off once: one that the model's own name begins with stays.
  return table.has(provider) ? `${provider}/${modelId}` : undefined;
}
