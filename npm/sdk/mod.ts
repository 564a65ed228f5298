/**
 * sandpiper from Node, Bun and Deno: an agent in a sandpiper process of its own, with the methods, events and types of one
 * that is embedded.
 *
 * ```ts
 * import { createAgent } from "sandpiper-sdk";
 *
 * const agent = await createAgent({ cwd: "/path/to/project", model: "gpt-5-mini" });
 * console.log(await agent.answer("What does this project do?"));
 * await agent.close();
 * ```
 *
 * @module
 */
export { createAgent } from "./agent.ts";
export type { SdkOptions } from "./options.ts";
export { defineTool } from "./tools.ts";
export type { Agent, Said } from "../../src/cli/sdk/agent_api.ts";
export type { CustomTool, CustomToolContext, ZodSchema } from "../../src/cli/sdk/custom_tool.ts";
export type { AgentLimits, AgentOptions, AgentPermissions, AgentSession } from "../../src/cli/sdk/options.ts";
export { UserError, type UserErrorParts } from "../../src/core/error.ts";
export { systemText } from "../../src/core/provider.ts";
export { defineExtension } from "../../src/hooks/api/api.ts";
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
} from "../../src/hooks/api/api.ts";
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
} from "../../src/core/engine.ts";
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
} from "../../src/core/host_actions.ts";
export type * from "../../src/core/changes.ts";
export type * from "../../src/core/event.ts";
export type { AskGrant, ExtensionPermissions, GrantAnswer, GrantRequest } from "../../src/core/hook.ts";
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
} from "../../src/core/hook_decisions.ts";
export type * from "../../src/core/hook_events.ts";
export type * from "../../src/core/json.ts";
export type * from "../../src/core/message.ts";
export type { Limits, Policy, SandboxLevel, Scope } from "../../src/core/policy.ts";
export type {
  CompiledPrompt,
  CompileTrigger,
  HistoryRecord,
  Manifest,
  ManifestSection,
} from "../../src/core/compiled_prompt.ts";
export type {
  Diagnostic,
  DiagnosticCode,
  Profile,
  PromptSource,
  PromptTool,
  SkillState,
  SourceStatus,
  Stability,
} from "../../src/core/prompt.ts";
export type { PromptBlock } from "../../src/core/prompt.ts";
export type * from "../../src/core/provider.ts";
export type * from "../../src/core/session.ts";
export type { ToolResult } from "../../src/core/tool_result.ts";
export type { ChannelFacts, PromptAdditions, PromptAugment } from "../../src/prompt/augment.ts";
export type { PromptBuilder, PromptBuilderInput, ToolRegistry } from "../../src/prompt/prompt_builder.ts";
