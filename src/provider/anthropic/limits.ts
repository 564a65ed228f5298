import { messageOf } from "../../core/error.ts";
import type { ImageContent, RequestMessage } from "../../core/message.ts";
import type { ProviderRequest } from "../../core/provider.ts";
import type { Capabilities, SomeCapabilities } from "../capabilities/capabilities.ts";
import { BAD_SCHEMA, LEAST_LIMIT, RefusedRequest } from "../failure/refused_request.ts";
import { fitsStrict } from "../reply/answer_shape.ts";
import { imagesOf } from "../openai/conversation.ts";
import type { Refused } from "./messages.ts";
import type { ThinkingTraits } from "./thinking.ts";

/** What a server takes, as far as it is known: begun with what a name says, and learned from refusals. */
export interface AnthropicLimits {
  readonly traits: ThinkingTraits;
  /** Whether `cache_control` is taken. */
  readonly marks: boolean;
  /** How a reply is held to a JSON Schema. */
  readonly answerFormat: Capabilities["answerFormat"];
  /** Whether inputs of tools may be asked for piece by piece. */
  readonly eagerInput: boolean;
  /** Pictures and reasoning that are not taken. */
  readonly refused: Refused;
  /** The output limit of a request, tokens. */
  readonly cap: (request: ProviderRequest) => number;
}

/** An answer needs at least this much room, tokens; else the conversation is too long. */
const LEAST_ROOM = 1024;

/** The server counts once more in its own way; tokens. */
const MARGIN = 64;

const OVERFLOW = /input length and `?max_tokens`? exceed context limit: (\d+) \+ (\d+) > (\d+)/i;
const TOO_MANY = /max_tokens:? (\d+) > (\d+)/i;

/** What a refusal teaches. */
export interface Lesson {
  readonly limits: AnthropicLimits;
  /** What is done otherwise from now on, for a person. */
  readonly said: string;
  /** What later runs may rely on, once a request has passed with it. */
  readonly keeps?: SomeCapabilities;
}

/** What the name of a model says, under what earlier runs learned and what settings say. */
export function limitsUnder(base: AnthropicLimits, takes: SomeCapabilities): AnthropicLimits {
  const { cacheControl, answerFormat, eagerInput, maxTokens } = takes;
  const { cap } = base;
  return {
    ...base,
    traits: traitsUnder(base.traits, takes),
    marks: cacheControl ?? base.marks,
    answerFormat: answerFormat ?? base.answerFormat,
    eagerInput: eagerInput ?? base.eagerInput,
    cap: maxTokens === undefined ? cap : (request) => Math.min(cap(request), maxTokens),
  };
}

function traitsUnder(
  traits: ThinkingTraits,
  { thinkingStyle: style = traits.style, mostEffort, thinkingDisplay }: SomeCapabilities,
): ThinkingTraits {
  if (style === "none") return { style };
  const { effort, display, ...rest } = style === traits.style ? traits : { style, isSwitched: true } as const;
  const most = mostEffort === "none" ? undefined : mostEffort ?? effort;
  return {
    ...rest,
    ...(most === undefined ? {} : { effort: most }),
    ...(display && thinkingDisplay !== false ? { display } : {}),
  };
}

/** The other way round: what of a model's way to think is kept. */
function keptTraits({ style, effort, display }: ThinkingTraits, before: ThinkingTraits): SomeCapabilities {
  return {
    ...(style === before.style ? {} : { thinkingStyle: style }),
    ...(effort === before.effort || style === "none" ? {} : { mostEffort: effort ?? "none" }),
    ...(display === before.display || style !== before.style ? {} : { thinkingDisplay: display ?? false }),
  };
}

/**
 * What a refusal teaches; undefined when it is about something else, or was taught before. Throws the refusal as an
 * overflow of the context where no room is left for an answer.
 */
