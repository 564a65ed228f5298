// One file above the usual length: it is one contract, and most of it says what may be relied on.
import type { JsonObject } from "./json.ts";
import type {
  ApplyOutcome,
  TakeRequest,
  TrialChanges,
  TrialResult,
  TrialState,
  UndoOutcome,
  UndoPoint,
  UndoRequest,
} from "./changes.ts";
import type { AgentEvent, Denial, PermissionAnswer, RunEnding } from "./event.ts";
import type { AgentMessage, BashExecutionMessage, ImageContent, Usage, UserMessage } from "./message.ts";
import type { Policy } from "./policy.ts";
import type { CompiledPrompt } from "./compiled_prompt.ts";
import type { ThinkingLevel } from "./provider.ts";
import type { SessionStore } from "./session.ts";

/** Where a prompt came from; piped standard input and the command line count as `interactive` (R173). */
export type InputSource = "interactive" | "rpc" | "extension";

/** How many waiting messages of a kind are delivered at a time. */
export type QueueMode = "one-at-a-time" | "all";

/** What a person, a program or an extension says. */
export interface UserPrompt {
  /** What was said; commands, skills and templates in it are expanded. */
  readonly text: string;
  /** Pictures that go with it. */
  readonly images?: readonly ImageContent[];
  /** Where it came from. */
  readonly source: InputSource;
  /** Facts about this prompt for the model: they go before it as a message of one JSON object. At most 4 KiB. */
  readonly metadata?: JsonObject;
  /** What to do when a run goes on; without it that is an error. */
  readonly whileBusy?: "steer" | "followUp";
  /** Milliseconds of the run's wall clock that passed before this prompt, for example while the task was read. */
  readonly elapsedMs?: number;
  /** Whether a text that begins with `/name` and names nothing is an error instead of a message. */
  readonly refusesUnknownNames?: boolean;
  /** The session ends with this run: background commands end before the last scan, so that it finds all that they changed. */
  readonly endsSession?: boolean;
  /**
   * Waited for before each request and each call of the run, its sub-agents' too: settles when whoever reads the events can
   * take more, or when the signal aborts. Never rejects.
   */
  readonly ready?: (signal: AbortSignal) => Promise<void>;
}

/** What became of a prompt. `command`: an extension's command ran; `handled`: a hook took it; `queued`: it waits. */
export type PromptOutcome =
  | {
    readonly kind: "run";
    readonly ending: RunEnding;
    readonly limit?: string;
    /** What did not hold, when `ending` is `unproven`. */
    readonly reason?: string;
    readonly errorMessage?: string;
  }
  | { readonly kind: "command" | "handled" | "queued" };

/** A tool as people see it. */
export interface ToolView {
  /** As the model calls it. */
  readonly name: string;
  /** For the model. */
  readonly description: string;
  /** Whether the model has it. */
  readonly active: boolean;
  /** Who brought it. */
  readonly origin: "builtin" | "extension" | "mcp";
}

/** Something that can be called with `/name`. */
export interface CommandView {
  /** Without the slash. */
  readonly name: string;
  /** For lists. */
  readonly description: string;
  /** Who brought it. */
  readonly kind: "extension" | "skill" | "template";
  /** Its file, where it has one. */
  readonly path?: string;
}

/** How full the context is, in tokens; estimated where the provider has not said. */
export interface ContextUsage {
  /** Tokens of the next request. */
  readonly tokens: number;
  /** Tokens that fit. */
  readonly contextWindow: number;
}

/** Sums over the session, tokens and USD. */
export interface SessionTotals extends Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite"> {
  /** USD. */
  readonly cost: number;
  /** Calls of tools that models asked for. */
  readonly toolCalls: number;
  /** What people and programs said. */
  readonly userMessages: number;
  /** What models said. */
  readonly assistantMessages: number;
}

/** What one request cost, and why its cache did not hold. */
export interface RoundBill {
  /** From 1. */
  readonly round: number;
  /** Tokens of input that no cache held; those put into a cache are among them. */
  readonly uncached: number;
  /** Tokens of input that a cache held. */
  readonly cached: number;
  /** Tokens of the answer. */
  readonly output: number;
  /** USD; absent where no price is known. */
  readonly cost?: number;
  /** What of the request before this one was paid for again. */
  readonly lost?: LostCache;
}

