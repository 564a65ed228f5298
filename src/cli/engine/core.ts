import type { Queues } from "../../agent/queues.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { Hooks } from "../../core/hook.ts";
import type { Config } from "../config.ts";
import type { ToolsHost } from "../tools_host.ts";
import type { Compactor } from "./compaction.ts";
import type { Conversation } from "./conversation.ts";
import type { InputSources } from "./inputs.ts";
import type { ModelState } from "./model_state.ts";
import type { PromptState } from "./prompt_state.ts";
import type { Toolset } from "./toolset.ts";
import type { Work } from "./work.ts";

/** What goes on by itself, or does not, since somebody said so. */
export interface AutoSwitches {
  /** Whether the history is shortened. */
  on: boolean;
  /** Whether failed requests are made again; undefined: the settings say it. */
  retry?: boolean;
}

/** The parts of an open session, for the modules that make up the engine. */
export interface EngineCore {
  readonly config: () => Config;
  readonly tools: ToolsHost;
  readonly toolset: Toolset;
  readonly conversation: Conversation;
  readonly queues: Queues;
  readonly prompt: PromptState;
  readonly model: ModelState;
  readonly compactor: Compactor;
  readonly auto: AutoSwitches;
  readonly inputs: () => InputSources;
  readonly hooks: () => Hooks | undefined;
  readonly work: Work;
  /** Called before each request: a grant may have made another policy, which prompt and tools then follow. */
  readonly followPolicy: () => void;
  /** Another session begins: extensions that were granted something for the one before are loaded again without it. */
  readonly renewExtensions: () => Promise<void>;
  /** Called before each prompt: waits for servers that are still starting, and takes the tools that they have now. */
  readonly followServers: (signal: AbortSignal) => Promise<void>;
  /** Everything that happens goes through here: kept first, then told to hooks, audit and subscribers. */
  readonly emit: (event: AgentEvent) => void;
}

/** Tells a person something. */
export function tell(
  core: Pick<EngineCore, "emit">,
  message: string,
  level: "info" | "warning" | "error" = "warning",
): void {
  core.emit({ type: "notice", level, message });
}
