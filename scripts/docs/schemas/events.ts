// Every line that json and rpc mode write of a run: docs/events.schema.json is made from it, and tests hold real runs
// against it. An event or a field that is missing here, or too many, is a type error.
import * as z from "zod/mini";
import type {
  AgentEvent,
  AssistantDelta,
  CompactionResult,
  Denial,
  SubAgentEnd,
  SubAgentScope,
} from "../../../src/core/event.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { SessionHeader } from "../../../src/core/session.ts";
import type { ToolResult } from "../../../src/core/tool_result.ts";
import { exactly, type FieldsOf } from "./exact_shape.ts";
import { changes, fileChange, runReport, totals } from "./report.ts";
import { anyObject, message, messageOf, messagesByRole, parts, usage } from "./messages.ts";

const text = z.string();
const flag = z.boolean();
const texts = z.array(text);
const count = z.int().check(z.gte(0));
const positive = z.int().check(z.gte(1));
const amount = z.number().check(z.gte(0));
const reason = z.enum(["manual", "threshold", "overflow"]);

type Delta<Type extends AssistantDelta["type"]> = Extract<AssistantDelta, { readonly type: Type }>;
const delta = z.union([
  exactly<Delta<"text_delta">>({ type: z.literal("text_delta"), delta: text }),
  exactly<Delta<"thinking_delta">>({ type: z.literal("thinking_delta"), delta: text }),
  exactly<Delta<"toolcall_delta">>({
    type: z.literal("toolcall_delta"),
    index: count,
    name: z.optional(text),
    delta: text,
  }),
]);
const result = exactly<ToolResult>({ content: parts, details: z.optional(anyObject), isError: z.optional(flag) });
const denialKind = z.enum(["read", "write", "run", "net"]);
const ending = z.enum(["done", "error", "aborted", "limit", "unproven"]);
const denial = exactly<Denial>({ kind: denialKind, target: text, grant: text });
const compaction = exactly<CompactionResult>({
  summary: text,
  firstKeptEntryId: text,
  tokensBefore: count,
  tokensAfter: z.optional(count),
  details: z.optional(anyObject),
});
const call = { toolCallId: text, toolName: text };
const subAgent = { agentId: text, toolCallId: text, sessionId: text, sessionFile: z.optional(text) };
/** The fields of each event. */
const EVENTS: {
  readonly [Type in AgentEvent["type"]]: FieldsOf<Extract<AgentEvent, { readonly type: Type }>, "type">;
} = {
  agent_start: {},
  turn_start: { turn: positive },
  prompt_compiled: { manifest: anyObject },
  message_start: { message },
  message_update: { assistantMessageEvent: delta },
  message_end: { message, discarded: z.optional(flag) },
  tool_execution_start: { ...call, args: anyObject },
  tool_execution_update: { ...call, partialResult: result },
  tool_execution_end: { ...call, result, isError: flag, durationMs: amount, waitedMs: z.optional(amount) },
  tool_call_rejected: { ...call, args: anyObject, by: z.enum(["extension", "program"]), reason: text },
  turn_end: { message: messageOf("assistant"), toolResults: z.array(messageOf("toolResult")) },
  auto_retry_start: { attempt: positive, maxAttempts: positive, delayMs: amount, errorMessage: text },
  auto_retry_end: { success: flag, attempt: positive, finalError: z.optional(text) },
  queue_update: { steering: texts, followUp: texts },
  bash_execution_update: { output: text },
  session_changed: {
    reason: z.enum(["new", "resume", "fork", "tree", "name"]),
    sessionId: text,
    sessionFile: z.optional(text),
    sessionName: z.optional(text),
  },
  compaction_start: { reason },
  compaction_end: {
    reason,
    result: z.optional(compaction),
    aborted: flag,
    willRetry: flag,
    errorMessage: z.optional(text),
    usage: z.optional(usage),
  },
  check_start: { checkId: text, command: text, attempt: positive, tries: positive },
  check_end: {
    checkId: text,
    command: text,
    attempt: positive,
    passed: flag,
    exitCode: z.optional(z.int()),
    output: text,
    durationMs: amount,
  },
  permission_request: {
    id: text,
    ...call,
    denial,
    agentId: z.optional(text),
    agentDescription: z.optional(text),
  },
  permission_decision: { id: text, answer: z.enum(["once", "session", "project", "no"]) },
  background_start: { id: text, command: text, outputPath: z.optional(text) },
  background_end: {
    id: text,
    command: text,
    exitCode: z.int(),
    reason: z.optional(text),
    tail: text,
    durationMs: amount,
  },
  plan_update: { phase: z.enum(["started", "proposed", "refused", "accepted", "left"]), text: z.optional(text) },
  changes: { changes },
  subagent_start: {
    ...subAgent,
    description: text,
    agent: z.optional(text),
    scope: exactly<SubAgentScope>({ write: texts, read: z.optional(texts), run: flag, net: texts }),
  },
  subagent_event: { agentId: text, event: anyObject },
  subagent_end: {
    ...subAgent,
    ending,
    limit: z.optional(text),
    reason: z.optional(text),
    files: z.optional(z.array(fileChange)),
    checks: z.array(exactly<SubAgentEnd["checks"][number]>({ command: text, passed: flag })),
    denials: z.array(exactly<SubAgentEnd["denials"][number]>({ kind: denialKind, target: text })),
    totals: z.optional(totals),
  },
  notice: { level: z.enum(["info", "warning", "error"]), message: text },
  agent_end: {
    messages: z.array(message),
    ending,
    limit: z.optional(text),
    reason: z.optional(text),
    willRetry: z.optional(flag),
  },
  agent_settled: { aborted: flag, totals },
};