/** Input that had been sent before, and was not taken from the cache. */
export interface LostCache {
  /** Sections that are not as they were, in the order of the prompt; `tools`, `model` and `history` stand for these. */
  readonly because: readonly string[];
  /** How many. */
  readonly tokens: number;
  /** USD more than from the cache, where the prices of both are known; else what the tokens cost. */
  readonly cost?: number;
}

/** A session that plans: only reading is possible until the person has answered. */
export interface PlanState {
  /** The plan that waits for an answer, Markdown: the model's last message. Absent while there is none. */
  readonly text?: string;
}

/**
 * What the person says to a plan. `accept`: what was allowed before is allowed again, and a run carries the plan out, as
 * `text` has it where that is given. `refuse`: planning goes on without it. `leave`: what was allowed before is allowed
 * again, and nothing is carried out.
 */
export type PlanAnswer =
  | { readonly kind: "accept"; readonly text?: string }
  | { readonly kind: "refuse" }
  | { readonly kind: "leave" };

/** A step of the list that the model keeps with the tool `todo`. */
export interface TodoItem {
  /** One line. */
  readonly text: string;
  /** At most one is `in_progress`. */
  readonly state: "pending" | "in_progress" | "completed";
}

/** A command that goes on after the call that started it, or has ended since. */
export interface BackgroundView {
  /** As tools and people name it: `b1`. */
  readonly id: string;
  /** As the model wrote it. */
  readonly command: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The same; absent while it runs. */
  readonly endedAt?: number;
  /** Absent while it runs. */
  readonly exitCode?: number;
  /** Why it was ended, where it did not end by itself. */
  readonly why?: string;
  /** The last lines of what it wrote, at most twenty. */
  readonly tail: string;
  /** File with all of it, in the tools' private temporary folder; absent when none could be made. */
  readonly outputPath?: string;
}

/** A denial of this session that a grant would lift. */
export interface SessionDenial {
  /** Latest occurrence. */
  readonly denial: Denial;
  /** Tool that was denied. */
  readonly toolName: string;
  /** Sub-agent whose call was denied; undefined for the agent itself. */
  readonly agentId?: string;
}

/** Everything about a session that a screen or a program may want to know; a new value at each call. */
export interface EngineState {
  /** The workspace: absolute. */
  readonly cwd: string;
  /** Of the session at hand. */
  readonly sessionId: string;
  /** Where it is kept, if it is. */
  readonly sessionFile?: string;
  /** The name that a person gave it. */
  readonly sessionName?: string;
  /** The agent that the command line names (`--agent`). */
  readonly agent?: string;
  /** Who answers; the window is 0 until it was asked. */
  readonly model: { readonly provider: string; readonly id: string; readonly contextWindow: number };
  /** How hard the model thinks. */
  readonly thinking: ThinkingLevel;
  /** Whether a run goes on. */
  readonly isStreaming: boolean;
  /** Whether the history is being shortened. */
  readonly isCompacting: boolean;
  /** Whether the history is shortened by itself. */
  readonly autoCompaction: boolean;
  /** Whether a failed request is made again by itself. */
  readonly autoRetry: boolean;
  /** How waiting steering messages are delivered. */
  readonly steeringMode: QueueMode;
  /** How waiting follow-up messages are delivered. */
  readonly followUpMode: QueueMode;
  /** Texts that wait for the end of the call at hand. */
  readonly steering: readonly string[];
  /** Texts that wait for the end of the run. */
  readonly followUp: readonly string[];
  /** Messages of the conversation. */
  readonly messageCount: number;
  /** How full the context is. */
  readonly context: ContextUsage;
  /** Sums over the session. */
  readonly totals: SessionTotals;
  /** What tools may do at the moment. */
  readonly policy: Policy;
  /** Present while the session plans. */
  readonly plan?: PlanState;
  /** Trace of the run at hand or of the last one, 32 hex digits; absent where the user's telemetry is off. */
  readonly traceId?: string;
  /** The list that the model keeps of its steps; empty where it keeps none. */
  readonly todo: readonly TodoItem[];
  /** Commands in the background, in the order of their start; those that have ended, too. */
  readonly background: readonly BackgroundView[];
  /**
   * Denials of this session that `allow` can lift, the latest last. Includes denials in calls that succeeded. Empty in modes
   * that cannot ask.
   */
  readonly denials: readonly SessionDenial[];
}

