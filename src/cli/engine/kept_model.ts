import type { SessionContext } from "../../core/session.ts";
import type { ModelChoice } from "../model.ts";

/** The model that a session used last. */
export type KeptModel = NonNullable<SessionContext["model"]>;

/** What becomes of a session's model: another choice, or why it cannot be one; undefined: all stays as it is. */
export type Restored = { readonly choice: ModelChoice } | { readonly why: string };

/**
 * Decides whether the model of a session that is gone on with answers again.
 *
 * `choose` throws UserError for a model that cannot be had. A cassette's replies name no model; only `replay:FILE` does.
 */
export function restoredModel(
  { provider, modelId }: KeptModel,
  now: { readonly provider: string; readonly id: string },
  choose: (id: string) => ModelChoice,
): Restored | undefined {
  const isReplay = provider === "replay";
  if ((provider === now.provider && modelId === now.id) || (isReplay && !modelId.startsWith("replay:"))) {
    return undefined;
  }
  if (!isReplay && provider !== "openai") return { why: `the provider ${provider} is not known here` };
  try {
    // A prefix is taken off once: this one belongs to the name.
    const choice = choose(modelId.startsWith("openai/") ? `openai/${modelId}` : modelId);
    if (choice.kind !== (isReplay ? "replay" : "openai")) return { why: "it is no name of a model" };
    if (choice.kind === "replay") Deno.statSync(choice.file);
    return { choice };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}
