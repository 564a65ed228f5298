/**
 * sandpiper as a library: an agent in your own program, with its tools in the sandbox and your own beside them.
 *
 * ```ts
 * import { createAgent } from "sandpiper";
 *
 * await using agent = await createAgent({ cwd: "/path/to/project", model: "gpt-5-mini" });
 * console.log(await agent.answer("What does this project do?"));
 * ```
 *
 * @module
 */
export { createAgent } from "./cli/sdk/agent.ts";
export type { Agent, Said } from "./cli/sdk/agent_api.ts";
export { type CustomTool, type CustomToolContext, defineTool, type ZodSchema } from "./cli/sdk/custom_tool.ts";
export type { AgentLimits, AgentOptions, AgentPermissions, AgentSession } from "./cli/sdk/options.ts";
export { UserError, type UserErrorParts } from "./core/error.ts";
export { systemText } from "./core/provider.ts";
export { defineExtension } from "./hooks/api/api.ts";
export type {
  CommandRegistration,
  Dialog,
  ExecOptions,
  ExtensionApi,
  ExtensionContext,
  ExtensionFactory,
  ExtensionUi,
  FlagRegistration,
  Handler,
  ToolRegistration,
} from "./hooks/api/api.ts";
export type {
  AskPermission,
  BackgroundView,
  ChoiceSource,
  CommandView,
  ContextUsage,
  Engine,
  EngineState,
  InputSource,
  LostCache,
  MoveOptions,
  PlanAnswer,
  PlanState,
  PromptOutcome,
  QueueMode,
  RoundBill,
  SessionTotals,
  TodoItem,
  ToolView,
  UserCommandOutcome,
  UserPrompt,
} from "./core/engine.ts";
export type {
  ContextUsage as ExtensionContextUsage,
  CustomDraft,
  Delivery,
  DialogOptions,
  ExecResult,
  ExtensionFacts,
  HostCall,
  HostUi,
  ToolInfo,
} from "./core/host_actions.ts";
export type * from "./core/changes.ts";
export type * from "./core/event.ts";
export type { AskGrant, ExtensionPermissions, GrantAnswer, GrantRequest } from "./core/hook.ts";
export type {
  BeforeAgentStartEvent,
  BeforeAgentStartResult,
  InputEvent,
  InputResult,
  InputSource as HookInputSource,
  ResourcePaths,
  SessionBeforeCompactEvent,
  SessionBeforeCompactResult,
  SessionBeforeTreeEvent,
  SessionBeforeTreeResult,
  ToolCallEvent,
  ToolCallResult,
  ToolResultEvent,
  ToolResultPatch,
  UserBashEvent,
  UserBashResult,
} from "./core/hook_decisions.ts";
export type * from "./core/hook_events.ts";
export type * from "./core/json.ts";
export type * from "./core/message.ts";
export type { Limits, Policy, SandboxLevel, Scope } from "./core/policy.ts";
export type {
  CompiledPrompt,
  CompileTrigger,
  HistoryRecord,
  Manifest,
  ManifestSection,
} from "./core/compiled_prompt.ts";
export type {
  Diagnostic,
  DiagnosticCode,
  Profile,
  PromptSource,
  PromptTool,
  SkillState,
  SourceStatus,
  Stability,
} from "./core/prompt.ts";
export type { PromptBlock } from "./core/prompt.ts";
export type * from "./core/provider.ts";
export type * from "./core/session.ts";
export type { ToolResult } from "./core/tool_result.ts";
export type { ChannelFacts, PromptAdditions, PromptAugment } from "./prompt/augment.ts";
export type { PromptBuilder, PromptBuilderInput, ToolRegistry } from "./prompt/prompt_builder.ts";
