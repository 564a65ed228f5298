import type { CustomDraft, ExtensionCommand, ExtensionFlag, ExtensionTool } from "./host_actions.ts";
import type {
  BeforeAgentStartEvent,
  InputEvent,
  ResourcePaths,
  ToolCallEvent,
  UserBashEvent,
  UserBashResult,
} from "./hook_decisions.ts";
import type { DecisionEvents, DecisionName, HookName, ObservedEvent } from "./hook_events.ts";
import type { JsonObject } from "./json.ts";
import type { AgentMessage, ImageContent } from "./message.ts";
import type { ToolResult } from "./tool_result.ts";

/** What the input hooks made of a text. */
export type InputOutcome =
  | { readonly action: "continue"; readonly text: string; readonly images: readonly ImageContent[] }
  /** Nothing more happens with it; `by` is the extension that took it. */
  | { readonly action: "handled"; readonly by: string };

/** What the hooks made of a prompt that is about to start. */
export interface AgentStartOutcome {
  /** Absent when nobody changed it. */
  readonly systemPrompt?: string;
  /** Who changed it, in order: for the manifest. */
  readonly changedBy: readonly string[];
  /** One entry each, in the order given (R186). */
  readonly messages: readonly CustomDraft[];
}

/** A path that an extension gave, absolute. */
export interface ExtensionResource {
  /** Whose it is. */
  readonly extension: string;
  /** Absolute. */
  readonly path: string;
}

/** What an extension would like its worker to touch; relative paths start at the workspace. */
export interface ExtensionPermissions {
  /** Files and folders. */
  readonly read?: readonly string[];
  /** Files and folders. */
  readonly write?: readonly string[];
  /** Hosts, with a port or without. */
  readonly net?: readonly string[];
  /** Names of variables. */
  readonly env?: readonly string[];
  /**
   * Providers of models, one a line: `NAME API URL VARIABLE`. They belong to the program and not to the worker, which sees
   * neither the key nor what is sent.
   */
  readonly providers?: readonly string[];
}

/** The kinds of permission, in the order in which a person is asked for them. */
export const GRANT_KINDS = ["read", "write", "net", "env", "providers"] as const;

/** A provider that an extension asks for, in one line: `NAME API URL`, and the variable of its key where it wants one. */
export interface ExtensionProvider {
  readonly name: string;
  readonly api: "chat" | "responses" | "anthropic";
  readonly baseUrl: string;
  readonly keyEnv?: string;
}

