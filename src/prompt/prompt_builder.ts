import type { PromptTool } from "../core/prompt.ts";
import type { ToolDefinition } from "../core/provider.ts";

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
