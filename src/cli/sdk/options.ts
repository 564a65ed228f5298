import type { AskPermission } from "../../core/engine.ts";
import type { AskGrant } from "../../core/hook.ts";
import type { HostUi } from "../../core/host_actions.ts";
import type { Provider, ThinkingLevel } from "../../core/provider.ts";
import type { ExtensionFactory } from "../../hooks/api/api.ts";
import type { JsonObject } from "../../core/json.ts";
import type { PromptBuilder } from "../../prompt/prompt_builder.ts";
import type { PromptAdditions } from "../../prompt/augment.ts";
import type { CustomTool } from "./custom_tool.ts";

/** What tools may touch: everything (`"all"`), or the listed paths, programs or hosts. Missing: the default of the command line. */
export interface AgentPermissions {
  /** Absolute paths, or relative to the process's folder. */
  readonly read?: "all" | readonly string[];
  /** Absolute paths, or relative to the process's folder. */
  readonly write?: "all" | readonly string[];
  /** Programs by name or path. */
  readonly run?: "all" | readonly string[];
  /** Hosts, each with a port where that matters. */
  readonly net?: "all" | readonly string[];
  /** Environment variables that tools may see besides the usual ones. */
  readonly env?: readonly string[];
  /** Never readable, whatever is allowed. */
  readonly denyRead?: readonly string[];
  /** Never writable, whatever is allowed. */
  readonly denyWrite?: readonly string[];
  /** Neither write nor run anything; refused together with a scope for either. */
  readonly readOnly?: boolean;
}

/** Where the conversation lives: in memory, in a new file, or in that of a session that is gone on with or copied. */
export type AgentSession =
  | "memory"
  | "file"
  | { readonly resume: string }
  | { readonly fork: string }
  | "continue";

/** Bounds of one run; reaching one ends it with `ending: "limit"`. */
export interface AgentLimits {
  /** Rounds with the model. */
  readonly maxTurns?: number;
  /** Wall clock of a run. */
  readonly timeoutMs?: number;
  /** Of all requests together. */
  readonly maxTokensTotal?: number;
  /** USD. */
  readonly maxCostUsd?: number;
}

/** What an agent is made with. Only `cwd` and `model` have no default that fits everywhere. */
export interface AgentOptions extends PromptAdditions {
  /** The workspace: every path of a tool starts here. The process's own folder when left out. */
  readonly cwd?: string;
  /** Model id, `provider/id`, `replay:FILE`, or somebody of the program's own; the user's setting when left out. */
  readonly model?: string | Provider;
  /** Tokens, for a model that nothing is known of. */
  readonly contextWindow?: number;
  /** OpenAI-compatible endpoint. */
  readonly baseUrl?: string;
  /** Which OpenAI API: `chat` when left out. */
  readonly api?: "chat" | "responses";
  /** Goes to the endpoint and nowhere else; without it the variable `apiKeyEnv` is read. */
  readonly apiKey?: string;
  /** `OPENAI_API_KEY` unless told otherwise. */
  readonly apiKeyEnv?: string;
  /** Reasoning effort; `off` leaves it out of the request. */
  readonly thinking?: ThinkingLevel;
  /**
   * Name of an agent (`agents/NAME.md`, or one that ships) as which the whole session runs: its scopes narrow
   * `permissions`; its tools, model, prompt, limits and answer stand where no other option does. None when left out.
   */
  readonly agent?: string;

  /**
   * Active built-in tools, and all that can be switched on later; `[]` for none. When left out `read`, `bash`, `edit` and
   * `write` are active, and whatever else the scope permits can be switched on.
   */
  readonly tools?: readonly string[];
  /** Tools that run in this process; active from the start. */
  readonly customTools?: readonly CustomTool[];
  /** Hooks, commands and whatever else an extension can bring, in this process and trusted. */
  readonly extensions?: readonly ExtensionFactory[];
  /**
   * Writes the whole system prompt of each user prompt, and has the last word on it. What it throws, and a `UserError` for
   * a blank text, comes out of the call that would have begun the run; nothing was sent then.
   */
  readonly promptBuilder?: PromptBuilder;

  /** Scope of the built-in tools. */
  readonly permissions?: AgentPermissions;
  /** What must confine the tools; `auto` takes the best that this machine has. */
  readonly sandbox?: "auto" | "kernel" | "permissions" | "off";
  /** Tools can only read until `answerPlan`; false when left out, and a session that is gone on with stays as it was. */
  readonly plan?: boolean;
  /** Answers a denied call; without it denials are final. */
  readonly ask?: AskPermission;
  /** Speaks with the person for extensions; without it their questions are not answered. */
  readonly ui?: HostUi;
  /** Answers what an extension on disk may have, while it loads; without it, it has what the user's settings grant. */
  readonly askGrant?: AskGrant;

  /** `memory` when left out: nothing is kept. */
  readonly session?: AgentSession;
  /** Where session files are; the user's folder when left out. */
  readonly sessionDir?: string;
  /** JSON Schema (draft 2020-12) of each run's last message; `answer()` gives exactly the JSON then. Free text when left out. */
  readonly answerSchema?: JsonObject;
  /** Tools work on a private copy of the workspace; `patch`: where its patch is written when the agent is closed. */
  readonly trial?: boolean | { readonly patch: string };
  /** Bounds of each run; none when left out. */
  readonly limits?: AgentLimits;

  /** Replaces the built-in base prompt. */
  readonly systemPrompt?: string;
  /** Added after the base prompt. */
  readonly appendSystemPrompt?: readonly string[];
  /** How much prompt: `full` when left out. */
  readonly profile?: "full" | "minimal" | "none";
  /** Whether `AGENTS.md`, skills and templates on disk count; true when left out. */
  readonly contextFiles?: boolean;
  /** Whether extensions of the user and, with `trust`, of the project are loaded into workers; false when left out. */
  readonly extensionFiles?: boolean;
  /** Whether the project's own settings, SYSTEM.md, skills and extensions may load; false when left out. */
  readonly trust?: boolean;
  /** Keys of `settings.json` (docs/settings.md), each going before the user's own. */
  readonly settings?: JsonObject;
  /** Stands for the process's environment, from which home, folders and keys are read. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Whether the whole process is closed to debuggers and core files of the same user (Linux), as the command line's is,
   * because it holds the key; it cannot be opened again. False when left out: the process is the program's.
   */
  readonly hardenProcess?: boolean;
  /** Whether tool calls are written to the user's audit folder; false when left out. */
  readonly audit?: boolean;
}
