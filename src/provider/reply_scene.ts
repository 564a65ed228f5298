import type { ToolDefinition } from "../core/provider.ts";
import type { FailureScene } from "./failure_message.ts";

/** What a reply needs to know about its request. */
export interface ReplyScene extends FailureScene {
  readonly provider: string;
  readonly tools: readonly ToolDefinition[];
  /** Texts of the conversation, when calls written as text may be taken; they must not be quotes of these. */
  readonly quotable?: () => readonly string[];
  readonly contextWindow?: number;
  readonly newId: () => string;
}
