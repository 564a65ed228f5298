/** A titled text that a host adds. */
export interface PromptBlock {
  readonly title: string;
  readonly content: string;
}

/** What the runtime in use adds: how the model is talked to, and whether anybody can answer (R407–R410). */
export interface PromptChannel {
  readonly name: string;
  readonly blocks: readonly PromptBlock[];
}
