// A prompt that somebody else wrote, a hook or a caller's builder, for one message of the user. Rounds add to it what
// happened in them and change nothing else (R57, K17).
import type { CompiledPrompt } from "../core/compiled_prompt.ts";
import type { PromptInputs } from "../core/prompt.ts";
import type { JsonObject } from "../core/json.ts";
import { type CompileMeta, joinParts, type StablePart } from "./compile.ts";
import { finishDynamic, type Half, joinSections } from "./halves.ts";

/** Both halves, kept until the user's next message. */
export interface PromptOverride {
  readonly stable: StablePart;
  readonly dynamic: Half;
  /** For the manifest's `hooks`: who wrote what. */
  readonly hooks: readonly JsonObject[];
}

/**
 * The prompt of one round: the override, then what this round has to add.
 *
 * `meta.diagnostics` must not repeat what the override was made with; it brings that along.
 */
export function compileOverride(override: PromptOverride, inputs: PromptInputs, meta: CompileMeta): CompiledPrompt {
  const { stable, dynamic, hooks } = override;
  const round = joinSections(finishDynamic(inputs, "round"));
  const both: Half = {
    text: [dynamic.text, round.text].filter(Boolean).join("\n\n"),
    sections: [...dynamic.sections, ...round.sections],
    diagnostics: [...dynamic.diagnostics, ...round.diagnostics],
  };
  return joinParts(stable, both, inputs, { ...meta, hooks: [...meta.hooks, ...hooks] });
}
