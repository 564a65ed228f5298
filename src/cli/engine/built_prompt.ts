import { type AgentMessage, textOf } from "../../core/message.ts";
import { unlessAborted } from "../../core/unless_aborted.ts";
import { buildCustomPrompt, type PromptBuilder } from "../../prompt/custom_prompt.ts";
import type { EngineCore } from "./core.ts";

/**
 * Lets a program's builder write the prompt of a run, after extensions had their say (R54).
 *
 * What the builder throws, and a blank text, are thrown: a run without the prompt that the program wants must not begin.
 * When the run is stopped meanwhile nothing is written; its first request is then not made either.
 */
export async function settleBuilt(
  { prompt }: Pick<EngineCore, "prompt">,
  builder: PromptBuilder | undefined,
  task: string,
  signal: AbortSignal,
): Promise<void> {
  if (!builder) return;
  const { full, manifest } = prompt.peek();
  const input = { ...prompt.registry(), prompt: task, systemPrompt: full, signal };
  try {
    const built = await unlessAborted(buildCustomPrompt(builder, input), signal);
    // The builder saw the compiled prompt and what extensions made of it, and may have kept any of it.
    const stable = { ...built.stable, diagnostics: manifest.diagnostics };
    prompt.settle({ ...built, stable, hooks: manifest.hooks });
  } catch (error) {
    prompt.settle(undefined);
    if (!signal.aborted) throw error;
  }
}

/** What the person said last: the task of a run that goes on without new words. */
export function lastWords(messages: readonly AgentMessage[]): string {
  const last = messages.findLast((message) => message.role === "user");
  return last ? textOf(last.content) : "";
}
