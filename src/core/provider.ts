import type { AssistantDelta } from "./event.ts";
import type { JsonObject } from "./json.ts";
import type { AssistantMessage, RequestMessage } from "./message.ts";

/** What kind of failure ended a reply; decided from status and error codes, not from prose, wherever they exist. */
export type FailureKind =
  | "rate_limit"
  | "overload"
  | "network"
  | "context_overflow"
  | "auth"
  | "bad_request"
  | "content_filter"
  | "aborted";

/** A failure as a value: providers never throw. */
export interface ProviderFailure {
  /** What kind of failure it is. */
  readonly kind: FailureKind;
  /** One sentence for a person, without secrets. */
  readonly message: string;
  /** HTTP status, where there was one. */
  readonly status?: number;
  /** Whether the same request may be sent again unchanged. */
  readonly retry: boolean;
  /** How long the server asked to wait. */
  readonly retryAfterMs?: number;
  /** The window that an overflow named, tokens. */
  readonly contextWindow?: number;
  /** Names of tools of the request that the server blames. */
  readonly tools?: readonly string[];
}

/** A tool as the provider's tool field carries it. */
export interface ToolDefinition {
  /** As the model calls it. */
  readonly name: string;
  /** For the model. */
  readonly description: string;
  /** JSON Schema of the arguments, made from the schema that validates them. */
  readonly parameters: JsonObject;
}

/** From none to the most; the one list of them. */
export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh"] as const;

/** Reasoning effort; `off` leaves the field out of the request. */
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

/** A system prompt in its two halves (dev/decisions/0014); either may be empty. */
export interface SystemPrompt {
  /** The half that is the same for the whole session: a server's cache can be kept on it. */
  readonly stable: string;
  /** The half that may differ from request to request. */
  readonly dynamic: string;
}

/** Both halves as one text: a blank line between them, none where one is empty. */
export function systemText({ stable, dynamic }: SystemPrompt): string {
  return stable && dynamic ? `${stable}\n\n${dynamic}` : stable + dynamic;
}

/** One request, already built: adapters translate it and add no text of their own. */
export interface ProviderRequest {
  /** The system prompt; where an API takes one text, that of `systemText`. */
  readonly system: SystemPrompt;
  /** A server cache can be kept on this key; holds no secret and no path. */
  readonly cacheKey?: string;
  /** The conversation, the newest message last. */
  readonly messages: readonly RequestMessage[];
  /** The sub-agent whose request it is; cassettes tell them apart by it, and no adapter sends it. */
  readonly agentId?: string;
  /** What the model may call; none: it is not asked to. */
  readonly tools: readonly ToolDefinition[];
  /** How hard the model is to think. */
  readonly thinking: ThinkingLevel;
  /** Upper limit of output tokens; left to the server when absent. */
  readonly maxTokens?: number;
  /** The reply is to be JSON of this schema, and no calls; adapters bind the server to it as far as it takes that. */
  readonly answerSchema?: JsonObject;
}

/** What a provider streams. Exactly one `end` comes, last, whatever happens. */
export type ProviderEvent =
  | AssistantDelta
  | { readonly type: "notice"; readonly message: string }
  | { readonly type: "end"; readonly message: AssistantMessage };

/**
 * Somebody who answers.
 *
 * `stream` never throws and never rejects: a failure is an `end` whose message has `stopReason` `error` (with
 * `failure`) or `aborted`, holding whatever text arrived before. It ends soon after `signal` aborts.
 */
export interface Provider {
  /** Short name of the adapter, for example `openai`. */
  readonly name: string;
  /** As the server calls it. */
  readonly model: string;
  /** Sends one request and gives what comes of it. */
  stream(request: ProviderRequest, signal: AbortSignal): AsyncIterable<ProviderEvent>;
}

/** A model as `--model` takes it, and everybody is shown it: `provider/id`; a recording's name says by itself what it is. */
export function modelName({ provider, id }: { readonly provider: string; readonly id: string }): string {
  if (provider === "replay" && id !== "") return id.startsWith("replay:") ? id : `replay:${id}`;
  return provider === id || id.startsWith("replay:") ? id : `${provider}/${id}`;
}
