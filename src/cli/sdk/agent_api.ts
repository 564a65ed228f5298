import type { Engine, PromptOutcome, UserPrompt } from "../../core/engine.ts";
import type { AgentEvent } from "../../core/event.ts";

/** What a program says: a text, or a text with pictures and with what to do while a run goes on. */
export type Said = string | Omit<UserPrompt, "source" | "ready">;

/**
 * An agent in this process: one session with its tools, hooks and model.
 *
 * `await using` closes it; so does `close()`. Until then it holds a process or two that wait for tool calls.
 */
export interface Agent extends Engine, AsyncDisposable {
  /**
   * Runs one prompt and gives its events in order; the generator's return value says how it ended. Walking away from the
   * events stops the run. Throws UserError while another run goes on.
   */
  run(said: Said): AsyncGenerator<AgentEvent, PromptOutcome>;
  /** Runs one prompt and gives the text of the last reply. Throws UserError when the run ended any other way than done. */
  answer(said: Said): Promise<string>;
}