export function learnAnthropic(
  error: unknown,
  limits: AnthropicLimits,
  request: ProviderRequest,
): Lesson | undefined {
  if (!(error instanceof RefusedRequest) || (error.status !== 400 && error.status !== 422)) return undefined;
  const said = messageOf(error);
  const overflow = OVERFLOW.exec(said)?.slice(1).map(Number);
  if (overflow) {
    const [input = 0, , window = 0] = overflow;
    const room = window - input - MARGIN;
    if (room < LEAST_ROOM) throw asOverflow(error);
    if (room >= limits.cap(request)) return undefined;
    const cap = roomFor(limits.cap, request, room);
    return { limits: { ...limits, cap }, said: `prompt and reply do not fit together: the reply gets ${room} tokens` };
  }
  const most = Number(TOO_MANY.exec(said)?.[2]);
  if (most >= LEAST_LIMIT) {
    const { cap } = limits;
    if (most >= cap(request)) return undefined;
    const less = (next: ProviderRequest): number => Math.min(cap(next), most);
    return { limits: { ...limits, cap: less }, said: `a reply has at most ${most} tokens`, keeps: { maxTokens: most } };
  }
  if (/(?:thinking|redacted_thinking)`? blocks?\b|signature/i.test(said)) {
    // Of another endpoint, or changed by a hook; what comes from now on is the server's own again.
    const said = "the reasoning so far is not taken back and left out";
    return withRefused(limits, request.messages.filter(({ role }) => role === "assistant"), said);
  }
  if (/\bimages?\b/i.test(said)) {
    return withRefused(limits, request.messages.flatMap(({ content }) => imagesOf(content)), "pictures are left out");
  }
  const leftOut = (name: string, change: Partial<AnthropicLimits>, keeps: SomeCapabilities): Lesson => {
    return { limits: { ...limits, ...change }, said: `${name} is left out`, keeps };
  };
  if (/cache_control/.test(said)) {
    return limits.marks ? leftOut("cache_control", { marks: false }, { cacheControl: false }) : undefined;
  }
  if (/eager_input_streaming/.test(said)) {
    return limits.eagerInput
      ? leftOut("eager_input_streaming", { eagerInput: false }, { eagerInput: false })
      : undefined;
  }
  const answer = learnAnswer(said, limits, request);
  if (answer) return answer;
  const traits = learnThinking(said, limits.traits, request);
  return traits && {
    limits: { ...limits, traits },
    said: "thinking is asked for otherwise",
    keeps: keptTraits(traits, limits.traits),
  };
}

/** The field first, then the forced call, then the model's word. */
function learnAnswer(said: string, limits: AnthropicLimits, request: ProviderRequest): Lesson | undefined {
  if (request.answerSchema === undefined || /\beffort\b/i.test(said)) return undefined;
  const { answerFormat } = limits;
  const lesson = (other: Capabilities["answerFormat"], words: string): Lesson => ({
    limits: { ...limits, answerFormat: other },
    said: words,
    ...(BAD_SCHEMA.test(said) ? {} : { keeps: { answerFormat: other } }),
  });
  // Other schemas are not sent by the field.
  const isField = answerFormat === "schema" && fitsStrict(request.answerSchema);
  if (isField && /output_config|output_format|json_schema|structured.?output|schema/i.test(said)) {
    return lesson("tool", "a tool takes an answer that has a schema");
  }
  return answerFormat !== "none" && /tool_choice|tool choice|forces? tool|final_answer|input_schema/i.test(said)
    ? lesson("none", "it is not asked to hold an answer to a schema")
    : undefined;
}

function withRefused(
  limits: AnthropicLimits,
  found: readonly (ImageContent | RequestMessage)[],
  said: string,
): Lesson | undefined {
  const { items } = limits.refused;
  const fresh = found.filter((item) => !items.has(item));
  for (const item of fresh) items.add(item);
  return fresh.length > 0 ? { limits: { ...limits, refused: { items } }, said } : undefined;
}

function learnThinking(said: string, traits: ThinkingTraits, request: ProviderRequest): ThinkingTraits | undefined {
  if (request.thinking === "off") return undefined;
  const { effort, display, ...rest } = traits;
  const isEffort = /\beffort\b|output_config/i.test(said);
  // A level that a model lacks, before the field itself.
  if (isEffort && effort === "xhigh" && /xhigh/.test(said)) return { ...traits, effort: "max" };
  if (isEffort && effort === "max" && /\bmax\b/.test(said)) return { ...traits, effort: "high" };
  if (isEffort && effort !== undefined) return { ...rest, ...(display ? { display } : {}) };
  if (!/thinking|budget_tokens/i.test(said)) return undefined;
  if (/\bdisplay\b/.test(said) && display) return { ...rest, ...(effort ? { effort } : {}) };
  if (!traits.isSwitched && /adaptive|budget_tokens|enabled/i.test(said)) {
    if (traits.style === "adaptive") return { style: "budget", isSwitched: true };
    if (traits.style === "budget") return { style: "adaptive", isSwitched: true };
  }
  return traits.style === "none" ? undefined : { style: "none" };
}

/** Holds for this conversation and what follows it; one that was shortened has room again. */
function roomFor(
  cap: AnthropicLimits["cap"],
  { messages }: ProviderRequest,
  room: number,
): AnthropicLimits["cap"] {
  const length = messages.length;
  return (next) => next.messages.length < length ? cap(next) : Math.min(cap(next), room);
}

function asOverflow({ headers, text }: RefusedRequest): RefusedRequest {
  const error = { type: "invalid_request_error", code: "context_length_exceeded", message: text };
  return new RefusedRequest({ status: 400, headers, text: JSON.stringify({ error }) });
}
