/**
 * What passes between this program and a program that embeds it from another runtime (`npm/sdk`): one JSON object a line,
 * over standard input and output. docs/sdk.md says what a program sees of it.
 *
 * @module
 */
import type { CommandView, EngineState, ToolView } from "../../core/engine.ts";
import type { TrialResult, TrialState } from "../../core/changes.ts";
import type { CompiledPrompt } from "../../core/compiled_prompt.ts";
import type { UserErrorParts } from "../../core/error.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { AgentMessage } from "../../core/message.ts";
import type { SessionEntry, SessionHeader } from "../../core/session.ts";
import type { ExtensionFacts } from "../../core/host_actions.ts";
import type { JsonValue } from "../../core/json.ts";
import type { AgentOptions } from "./options.ts";

/** First word of the command line that serves these lines. */
export const SDK_WORD = "--internal-sdk";

/** Changes with every shape below that an older reader would take for another. */
export const SDK_PROTOCOL = 1;

/** The options without what is a function, and without a model that is one's own. */
export type WireOptions = Omit<
  AgentOptions,
  "model" | "customTools" | "extensions" | "promptBuilder" | "ask" | "ui" | "askGrant" | "augments"
>;

/** First line of the embedding program. What it can answer is named; nothing else is asked. */
export interface OpenLine {
  readonly type: "open";
  readonly protocol: number;
  readonly options: WireOptions;
  /** A name, or a model of the program's own, which `stream` is asked for. */
  readonly model?: string | { readonly name: string; readonly model: string };
  /** Blocks of each augment for the audience in `options`. */
  readonly augments?: readonly { readonly channel: string; readonly blocks: JsonValue }[];
  /** Names of its extensions, in order. */
  readonly extensions: readonly string[];
  readonly answers: readonly ("ask" | "ui" | "askGrant" | "promptBuilder")[];
}

/** An error on its way. `user`: a `UserError`. `question`: it is what a function of the embedding program threw there. */
export type WireError =
  | { readonly user: UserErrorParts }
  | { readonly message: string; readonly question?: number };

/** What the embedding program sends. Answers carry the id of the question, calls one of their own. */
export type ClientLine =
  | OpenLine
  | { readonly type: "call"; readonly id: number; readonly method: string; readonly args: readonly unknown[] }
  /** The response is not wanted any more; what an extension asked for ends. */
  | { readonly type: "drop"; readonly id: number }
  | { readonly type: "answer"; readonly id: number; readonly value?: unknown }
  | { readonly type: "refusal"; readonly id: number; readonly error: WireError }
  /** A part of an answer that is not whole yet: output of a tool, an event of a model. */
  | { readonly type: "part"; readonly id: number; readonly value: unknown }
  /** An extension of the program brings other things now. */
  | { readonly type: "registered"; readonly extension: string; readonly registration: unknown };

/** A list that has grown, or is another one from `from` on. */
export interface ListPatch<T> {
  /** How many of the list at hand stay. */
  readonly from: number;
  readonly items: readonly T[];
}

/** What a program can look at without asking; in a line only what is other than before. */
export interface WireView {
  readonly notices?: readonly string[];
  readonly state?: Partial<EngineState>;
  /** Fields of the state that are not there any more. */
  readonly gone?: readonly (keyof EngineState)[];
  readonly messages?: ListPatch<AgentMessage>;
  readonly entries?: ListPatch<SessionEntry>;
  readonly store?: { readonly header: SessionHeader; readonly path: string | null; readonly leaf: string | null };
  readonly tools?: readonly ToolView[];
  readonly commands?: readonly CommandView[];
  readonly compiled?: CompiledPrompt;
  readonly trial?: TrialState | null;
  readonly trialResult?: TrialResult | null;
}

/** What the program asks of the embedding one. */
export type Question =
  | { readonly name: "ask" | "askGrant" | "promptBuilder" | "stream"; readonly args: readonly unknown[] }
  | { readonly name: "ui"; readonly args: readonly [method: string, ...args: readonly unknown[]] }
  /** Loads an extension; answered with its registration. */
  | { readonly name: "load"; readonly args: readonly [extension: string, facts: ExtensionFacts] }
  /** `emit`: JSON text of a list of outcomes; `tool`: a result; `command`: nothing; `flags`: nothing. */
  | {
    readonly name: "emit" | "tool" | "command" | "flags";
    readonly args: readonly [extension: string, ...args: readonly unknown[]];
  };

/** What the program sends. A view comes before the event that tells of the same change, and before a call's response. */
export type ProgramLine =
  | { readonly type: "opened"; readonly protocol: number; readonly version: string }
  | { readonly type: "failed"; readonly error: WireError }
  | { readonly type: "view"; readonly view: WireView }
  | { readonly type: "event"; readonly event: AgentEvent }
  | { readonly type: "response"; readonly id: number; readonly value?: unknown; readonly error?: WireError }
  | { readonly type: "question"; readonly id: number } & Question
  /** The answer is not wanted any more; one is sent all the same. */
  | { readonly type: "cancel"; readonly id: number };

/** Methods of an agent that are called over the wire; `extension` is an action of one of the program's extensions. */
export const WIRE_METHODS = [
  ...["bill", "prompt", "answer", "resume", "steer", "followUp", "clearQueues", "setQueueModes", "abort"],
  ...[
    "waitForIdle",
    "bash",
    "abortBash",
    "stopBackground",
    "compact",
    "setAutoCompaction",
    "setAutoRetry",
    "startPlan",
  ],
  ...["answerPlan", "setModel", "setThinking", "setActiveTools", "newSession", "switchSession", "fork", "navigate"],
  ...["allow", "setName", "setLabel", "undoPoints", "undo", "beginTrial", "trialChanges", "endTrial", "reload"],
] as const;

/** One of them. */
export type WireMethod = (typeof WIRE_METHODS)[number];
