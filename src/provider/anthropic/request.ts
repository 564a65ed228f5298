import type {
  MessageCreateParamsStreaming,
  MessageParam,
  OutputConfig,
  TextBlockParam,
  Tool,
  ToolChoice,
} from "@anthropic-ai/sdk/resources/messages";
import type { ProviderRequest, ToolDefinition } from "../../core/provider.ts";
import { onceFor } from "../../core/support/once.ts";
import { wellFormed } from "../openai/conversation.ts";
import { safeToolName } from "../repair/tool_name.ts";
import { answerTool, fitsStrict, sentSchema } from "../reply/answer_shape.ts";
import { MARK, markTurns } from "./cache_marks.ts";
import type { AnthropicLimits } from "./limits.ts";
import { type BlockMessage, createBlockMessages, type MessagesTarget, withText } from "./messages.ts";
import { createRoundPrompt } from "../openai/round_text.ts";
import { type Effort, thinkingFields } from "./thinking.ts";

/** Which server and model a body is for. */
export interface AnthropicTarget extends Omit<MessagesTarget, "takesUnsigned" | "refused"> {
  /** Whether the server is the vendor's own. */
  readonly isVendor: boolean;
  /** Words for levels of thinking where they are not the usual ones; `null`: the field is left out. */
  readonly efforts?: { readonly [level in ProviderRequest["thinking"]]?: string | null };
}

/** Builds bodies; the same conversation with more at its end gives the same bytes with more at their end. */
export type AnthropicRequest = (request: ProviderRequest, limits: AnthropicLimits) => MessageCreateParamsStreaming;

type Some = Partial<MessageCreateParamsStreaming>;

interface Converter {
  readonly refused: AnthropicLimits["refused"];
  readonly convert: ReturnType<typeof createBlockMessages>;
}

/** A builder for one server. Adds no text of its own but placeholders for what would be empty (R422). */
export function createAnthropicRequest(target: AnthropicTarget): AnthropicRequest {
  const { isVendor, model } = target;
  const wireTool = onceFor(toolOf);
  /** A request that may call nothing any more still has to name the tools that were called. */
  let offered: readonly ToolDefinition[] = [];
  const roundPrompt = createRoundPrompt();
  let converter: Converter | undefined;

  function toolFields(
    request: ProviderRequest,
    messages: readonly BlockMessage[],
    limits: AnthropicLimits,
  ): { readonly tools?: Tool[]; readonly tool_choice?: ToolChoice } {
    if (request.tools.length > 0) offered = request.tools;
    const forced = forcedTool(request, limits);
    const isAsked = request.tools.length > 0;
    const called = isAsked ? [] : calledTools(messages);
    if (!isAsked && called.length === 0 && !forced) return {};
    const known = (isAsked || called.length > 0 ? offered : []).map(wireTool);
    const missing = called.filter((name) => !known.some((tool) => tool.name === name));
    const list: Tool[] = [
      ...known.map((tool) => limits.eagerInput ? { ...tool, eager_input_streaming: true } : tool),
      ...missing.map((name): Tool => ({ name, input_schema: { type: "object" } })),
    ];
    const last = list.at(-1);
    if (limits.marks && last) list[list.length - 1] = { ...last, cache_control: MARK };
    // Behind the mark: what a cache holds of the others stays.
    if (forced) return { tools: [...list, toolOf(forced)], tool_choice: { type: "tool", name: forced.name } };
    const isFree = isAsked && !formatOf(request, limits);
    return { tools: list, ...(isFree ? {} : { tool_choice: { type: "none" } }) };
  }

  function blockMessages({ messages }: ProviderRequest, { refused }: AnthropicLimits): readonly BlockMessage[] {
    if (converter?.refused !== refused) {
      converter = { refused, convert: createBlockMessages({ ...target, takesUnsigned: !isVendor, refused }) };
    }
    return converter.convert(messages);
  }

  return (request, limits) => {
    const messages = blockMessages(request, limits);
    const maxTokens = limits.cap(request);
    const format = formatOf(request, limits);
    // A model that has to call a tool may not think before.
    const level = forcedTool(request, limits) ? "off" : request.thinking;
    const { thinking, output_config } = thinkingFields(level, maxTokens, limits.traits);
    const word = target.efforts?.[request.thinking];
    const effort = word === undefined ? output_config : word === null ? undefined : { effort: word as Effort };
    const goesOn = thinking?.type !== "enabled" || isThoughtful(messages);
    const { system: steady, added } = limits.marks
      ? roundPrompt(request.system)
      : { system: request.system, added: "" };
    const system = systemBlocks({ ...request, system: steady }, limits);
    const marked = limits.marks ? markTurns(messages) : messages;
    return {
      model,
      max_tokens: maxTokens,
      stream: true,
      ...(thinking && goesOn ? { thinking } satisfies Some : {}),
      ...(effort || format ? { output_config: { ...effort, ...format } } satisfies Some : {}),
      ...toolFields(request, messages, limits),
      ...(system.length === 0 ? {} : { system } satisfies Some),
      // The package's types know no lists that stay as they are.
      messages: (added === "" ? marked : withText(marked, added)) as MessageParam[],
    };
  };
}

/** The field that holds the reply to its schema. It takes only what keeps strict rules. */
function formatOf(
  { answerSchema }: ProviderRequest,
  { answerFormat }: AnthropicLimits,
): Pick<OutputConfig, "format"> | undefined {
  if (answerSchema === undefined || answerFormat !== "schema" || !fitsStrict(answerSchema)) return undefined;
  return { format: { type: "json_schema", schema: sentSchema(answerSchema) } };
}

/** The tool that has to be called where that field is not used. */
function forcedTool(request: ProviderRequest, limits: AnthropicLimits): ToolDefinition | undefined {
  return limits.answerFormat === "none" || formatOf(request, limits) ? undefined : answerTool(request);
}

/** The stable half under a mark of its own, then what may change, then what stands for an older part of the history. */
function systemBlocks({ system, messages }: ProviderRequest, { marks }: AnthropicLimits): TextBlockParam[] {
  const summaries = messages.flatMap((message) => message.role === "system" ? [message.content] : []);
  const stable = wellFormed(system.stable);
  const rest = [system.dynamic, ...summaries].map(wellFormed).filter((text) => text.trim() !== "");
  return [
    ...(stable.trim() === ""
      ? []
      : [{ type: "text", text: stable, ...(marks ? { cache_control: MARK } : {}) } as const]),
    ...rest.map((text) => ({ type: "text", text }) as const),
  ];
}

function toolOf({ name, description, parameters }: ToolDefinition): Tool {
  const { $schema: _, ...schema } = parameters;
  // Schemas of tools are those of objects; one that does not say so is made to.
  const input_schema = { ...schema, type: "object" } as Tool["input_schema"];
  return { name: safeToolName(name), description: wellFormed(description), input_schema };
}

function calledTools(messages: readonly BlockMessage[]): readonly string[] {
  const blocks = messages.flatMap(({ content }) => content);
  return [...new Set(blocks.flatMap((block) => block.type === "tool_use" ? [block.name] : []))];
}

/**
 * Whether a model with a budget can go on thinking: the turn at hand began with a thought. One that another provider
 * began did not, and would be refused.
 */
function isThoughtful(messages: readonly BlockMessage[]): boolean {
  const spoken = messages.findLastIndex(({ role, content }) =>
    role === "user" && content.every(({ type }) => type !== "tool_result")
  );
  const reply = messages[spoken + 1];
  const [first] = reply?.role === "assistant" ? reply.content : [];
  return first === undefined || first.type === "thinking" || first.type === "redacted_thinking";
}
