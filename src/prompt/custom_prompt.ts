import { UserError } from "../core/error.ts";
import { clean } from "./text/clean.ts";
import { type PromptOverride, stablePart } from "./compile.ts";
import { foreignSection } from "./halves.ts";
import type { PromptBuilder, PromptBuilderInput } from "./prompt_builder.ts";

/**
 * A prompt that a builder passed in code wrote: it stands in place of the whole rendering (R54). Rounds still add what
 * happened in them, see `compileOverride`. Throws `UserError` for a blank text: no model should run without a prompt.
 */
export async function buildCustomPrompt(builder: PromptBuilder, input: PromptBuilderInput): Promise<PromptOverride> {
  const given: unknown = await builder(input); // a program without types may give anything
  const text = typeof given === "string" ? clean(given) : "";
  if (text === "") {
    throw new UserError({
      what: "The prompt builder returned no text",
      why: "a request without a system prompt would run without identity and rules",
      fix: "Return the whole system prompt as one string, or pass no builder",
    });
  }
  const section = foreignSection("custom_prompt", "stable", text, { kind: "caller", ref: "prompt_builder" });
  return {
    stable: stablePart({ text, sections: [section], diagnostics: [] }),
    dynamic: { text: "", sections: [], diagnostics: [] },
    hooks: [],
  };
}
