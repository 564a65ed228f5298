import type { Provider, ThinkingLevel } from "../../core/provider.ts";

/** Who answers at the moment. */
export interface ActiveModel {
  readonly provider: Provider;
  /** As the person names it, for example `gpt-5` or `replay:FILE`. */
  readonly id: string;
  /** Tokens. */
  readonly contextWindow: number;
  /** Output limit for the request; the server's own where the model is not known. */
  readonly maxTokens: number | undefined;
  readonly thinking: ThinkingLevel;
}