/** The first line of both modes. */
const header = exactly<SessionHeader, "sandpiper" | "parentSession">({
  type: z.literal("session"),
  version: z.literal(3),
  id: text,
  timestamp: z.iso.datetime(),
  cwd: text,
});

/** Every type of event, in the order of the schema. */
export const EVENT_TYPES: readonly string[] = Object.keys(EVENTS);

/** The published schema: one line of `--mode json`, and one of `--mode rpc` that is no response and no question. */
export function eventsSchema(manifest: JsonObject): JsonObject {
  const registry = z.registry<{ id: string }>();
  for (const [role, schema] of messagesByRole) registry.add(schema, { id: `${role}Message` });
  registry.add(message, { id: "message" });
  registry.add(header, { id: "session" });
  registry.add(runReport, { id: "run_report" });
  for (const [type, fields] of Object.entries(EVENTS)) {
    registry.add(z.strictObject({ type: z.literal(type), ...fields }), { id: type });
  }
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/$defs/${id}` });
  const defs = Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => {
      const { $schema: _same, $id: _place, ...rest } = schema as JsonObject; // what zod makes of a schema is JSON
      return [id, rest];
    }),
  );
  const { $schema: _same, ...manifestShape } = manifest;
  const shapeOf = (type: string) => defs[type] as { readonly properties: JsonObject }; // one of the events above
  const [compiled, within] = [shapeOf("prompt_compiled"), shapeOf("subagent_event")];
  const inner = EVENT_TYPES.filter((type) => !type.startsWith("subagent_")).map((type) => ({
    $ref: `#/$defs/${type}`,
  }));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "sandpiper events",
    description: "One line of --mode json, or of --mode rpc where it is no response and no extension_ui_request",
    oneOf: ["session", ...EVENT_TYPES, "run_report"].map((type) => ({ $ref: `#/$defs/${type}` })),
    $defs: {
      ...defs,
      prompt_compiled: { ...compiled, properties: { ...compiled.properties, manifest: { $ref: "#/$defs/manifest" } } },
      subagent_event: { ...within, properties: { ...within.properties, event: { oneOf: inner } } },
      manifest: manifestShape,
    },
  };
}
