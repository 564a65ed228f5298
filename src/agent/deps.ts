import type { AgentEvent } from "../core/event.ts";
import type { JsonObject } from "../core/json.ts";
import type { AgentMessage, AssistantMessage, RequestMessage, Usage } from "../core/message.ts";
import type { CompiledPrompt } from "../core/compiled_prompt.ts";
import type { Provider, ProviderFailure, ThinkingLevel, ToolDefinition } from "../core/provider.ts";
import type { Budget, CallOptions } from "../core/runner.ts";
import type { Tool } from "../core/tool.ts";
import type { ToolResult } from "../core/tool_result.ts";
import type { RunLimits } from "./limits.ts";
import type { Queues } from "./queues.ts";
import type { RetrySettings } from "./retry.ts";

/** What starts a run: the person's message and whatever goes with it, in order. Empty: go on from where the list ends. */
export type UserInput = readonly AgentMessage[];

/** The conversation. During a run only the loop and the callbacks of AgentDeps may change it. */
export interface SessionState {
  readonly messages: AgentMessage[];
}

/** What makes one provider round's prompt differ from the last one's. */
export interface RoundRequest {
  /** Provider round within the run, from 1; a retried attempt keeps its number. */
  readonly round: number;
  /** Facts about the failures since the last successful call (R251–R254). */
  readonly retryInstruction?: string;
  /** The reply so far was cut by the output limit: go on where it stopped (R255). */
  readonly continuation?: boolean;
  /** A limit is reached: answer now (R245). */
  readonly finalAnswer?: boolean;
  readonly withoutTools?: boolean;
}

/** A round's prompt and the tools that go into its request. */
export interface CompiledRound {
  readonly prompt: CompiledPrompt;
  readonly tools: readonly ToolDefinition[];
}

/** A call as hooks see it. */
export interface CheckedCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
}

/**
 * The verdict on a final answer. `again`: the model gets these messages first; `isBound`: its next answer has to match
 * the answer schema.
 */
export type Verdict =
  | { readonly kind: "holds" }
  | { readonly kind: "again"; readonly messages: UserInput; readonly isBound?: boolean }
  | { readonly kind: "fails"; readonly reason: string };

/** Tools that a provider rejects, over the requests of one reply. */
export interface ToolRejections {
  /** Leaves tools out of the next request; false if no more can be left out. */
  readonly leaveOut: (failure: ProviderFailure) => boolean;
  /** Called when the reply is there or has failed for good. Returns sentences for the user. */
  readonly settle: (isAccepted: boolean) => readonly string[];
}

/** All that the loop needs from the rest of the program. */
export interface AgentDeps {
  readonly provider: Provider;
  /** Pure; called once per provider round. */
  readonly compile: (round: RoundRequest) => CompiledRound;
  /** The active tools: a call to any other name is answered with an error. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Runs one validated call. A rejection becomes an error result. */
  readonly runTool: (tool: Tool, args: JsonObject, callId: string, options: CallOptions) => Promise<ToolResult>;
  readonly limits: RunLimits;
  /** The budget of the run that started this one: once that is spent, this run ends without a last reply. */
  readonly whole?: Budget;
  /** What was spent on the history that the run begins with; counts with what the run spends. */
  readonly spent?: Usage | undefined;
  readonly retry: RetrySettings;
  readonly thinking: ThinkingLevel;
  readonly maxTokens?: number | undefined;
  readonly cacheKey?: string;
  /** `parallel`: neighbouring read-only calls of a reply run side by side; results stay in order. */
  readonly toolExecution: "sequential" | "parallel";
  readonly queues: Queues;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Settles after `ms` or when `signal` aborts, whichever is first; never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** How long an aborted tool may take to settle before the loop goes on without it; 5,000 ms unless told otherwise. */
  readonly abortGraceMs?: number;

  /**
   * Makes the messages of a request out of the conversation, which it must not change. Called for every request; without
   * it only what providers take as it is goes out.
   */
  readonly transformContext?: (
    messages: readonly AgentMessage[],
    signal: AbortSignal,
  ) => Promise<readonly RequestMessage[]>;
  /** May forbid a valid call by giving the reason. A rejection forbids it too. */
  readonly beforeToolCall?: (call: CheckedCall, signal: AbortSignal) => Promise<string | undefined>;
  /** May replace a result before the model sees it. A rejection withholds it. */
  readonly afterToolResult?: (call: CheckedCall, result: ToolResult, signal: AbortSignal) => Promise<ToolResult>;
  /** Shortens the request when it did not fit; true: try once more. Called at most five times for each reply. */
  readonly onOverflow?: (failure: ProviderFailure, signal: AbortSignal) => AsyncGenerator<AgentEvent, boolean>;
  /** Called for each reply. What a request lacks after `leaveOut` is lacking in the prompt that is compiled next. */
  readonly toolRejections?: () => ToolRejections;
  /** Judges the answer of a model that called no tools and has nothing queued; without it, the run is done then. */
  readonly judge?: (answer: AssistantMessage, signal: AbortSignal) => AsyncGenerator<AgentEvent, Verdict>;
  /** Messages that the model gets with the results of a turn in which it called tools. */
  readonly afterCalls?: (signal: AbortSignal) => AsyncGenerator<AgentEvent, UserInput>;
  /** JSON Schema of the final answer; sent only with the round whose answer has to match it. */
  readonly answerSchema?: JsonObject;
  /** The models that stand in for one that refuses for its load or for a quota. */
  readonly fallback?: {
    /** Whether there is one left. */
    readonly isThere: () => boolean;
    /** Goes over to the next one: `provider`, `thinking` and `maxTokens` are its own from then on. False: none can be had. */
    readonly take: (failure: ProviderFailure, signal: AbortSignal) => AsyncGenerator<AgentEvent, boolean>;
  };
  /** Runs when a turn has ended and another one follows, never between a call and its result. */
  readonly betweenTurns?: (signal: AbortSignal) => AsyncGenerator<AgentEvent, void>;
}