const PROVIDER_LINE =
  /^([a-z0-9][a-z0-9-]{0,63}) (chat|responses|anthropic) (https:\/\/[^\s{}@?#]+|http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?(?:\/[^\s{}@?#]*)?)(?: ([A-Z][A-Z0-9_]{1,99}))?$/;

/**
 * Reads such a line; nothing for any other text. What a person sees when asked is all there is: no variables in the address,
 * no name or password, and without https only this machine.
 */
export function readExtensionProvider(line: string): ExtensionProvider | undefined {
  const [, name = "", api = "", baseUrl = "", keyEnv] = PROVIDER_LINE.exec(line) ?? [];
  if (name === "" || !URL.canParse(baseUrl) || (api !== "chat" && api !== "responses" && api !== "anthropic")) {
    return undefined;
  }
  return { name, api, baseUrl: baseUrl.replace(/\/+$/, ""), ...(keyEnv === undefined ? {} : { keyEnv }) };
}

/** An extension that asks for more than it was granted. */
export interface GrantRequest {
  /** File or folder name. */
  readonly name: string;
  /** Entry file: absolute. */
  readonly path: string;
  /** SHA-256 of all its files: an answer holds for these alone. */
  readonly hash: string;
  /** All that its manifest asks for. */
  readonly wants: ExtensionPermissions;
}

/** Until it is loaded again, until the session ends, or for good. */
export type GrantAnswer = "no" | "once" | "session" | "always";

/**
 * Asks the person whether an extension gets all that it asks for.
 *
 * Called once for each content of an extension. Must settle when `signal` aborts; a rejection counts as "no".
 */
export type AskGrant = (request: GrantRequest, signal: AbortSignal) => Promise<GrantAnswer>;

/** An extension as a person sees it. */
export interface ExtensionState {
  /** File or folder name. */
  readonly name: string;
  /** Entry file; absent for one that lives in this process. */
  readonly path?: string;
  /** SHA-256 of all its files: what a grant is kept by. */
  readonly hash?: string;
  /** What its manifest asks for, and what of it was granted. */
  readonly wants: ExtensionPermissions;
  readonly granted: ExtensionPermissions;
  /** Why it does not run any more, or never did. */
  readonly lost?: string;
}

/** Something about an extension that a person should know. */
export interface HookProblem {
  /** Its name. */
  readonly extension: string;
  /** How bad it is. */
  readonly level: "info" | "warning" | "error";
  /** What happened; follows the name of the extension. */
  readonly message: string;
}

/**
 * The extensions of a session as the engine sees them: one method for each place where they may interfere.
 *
 * Nothing here rejects for what an extension does. Handlers run in load order, then in the order of their registration;
 * without a handler a method costs nothing and gives back what it was given. A handler that fails is reported and passed
 * over, but: `toolCall` and `userBash` then refuse, `toolResult` withholds the result. When `signal` aborts, `toolCall` and
 * `userBash` refuse and the others give what there is so far.
 */
export interface Hooks {
  /** Whether anybody listens. */
  has(event: HookName): boolean;
  /** What becomes of a text that came in. */
  input(event: InputEvent, signal: AbortSignal): Promise<InputOutcome>;
  /** Once for each prompt (R180). */
  beforeAgentStart(event: BeforeAgentStartEvent, signal: AbortSignal): Promise<AgentStartOutcome>;
  /** Before every request; the array that goes in is never changed. */
  context(messages: readonly AgentMessage[], signal: AbortSignal): Promise<readonly AgentMessage[]>;
  /** The payload that is to be sent. */
  beforeProviderRequest(payload: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** The headers to add (null: to leave out); what carries credentials is neither shown nor taken. */
  beforeProviderHeaders(
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, string | null>>>;
  /** Why the call must not run; undefined when it may. */
  toolCall(event: ToolCallEvent, signal: AbortSignal): Promise<string | undefined>;
  toolResult(call: ToolCallEvent, result: ToolResult, signal: AbortSignal): Promise<ToolResult>;
  /** A refusal (`block`, with its reason), an outcome that stands for the command's, or nothing: run it. */
  userBash(event: UserBashEvent, signal: AbortSignal): Promise<UserBashResult | undefined>;
  /** What is decided before the session changes: the fields of all results, later ones over earlier. */
  decide<N extends Extract<DecisionName, `session_${string}`>>(
    name: N,
    event: DecisionEvents[N]["event"],
    signal: AbortSignal,
  ): Promise<DecisionEvents[N]["result"]>;
  /** At start and after a reload (R225). */
  resourcesDiscover(
    reason: "startup" | "reload",
    signal: AbortSignal,
  ): Promise<{ readonly [K in keyof Required<ResourcePaths>]: readonly ExtensionResource[] }>;
  /** Tells; settles when every listener is done, which need not be waited for but at `session_start` and `session_shutdown`. */
  observe(event: ObservedEvent): Promise<void>;
  /** Resolves when all that was told so far has been heard, or after `limitMs` milliseconds. */
  heard(limitMs: number): Promise<void>;

  /** Tools that extensions brought, in load order; a name is there once. */
  tools(): readonly ExtensionTool[];
  /** Runs one in its extension's worker. A failure is an error result. */
  runTool(
    name: string,
    args: JsonObject,
    callId: string,
    signal: AbortSignal,
    onUpdate: (partial: ToolResult) => void,
  ): Promise<ToolResult>;
  /** Slash commands; a name that is taken gets `:2`, `:3` and so on. */
  commands(): readonly ExtensionCommand[];
  /** Runs a command's handler; a failure is reported. False when there is no such command. */
  runCommand(name: string, args: string, signal: AbortSignal): Promise<boolean>;
  flags(): readonly ExtensionFlag[];
  /** Values of flags from the command line; extensions see them from then on. */
  setFlags(values: Readonly<Record<string, boolean | string>>): void;
  /** Called after tools were added or taken away while the session runs (R444). */
  onToolsChanged(listener: () => void): void;
  /** Called when a request is on its way: extensions that nothing has needed yet start soon. */
  startLate(): void;
  extensions(): readonly ExtensionState[];
  /** Ends every worker. Safe to call twice. */
  close(): void;
}
