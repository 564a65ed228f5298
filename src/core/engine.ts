import type { AgentEvent, Denial, PermissionAnswer, RunEnding } from "./event.ts";
import type { AgentMessage, ImageContent, UserMessage } from "./message.ts";
import type { Policy } from "./policy.ts";
import type { CompiledPrompt } from "./prompt.ts";
import type { ThinkingLevel } from "./provider.ts";
import type { SessionStore } from "./session.ts";

/** Where a prompt came from; piped standard input and the command line count as `interactive` (R173). */
export type InputSource = "interactive" | "rpc" | "extension";

/** How many waiting messages of a kind are delivered at a time. */
export type QueueMode = "one-at-a-time" | "all";

/** What a person, a program or an extension says. */
export interface UserPrompt {
  readonly text: string;
  readonly images?: readonly ImageContent[];
  readonly source: InputSource;
  /** What to do when a run goes on; without it that is an error. */
  readonly whileBusy?: "steer" | "followUp";
}

/** What became of a prompt. `command`: an extension's command ran; `handled`: a hook took it; `queued`: it waits. */
export type PromptOutcome =
  | { readonly kind: "run"; readonly ending: RunEnding; readonly limit?: string; readonly errorMessage?: string }
  | { readonly kind: "command" | "handled" | "queued" };

/** A tool as people see it. */
export interface ToolView {
  readonly name: string;
  readonly description: string;
  readonly active: boolean;
  readonly origin: "builtin" | "extension" | "mcp";
}

/** Something that can be called with `/name`. */
export interface CommandView {
  readonly name: string;
  readonly description: string;
  readonly kind: "extension" | "skill" | "template";
  readonly path?: string;
}

/** How full the context is, in tokens; estimated where the provider has not said. */
export interface ContextUsage {
  readonly tokens: number;
  readonly contextWindow: number;
}

/** Sums over the session, tokens and USD. */
export interface SessionTotals {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cost: number;
  readonly toolCalls: number;
  readonly userMessages: number;
  readonly assistantMessages: number;
}

/** Everything about a session that a screen or a program may want to know; a new value at each call. */
export interface EngineState {
  readonly cwd: string;
  readonly sessionId: string;
  readonly sessionFile?: string;
  readonly sessionName?: string;
  readonly model: { readonly provider: string; readonly id: string; readonly contextWindow: number };
  readonly thinking: ThinkingLevel;
  readonly isStreaming: boolean;
  readonly isCompacting: boolean;
  readonly autoCompaction: boolean;
  readonly steeringMode: QueueMode;
  readonly followUpMode: QueueMode;
  readonly steering: readonly string[];
  readonly followUp: readonly string[];
  readonly messageCount: number;
  readonly context: ContextUsage;
  readonly totals: SessionTotals;
  readonly policy: Policy;
}

/** What a person typed with `!`, and what came of it. */
export interface UserCommandOutcome {
  readonly output: string;
  readonly exitCode?: number;
  readonly cancelled: boolean;
  readonly truncated: boolean;
  readonly fullOutputPath?: string;
}

/** Answers a denial; a mode that cannot ask has none. */
export type AskPermission = (request: {
  readonly id: string;
  readonly toolName: string;
  readonly denial: Denial;
}, signal: AbortSignal) => Promise<PermissionAnswer>;

/**
 * One session, open: everything that modes, RPC, the SDK and a screen can do with it.
 *
 * Everything that happens is told to the subscribers as `AgentEvent`s, in order; a subscriber must not throw. One prompt
 * runs at a time. Nothing here throws for what the model, a tool, a hook or the disk does; wrong use throws `UserError`.
 */
export interface Engine {
  /** What a person should be told at the start, one sentence each. */
  readonly notices: readonly string[];
  state(): EngineState;
  messages(): readonly AgentMessage[];
  store(): SessionStore;
  tools(): readonly ToolView[];
  commands(): readonly CommandView[];
  /** The system prompt as the next request would have it. */
  compiled(): CompiledPrompt;
  /** Ends with the returned function. */
  subscribe(listener: (event: AgentEvent) => void): () => void;

  /** Runs one prompt to its end, expansions and hooks included; at most one at a time, others wait or are refused. */
  prompt(input: UserPrompt): Promise<PromptOutcome>;
  /** Goes on where the conversation ends, without a new message. */
  resume(): Promise<PromptOutcome>;
  steer(text: string, images?: readonly ImageContent[]): Promise<void>;
  followUp(text: string, images?: readonly ImageContent[]): Promise<void>;
  /** Empties both queues and gives back what waited. */
  clearQueues(): readonly UserMessage[];
  setQueueModes(modes: { readonly steering?: QueueMode; readonly followUp?: QueueMode }): void;
  /** Stops what goes on: a run, a compaction, a typed command. Resolves when it has ended. */
  abort(): Promise<void>;
  waitForIdle(): Promise<void>;

  /** Runs a typed command in the tools' scope and puts it into the conversation; `hidden` (`!!`) keeps it from the model. */
  bash(command: string, hidden: boolean): Promise<UserCommandOutcome>;
  /** Shortens the conversation now. False: there was nothing to do, it failed or was cancelled (an event says why). */
  compact(focus?: string): Promise<boolean>;
  setAutoCompaction(on: boolean): void;

  /** Throws UserError for a model that cannot be opened. */
  setModel(id: string): Promise<void>;
  setThinking(level: ThinkingLevel): void;
  /** Unknown names are ignored; takes effect with the next prompt. Gives the active names. */
  setActiveTools(names: readonly string[]): readonly string[];

  /** A fresh session in the same workspace. False: a hook said no. */
  newSession(): Promise<boolean>;
  /** Opens another session: its id, the beginning of one, or a path. */
  switchSession(which: string): Promise<boolean>;
  /** A new session with the path before (or with) an entry; gives the text of the entry, for the editor. */
  fork(entryId: string, position?: "before" | "at"): Promise<{ readonly text: string } | undefined>;
  /** Makes another entry of this session the leaf; gives the text of a user message that is to be written anew. */
  navigate(entryId: string, options?: { readonly summarize?: boolean; readonly focus?: string }): Promise<
    { readonly text: string } | undefined
  >;
  setName(name: string): void;
  setLabel(entryId: string, label: string | undefined): void;

  /** Reads settings, context files, skills, templates and extensions anew. */
  reload(): Promise<void>;
  /** Ends everything that was started. Safe to call twice. */
  close(): Promise<void>;
}
