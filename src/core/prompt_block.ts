/** A titled text that a host adds. */
export interface PromptBlock {
  /** Its heading. */
  readonly title: string;
  /** What stands below the heading. */
  readonly content: string;
}

/** What the runtime in use adds: how the model is talked to, and whether anybody can answer (R407–R410). */
export interface PromptChannel {
  /** For example `interactive` or `rpc`. */
  readonly name: string;
  /** In the order given. */
  readonly blocks: readonly PromptBlock[];
}
