import { sha256 } from "../core/support/digest.ts";
import { UserError } from "../core/error.ts";
import type { PromptTool } from "../core/prompt.ts";
import type { ToolDefinition } from "../core/provider.ts";
import { countCharacters } from "../core/support/text.ts";
import { clean } from "./text/clean.ts";
import { type PromptOverride, stablePart } from "./compile.ts";

/** The active tools: as the prompt would list them, and as the request defines them. */
export interface ToolRegistry {
  /** One line, and sentences on how to use it, for each tool that has them. */
  readonly tools: readonly PromptTool[];
  /** Names, descriptions and schemas. */
  readonly definitions: readonly ToolDefinition[];
}

/** What a prompt builder gets to work with. */
export interface PromptBuilderInput extends ToolRegistry {
  /** The task: what the user said, templates and skills put in. */
  readonly prompt: string;
  /** The system prompt as it was compiled, and as extensions left it. */
  readonly systemPrompt: string;
  /** Aborts when the run is stopped; what the builder gives after that is not used. */
  readonly signal: AbortSignal;
}

/** Writes a whole system prompt. Called once for each message of the user; what it throws ends the run. */
export type PromptBuilder = (input: PromptBuilderInput) => string | Promise<string>;

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
