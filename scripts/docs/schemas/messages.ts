// The shapes of messages as events carry them, for the published schema. The types say which fields there must be: one
// that is missing here, or too many, is a type error.
import * as z from "zod/mini";
import type {
  AgentMessage,
  AssistantMessage,
  ImageContent,
  TextContent,
  ThinkingContent,
  ToolCall,
  Usage,
} from "../../../src/core/message.ts";
import { exactly, type FieldsOf } from "./exact_shape.ts";
import type { FailureKind, ProviderFailure } from "../../../src/core/provider.ts";

/** A JSON object of any shape. */
export const anyObject = z.record(z.string(), z.unknown());
const text = z.string();
const count = z.int().check(z.gte(0));
const amount = z.number().check(z.gte(0));
/** Milliseconds since the epoch. */
const time = z.number();

const textPart = exactly<TextContent>({ type: z.literal("text"), text });
const imagePart = exactly<ImageContent>({ type: z.literal("image"), data: text, mimeType: text });
/** What messages and results hold for the model. */
export const parts = z.array(z.union([textPart, imagePart]));
const content = z.union([text, parts]);

const thinkingPart = exactly<ThinkingContent>({
  type: z.literal("thinking"),
  thinking: text,
  field: z.optional(text),
});
const callPart = exactly<ToolCall>({
  type: z.literal("toolCall"),
  id: text,
  name: text,
  arguments: anyObject,
  refused: z.optional(exactly<NonNullable<ToolCall["refused"]>>({ reason: text, raw: text })),
});
/** Tokens and cost of a request. */
export const usage = exactly<Usage>({
  input: count,
  output: count,
  reasoningTokens: z.optional(count),
  cacheRead: count,
  cacheWrite: count,
  totalTokens: count,
  cost: z.optional(
    exactly<NonNullable<Usage["cost"]>>({ input: amount, output: amount, cacheRead: amount, total: amount }),
  ),
});
const KINDS: Readonly<Record<FailureKind, true>> = {
  rate_limit: true,
  overload: true,
  network: true,
  context_overflow: true,
  auth: true,
  bad_request: true,
  content_filter: true,
  aborted: true,
};
const failure = exactly<ProviderFailure>({
  kind: z.enum(Object.keys(KINDS)),
  message: text,
  status: z.optional(z.int()),
  retry: z.boolean(),
  retryAfterMs: z.optional(amount),
  contextWindow: z.optional(count),
  tools: z.optional(z.array(text)),
});

type Fields<Role extends AgentMessage["role"]> = FieldsOf<Extract<AgentMessage, { readonly role: Role }>, "role">;

const MESSAGES: { readonly [Role in AgentMessage["role"]]: Fields<Role> } = {
  user: { content, timestamp: time },
  assistant: {
    content: z.array(z.union([textPart, thinkingPart, callPart])),
    provider: text,
    model: text,
    usage: z.optional(usage),
    stopReason: z.enum(["stop", "length", "toolUse", "error", "aborted"] satisfies AssistantMessage["stopReason"][]),
    failure: z.optional(failure),
    errorMessage: z.optional(text),
    keep: z.optional(anyObject),
    timestamp: time,
  },
  toolResult: {
    toolCallId: text,
    toolName: text,
    content: parts,
    details: z.optional(anyObject),
    isError: z.boolean(),
    timestamp: time,
  },
  custom: {
    customType: text,
    content,
    display: z.boolean(),
    details: z.optional(anyObject),
    timestamp: time,
  },
  bashExecution: {
    command: text,
    output: text,
    exitCode: z.optional(z.int()),
    cancelled: z.boolean(),
    truncated: z.boolean(),
    fullOutputPath: z.optional(text),
    excludeFromContext: z.optional(z.boolean()),
    timestamp: time,
  },
  compactionSummary: { summary: text, tokensBefore: count, tokensAfter: z.optional(count), timestamp: time },
  branchSummary: { summary: text, fromId: text, timestamp: time },
};

/** A message of each role. */
export const messagesByRole: ReadonlyMap<string, z.ZodMiniType> = new Map(
  Object.entries(MESSAGES).map(([role, fields]) => [role, z.strictObject({ role: z.literal(role), ...fields })]),
);

/** Any message of a conversation. */
export const message = z.union([...messagesByRole.values()]);

/** A message of one role. */
export function messageOf(role: AgentMessage["role"]): z.ZodMiniType {
  return messagesByRole.get(role) ?? message;
}
