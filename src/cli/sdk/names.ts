// What programs import beside `createAgent` and `defineTool`, the same from `src/mod.ts` and from the package `@sandpiper/sdk`,
// whose own stand in `npm/sdk`.
export type { Agent, Said } from "./agent_api.ts";
export type { CustomTool, ZodSchema } from "./custom_tool.ts";
export type { AgentLimits, AgentOptions, AgentPermissions, AgentSession } from "./options.ts";
export { UserError, type UserErrorParts } from "../../core/error.ts";
export { systemText } from "../../core/provider.ts";
export { defineExtension } from "../../hooks/api/api.ts";
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
} from "../../hooks/api/api.ts";
export type * from "../../core/engine.ts";
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
} from "../../core/host_actions.ts";
export type * from "../../core/changes.ts";
export type * from "../../core/event.ts";
export type { AskGrant, ExtensionPermissions, GrantAnswer, GrantRequest } from "../../core/hook.ts";
export type * from "../../core/hook_decisions.ts";
// Both name one.
export type { InputSource } from "../../core/engine.ts";
export type { InputSource as HookInputSource } from "../../core/hook_decisions.ts";
export type * from "../../core/hook_events.ts";
export type * from "../../core/json.ts";
export type * from "../../core/message.ts";
export type { Limits, Policy, SandboxLevel, Scope } from "../../core/policy.ts";
export type { FoundRepository } from "../../core/support/git_repository.ts";
export type {
  CompiledPrompt,
  CompileTrigger,
  HistoryRecord,
  Manifest,
  ManifestSection,
} from "../../core/compiled_prompt.ts";
export type {
  Diagnostic,
  DiagnosticCode,
  Profile,
  PromptBlock,
  PromptSource,
  PromptTool,
  SkillState,
  SourceStatus,
  Stability,
} from "../../core/prompt.ts";
export type * from "../../core/provider.ts";
export type * from "../../core/session.ts";
export type { ToolResult } from "../../core/tool_result.ts";
export type { ChannelFacts, PromptAdditions, PromptAugment } from "../../prompt/augment.ts";
export type { PromptBuilder, PromptBuilderInput, ToolRegistry } from "../../prompt/prompt_builder.ts";
