import { sha256 } from "../core/digest.ts";
import { UserError } from "../core/error.ts";
import type { PromptTool } from "../core/prompt.ts";
import type { ToolDefinition } from "../core/provider.ts";
import { countCharacters } from "../core/text.ts";
import { clean } from "./clean.ts";
import { stablePart } from "./compile.ts";
import type { SettledPrompt } from "./settled.ts";

/** The active tools: as the prompt would list them, and as the request defines them. */
export interface ToolRegistry {
  readonly tools: readonly PromptTool[];
  readonly definitions: readonly ToolDefinition[];
}

/** Writes a whole system prompt. Called once for each message of the user; what it throws ends the run. */
export type PromptBuilder = (registry: ToolRegistry, task: string) => string;

/**
 * A prompt that a builder passed in code wrote: it stands in place of the whole rendering (R54). Rounds still add what
 * happened in them, see `compileSettled`. Throws `UserError` for a blank text: no model should run without a prompt.
 */
export function buildCustomPrompt(builder: PromptBuilder, registry: ToolRegistry, task: string): SettledPrompt {
  const text = clean(builder(registry, task));
  if (text === "") {
    throw new UserError({
      what: "The prompt builder returned no text",
      why: "a request without a system prompt would run without identity and rules",
      fix: "Return the whole system prompt as one string, or pass no builder",
    });
  }
  const chars = countCharacters(text);
  const digest = sha256(text);
  const source = {
    kind: "caller",
    ref: "prompt_builder",
    status: "loaded",
    chars,
    kept: chars,
    sha256: digest,
  } as const;
  const section = { id: "custom_prompt", stability: "stable", chars, kept: chars, sha256: digest } as const;
  return {
    stable: stablePart({ text, sections: [{ ...section, sources: [source] }], diagnostics: [] }),
    dynamic: { text: "", sections: [], diagnostics: [] },
    hooks: [],
  };
}