/** How somebody came to a model or a thinking level: named it, or went on to the next one. Hooks are told. */
export type ChoiceSource = "set" | "cycle";

/** How another session, or another place of one, is gone to. */
export interface MoveOptions {
  /** A run that goes on is stopped when no hook forbids the move; without this a move during a run is an error. */
  readonly whileBusy?: "stop";
}

/** What came of a command that a person typed with `!`. */
export type UserCommandOutcome = Pick<
  BashExecutionMessage,
  "output" | "exitCode" | "cancelled" | "truncated" | "fullOutputPath"
>;

/** Answers a denial; a mode that cannot ask has none. */
export type AskPermission = (request: {
  readonly id: string;
  readonly toolName: string;
  readonly denial: Denial;
  /** The sub-agent whose call it was, and what it is about; absent for the agent itself. */
  readonly agentId?: string;
  readonly agentDescription?: string;
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
  /** As it is now. */
  state(): EngineState;
  /**
   * Settles when the MCP servers are ready or have failed; their prompts are among the commands then. Never rejects. Absent
   * for a session in another process.
   */
  ready?(): Promise<void>;
  /** The conversation at hand. */
  messages(): readonly AgentMessage[];
  /** Each request of the session as it was paid for, and where the cache was lost. */
  bill(): Promise<readonly RoundBill[]>;
  /** The session at hand; another one after a move. */
  store(): SessionStore;
  /** All tools of the session: those that are active and those that can be switched on. */
  tools(): readonly ToolView[];
  /** What can be called with `/name`. */
  commands(): readonly CommandView[];
  /** The system prompt as the next request would have it. */
  compiled(): CompiledPrompt;
  /** Ends with the returned function. */
  subscribe(listener: (event: AgentEvent) => void): () => void;

  /** Runs one prompt to its end, expansions and hooks included; at most one at a time, others wait or are refused. */
  prompt(input: UserPrompt): Promise<PromptOutcome>;
  /** Goes on where the conversation ends, without a new message. */
  resume(): Promise<PromptOutcome>;
  /** Says something after the tool call at hand; the calls that are left are skipped. `handled`: a hook took it. */
  steer(text: string, images?: readonly ImageContent[]): Promise<"queued" | "handled">;
  /** Says something when the model has nothing left to do. `handled`: a hook took it. */
  followUp(text: string, images?: readonly ImageContent[]): Promise<"queued" | "handled">;
  /** Empties both queues and gives back what waited. */
  clearQueues(): readonly UserMessage[];
  /** How many waiting messages are delivered at a time; what is left out stays. */
  setQueueModes(modes: { readonly steering?: QueueMode; readonly followUp?: QueueMode }): void;
  /** Stops what goes on: a run, a compaction, typed commands. Resolves when it has ended. */
  abort(): Promise<void>;
  /** Resolves when nothing goes on any more. */
  waitForIdle(): Promise<void>;

  /**
   * Runs a typed command and puts it into the conversation; `hidden` (`!!`) keeps it from the model. It has the tools' scope,
   * unless the user's own settings say `userBash: "unconfined"`.
   */
  bash(command: string, hidden: boolean): Promise<UserCommandOutcome>;
  /** Stops typed commands and nothing else, also while a run goes on. Resolves when they have ended. */
  abortBash(): Promise<void>;
  /**
   * Grants what a denial of this session needs, for the session or for the project. Calls that ran before are not repeated.
   * Throws UserError if `state().denials` does not contain it, or if it can no longer be granted.
   */
  allow(denial: Denial, duration: "session" | "project"): Promise<void>;
  /** Ends a command in the background, politely first. Throws UserError when there is none of that name. */
  stopBackground(id: string): Promise<void>;
  /** Shortens the conversation now. False: there was nothing to do, it failed or was cancelled (an event says why). */
  compact(focus?: string): Promise<boolean>;
  /** Whether the history is shortened by itself. */
  setAutoCompaction(on: boolean): void;
  /** Whether a failed request is made again by itself, from the next failure on; before the settings until the end. */
  setAutoRetry(on: boolean): void;

  /**
   * From now on tools can only read, until `answerPlan`. Nothing happens in a session that plans already. Throws UserError
   * while something goes on, and while a command runs in the background, which could still write.
   */
  startPlan(): Promise<void>;
  /**
   * Answers the plan; gives what became of the run where one carries it out. Throws UserError where nothing is planned, for
   * `accept` and `refuse` where no plan waits, and while something goes on.
   */
  answerPlan(answer: PlanAnswer): Promise<PromptOutcome | undefined>;

  /** Throws UserError for a model that cannot be opened. */
  setModel(id: string, source?: ChoiceSource): Promise<void>;
  /** Takes effect with the next prompt. */
  setThinking(level: ThinkingLevel, source?: ChoiceSource): void;
  /** Names that `tools()` does not have are ignored; takes effect with the next prompt. Gives the active names. */
  setActiveTools(names: readonly string[]): readonly string[];

  /**
   * A fresh session in the same workspace; `parentSession` is kept in its head: the file of the one that it comes from.
   * False: a hook said no.
   */
  newSession(options?: MoveOptions & { readonly parentSession?: string }): Promise<boolean>;
  /** Opens another session: its id, the beginning of one, or a path. */
  switchSession(which: string, options?: MoveOptions): Promise<boolean>;
  /** A new session with the path before (or with) an entry; gives the text of the entry, for the editor. */
  fork(
    entryId: string,
    position?: "before" | "at",
    options?: MoveOptions,
  ): Promise<{ readonly text: string } | undefined>;
  /** Makes another entry of this session the leaf; gives the text of a user message that is to be written anew. */
  navigate(
    entryId: string,
    options?: MoveOptions & { readonly summarize?: boolean; readonly focus?: string },
  ): Promise<{ readonly text: string } | undefined>;
  /** Names the session. */
  setName(name: string): void;
  /** Names an entry; without a label it takes the name away. */
  setLabel(entryId: string, label: string | undefined): void;

  /** The moments that files can be brought back to, the oldest first; looks at the files first. */
  undoPoints(): Promise<readonly UndoPoint[]>;
  /**
   * Puts files back as they were at a moment, or says what it would do. What somebody else changed since is left, unless
   * `force`. Throws UserError where there is no such moment, and while a run goes on.
   */
  undo(request?: UndoRequest): Promise<UndoOutcome>;

  /** The trial that goes on; undefined where tools work in the workspace itself. */
  trial(): TrialState | undefined;
  /**
   * Begins a trial: from the next prompt on tools work on a private copy of the workspace. What was granted on the way ends.
   * Throws UserError where there can be none, where one goes on already, and while a run goes on.
   */
  beginTrial(): Promise<TrialState>;
  /** What the trial changed up to now. Throws UserError where there is none, and while a run goes on. */
  trialChanges(): Promise<TrialChanges>;
  /**
   * Takes changes of the trial into the workspace, all, some or none (`paths: []`), and ends it: tools work in the workspace
   * again, and a patch with what was not taken is kept. All or nothing: where a file does not fit, nothing is changed and the
   * trial goes on; the same for a preview. Commands in the background end with it. Throws as `trialChanges`.
   */
  endTrial(request?: TakeRequest): Promise<ApplyOutcome>;
  /** What became of the last trial that ended, also by `close`. */
  trialResult(): TrialResult | undefined;

  /**
   * Reads settings, context files, skills, templates and extensions anew. Model, queues, servers and what tools may do are
   * those of the start. Throws UserError for settings that cannot be used, and leaves everything as it is then.
   */
  reload(): Promise<void>;
  /** Ends everything that was started. Safe to call twice. */
  close(): Promise<void>;
}
