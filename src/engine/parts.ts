import type { JsonObject } from "../core/json.ts";
import type { Queues } from "../agent/queues.ts";
import type { Config } from "../config/config.ts";
import type { AgentSet } from "../context/agents/agents.ts";
import type { AskPermission } from "../core/engine.ts";
import type { Hooks } from "../core/hook.ts";
import type { HostUi } from "../core/host_actions.ts";
import type { Budget } from "../core/runner.ts";
import type { SessionStore } from "../core/session.ts";
import type { HooksOptions } from "../hooks/open.ts";
import type { PromptBuilder } from "../prompt/prompt_builder.ts";
import type { SessionChanges } from "./changes/session_changes.ts";
import type { Compactor } from "./compaction.ts";
import type { Conversation } from "./conversation.ts";
import type { EventBus, OnLeft } from "./events.ts";
import type { GrantApproval } from "./extension_grants.ts";
import type { McpServers } from "./mcp_servers.ts";
import type { ModelChoice } from "./model/model.ts";
import type { ModelState } from "./model_state.ts";
import type { InputSources } from "./prompt/inputs.ts";
import type { PromptAdditions } from "../prompt/augment.ts";
import type { Planning } from "./plan.ts";
import type { PromptState } from "./prompt_state.ts";
import type { Proof } from "./proof/proof.ts";
import type { ToolsHost } from "./tools/tools_host.ts";
import type { TodoList } from "./todo_list.ts";
import type { RejectedTools } from "./tools/rejected_tools.ts";
import type { Toolset } from "./tools/toolset.ts";
import type { Work } from "./work.ts";

/** Switches that a client turns during a session. */
export interface AutoSwitches {
  /** Whether the history is shortened. */
  compaction: boolean;
  /** Whether failed requests are made again; undefined: the settings say it. */
  retry?: boolean;
}

/** The parts of an open session, for the modules that make up the engine. */
export interface EngineCore {
  readonly config: () => Config;
  readonly tools: ToolsHost;
  readonly toolset: Toolset;
  /** Tools that the model's provider rejects. */
  readonly rejectedTools: RejectedTools;
  readonly conversation: Conversation;
  readonly queues: Queues;
  readonly prompt: PromptState;
  readonly model: ModelState;
  readonly compactor: Compactor;
  readonly auto: AutoSwitches;
  readonly changes: SessionChanges;
  readonly inputs: () => InputSources;
  /** The agents that a task can be given to. */
  readonly agents: () => Promise<AgentSet>;
  readonly hooks: () => Hooks | undefined;
  /** What sees requests, calls and results of runs: those of whoever started this session, for a sub-agent's. */
  readonly guards: () => Hooks | undefined;
  /** What a run has to show before it is done; undefined: nothing. */
  readonly proof: () => Proof | undefined;
  readonly plan: Planning;
  readonly todo: TodoList;
  readonly work: Work;
  /** Limits of the run that started this session; undefined: nobody's run did. */
  readonly whole: Budget | undefined;
  /**
   * Called before each request: a grant may have made another policy, which prompt and tools then follow, and a command in
   * the background may have tools of its own.
   */
  readonly followPolicy: () => void;
  /** Another session begins: extensions that were granted something for the one before are loaded again without it. */
  readonly renewExtensions: () => Promise<void>;
  /** Called before each prompt: waits for servers that are still starting, and takes the tools that they have now. */
  readonly followMcpServers: (signal: AbortSignal) => Promise<void>;
  /** How the user is asked; absent if nobody can be. */
  readonly ui: HostUi | undefined;
  /** Absent where none is named. */
  readonly servers: McpServers | undefined;
  /** Everything that happens goes through here. */
  readonly emit: EventBus["emit"];
  /** Tells a person something. */
  readonly notify: EventBus["notify"];
}

/** What the session of a sub-agent has of the one that started it. */
export interface WithinSession {
  /** Under a policy of its own, never wider. Closed with the session. */
  readonly tools: ToolsHost;
  /** Its own conversation. */
  readonly store: SessionStore;
  /** See `SubAgentStart` in core/event.ts. */
  readonly agentId: string;
  /** 1 for one that the agent itself started. */
  readonly depth: number;
  /** Extensions that may interfere with what it sends, calls and gets. */
  readonly hooks: () => Hooks | undefined;
  /** Limits of the run that started it. */
  readonly whole?: Budget;
}

/** What an engine is opened with. */
export interface EngineOptions {
  /** For a sub-agent: what it has of the session that started it. */
  readonly within?: WithinSession;
  readonly config: Config;
  readonly choice: ModelChoice;
  /** Answers denials; without it they are final. */
  readonly ask?: AskPermission;
  /** Who reads along: the prompt says whether anybody can answer (R409). */
  readonly channel: "interactive" | "text" | "stdin" | "json" | "rpc";
  /** How extensions speak with the person; without it nobody can be asked. */
  readonly ui?: HostUi;
  /** Asks what an extension may have; without it, it has what the user's settings grant. */
  readonly grants?: GrantApproval;
  /** Extensions of a program that embeds the engine, in its own process. */
  readonly extensions?: NonNullable<HooksOptions["inProcess"]>;
  /** What such a program adds to the system prompt. */
  readonly additions?: PromptAdditions;
  /** Writes the system prompt of each message of the user in place of the compiler (R54). */
  readonly promptBuilder?: PromptBuilder;
  /** JSON Schema of the answer of each run (draft 2020-12); `--output-schema` for a program that embeds the engine. */
  readonly answerSchema?: JsonObject;
  /** Variables for a model that is chosen later, the key's among them; those of the process unless told otherwise. */
  readonly variable?: (name: string) => string | undefined;
  /** Whether this process is closed to debuggers and core files; true unless told otherwise. */
  readonly hardens?: boolean;
  /** Hears what there is to say while the session closes, when its events may be read by nobody; a notice without it. */
  readonly onLeft?: OnLeft;
}
