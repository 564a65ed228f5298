// What a refusal teaches about an endpoint. Loaded with the first refusal that could be one.
// One file above the usual length: a table of rules, whose order decides where two of them fit.
import { isObject, type JsonObject } from "../../core/json.ts";
import { THINKING_LEVELS } from "../../core/provider.ts";
import { type Capabilities, combined, isSame, type SomeCapabilities } from "../capabilities/capabilities.ts";
import { wordsBy } from "../capabilities/known.ts";
import { isOverflow, roomIn } from "../failure/overflow.ts";
import { BAD_SCHEMA, LEAST_LIMIT } from "../failure/refused_request.ts";
import { readServerError, saidIn } from "../failure/server_error.ts";

/** What to do otherwise from now on. */
export interface Lesson {
  readonly change: SomeCapabilities;
  /** What happens from now on, as the rest of a sentence; absent where nobody has to know. */
  readonly clause?: string;
  /** Whether later runs may rely on it. */
  readonly isKept: boolean;
  /** The pictures of this request are at fault, and not that there are some. */
  readonly areBadPictures?: boolean;
  /** Longest reply of this request, tokens. */
  readonly maxTokens?: number;
}

/** A request that was refused. */
export interface Refused {
  readonly status: number;
  /** The answer's body, parsed where it was JSON. */
  readonly answer: unknown;
  readonly body: JsonObject;
  readonly takes: Capabilities;
}

/** What a rule looks at. */
interface Facts extends Omit<Refused, "answer"> {
  /** All that the server said of the reason. */
  readonly said: string;
  readonly messages: readonly JsonObject[];
}

type Rule = (facts: Facts) => Lesson | undefined;

/** Templates fail as errors of the server, and some gateways find no model for what they do not take. */
const STATUSES: ReadonlySet<number> = new Set([400, 404, 415, 422, 500, 501]);

/** Words for "I do not know that" around a field's name. */
const UNKNOWN =
  /unrecognized|unknown|unsupported|not supported|not support|unexpected|not permitted|not allowed|forbidden|invalid|extra|cannot be|isn't|not accept|deprecated|no longer|not available|not enabled/i;

const kept = (change: SomeCapabilities, clause: string): Lesson => ({ change, clause, isKept: true });

function has({ messages }: Facts, test: (message: JsonObject) => boolean): boolean {
  return messages.some(test);
}

/** A field at the top of the body that the server names as something that it does not know. */
function field(names: RegExp, isSent: (facts: Facts) => boolean, change: SomeCapabilities, clause: string): Rule {
  return (facts) => isSent(facts) && names.test(facts.said) ? kept(change, clause) : undefined;
}

/** Such a field, which is left out from now on. */
function leftOut(name: string, change: SomeCapabilities, names = new RegExp(name, "i")): Rule {
  return field(names, ({ body }) => name in body, change, `${name} is left out`);
}

const isCall = (message: JsonObject): boolean => Array.isArray(message.tool_calls);
const isPicture = (part: unknown): boolean =>
  isObject(part) && (part.type === "image_url" || part.type === "input_image");
const hasPicture = (message: JsonObject): boolean =>
  [message.content, message.output].some((parts) => Array.isArray(parts) && parts.some(isPicture));

/** Words of effort, from the least on. */
const WORDS: readonly string[] = ["none", ...THINKING_LEVELS.slice(1), "max"];

/** The words that a server lists as the ones it takes. */
function wordsIn(said: string): readonly string[] {
  const list =
    /(?:supported|allowed|valid|permitted|accepted|expected)[^.:]{0,60}?(?::|are|is|one of)\s*(.*)/is.exec(said) ??
      /(?:one of|must be|should be)\s*:?\s*(.*)/is.exec(said);
  const found = list?.[1]?.match(/\b(?:none|default|minimal|low|medium|high|xhigh|max)\b/gi) ?? [];
  return [...new Set(found.map((word) => word.toLowerCase()))];
}

/** For each level the nearest word that there is, the lower one of two. */
function effortsOf(words: readonly string[]): Capabilities["efforts"] {
  const ranked = WORDS.filter((word) => words.includes(word) && word !== "none");
  const only = words.includes("default") ? "default" : null;
  return wordsBy((level) => {
    const at = WORDS.indexOf(level);
    return ranked.toSorted((a, b) => Math.abs(WORDS.indexOf(a) - at) - Math.abs(WORDS.indexOf(b) - at))[0] ?? only;
  });
}

const EFFORT = /reasoning[_. ]?effort|\breasoning\b|\bthinking\b|enable_thinking|chat_template_kwargs|\beffort\b/i;

const effort: Rule = ({ said, body, takes }) => {
  const { reasoning, reasoning_effort: plain } = body;
  const sent = typeof plain === "string" ? plain : isObject(reasoning) ? reasoning.effort : undefined;
  const isSent = sent !== undefined || "thinking" in body || "enable_thinking" in body ||
    "chat_template_kwargs" in body;
  if (!isSent || !EFFORT.test(said) || /reasoning_(?:content|details|text)/i.test(said)) return undefined;
  const words = wordsIn(said);
  if (typeof sent === "string" && words.length > 0 && !words.includes(sent)) {
    return kept(
      { efforts: effortsOf(words) },
      `thinking is asked for with the words that it takes (${words.join(", ")})`,
    );
  }
  // An object that the server knows, with a word of ours beside it that it does not.
  if (takes.effortStyle === "thinking" && typeof plain === "string" && /effort/i.test(said)) {
    return kept({ efforts: effortsOf([]) }, "the effort of thinking is left out");
  }
  return UNKNOWN.test(said) ? kept({ effortStyle: "none" }, "it is not asked to think") : undefined;
};

const LARGEST: readonly RegExp[] = [
  /supports at most (\d+) (?:completion|output)/i,
  /max(?:_completion|_output|_new)?_tokens.{0,80}?(?:less than or equal to|<=|at most|no more than|maximum (?:value|of)|cannot exceed)\D{0,20}(\d+)/i,
  /max(?:_completion|_output|_new)?_tokens.{0,60}?\[ ?\d+, ?(\d+)\]/i,
  /max(?:_completion|_output|_new)?_tokens: \d+ > (\d+)/i,
  /maximum tokens you requested exceeds the model limit of (\d+)/i,
];

const outputLimit: Rule = ({ said, body, takes }) => {
  const name = ["max_tokens", "max_completion_tokens", "max_output_tokens"].find((one) => one in body);
  if (name === undefined) return undefined;
  const most = Number(LARGEST.map((pattern) => pattern.exec(said)?.[1]).find((found) => found !== undefined));
  // A number that no model has for its limit is about something else, and one that is kept would spoil every reply to come.
  if (most >= LEAST_LIMIT && most < Number(body[name])) {
    return kept({ maxTokens: most }, `replies have at most ${most} tokens`);
  }
  const other = name === "max_tokens" ? "max_completion_tokens" : "max_tokens";
  const isNamed = new RegExp(`\\b${name}\\b`).test(said);
  if (name === "max_output_tokens" || !isNamed) return undefined;
  if (new RegExp(`\\b${other}\\b`).test(said)) return kept({ maxTokensField: other }, `${other} stands for ${name}`);
  if (!UNKNOWN.test(said) || /must be|too large|greater/i.test(said)) return undefined;
  return takes.maxTokensField === "max_completion_tokens"
    ? kept({ maxTokensField: "max_tokens" }, "max_tokens stands for max_completion_tokens")
    : kept({ maxTokensField: "none" }, "the length of a reply is left to the server");
};

/** The pictures themselves are at fault, or their number: another one may pass. */
const BAD_PICTURE =
  /(?:invalid|corrupt|could not (?:process|decode|read)|unable to|failed to (?:process|decode)|damaged|malformed).{0,40}image|image.{0,60}(?:too large|exceeds|dimension|corrupt|invalid|could not|maximum|bytes|MB\b)|too many images/i;
const NO_PICTURES =
  /image|vision|multi-?modal|modalit|picture|content must be a string|unknown variant|input should be a valid string/i;

const pictures: Rule = (facts) => {
  const { said, takes } = facts;
  if (!takes.images || !has(facts, hasPicture) || !NO_PICTURES.test(said)) return undefined;
  const isInResult = has(facts, (message) => hasPicture(message) && message.role === "tool");
  if (takes.imagesInResults && isInResult && /tool/i.test(said)) {
    return kept({ imagesInResults: false }, "pictures of results stand in a message behind them");
  }
  if (BAD_PICTURE.test(said)) {
    return { change: {}, clause: "the pictures that were in it are left out", isKept: false, areBadPictures: true };
  }
  return kept({ images: false }, "pictures are left out");
};

const ECHO = /reasoning_content|reasoning_details|reasoning_text|\breasoning\b/i;
const MISSING = /must be (?:passed|provided|present|included)|missing|required|requires/i;

const reasoningBack: Rule = (facts) => {
  const { said, takes } = facts;
  if (!ECHO.test(said)) return undefined;
  const isSent = has(
    facts,
    (message) =>
      ["reasoning_content", "reasoning", "reasoning_text", "reasoning_details"].some((name) => name in message),
  );
  if (MISSING.test(said) && has(facts, ({ role }) => role === "assistant")) {
    const named = /reasoning_content/i.test(said) ? "reasoning_content" : "reasoning";
    const isEvery = takes.reasoningField === named && takes.reasoningEcho === "calls";
    return kept(
      { reasoningField: named, reasoningEcho: isEvery || /every assistant/i.test(said) ? "always" : "calls" },
      "reasoning goes back with the replies that it led to",
    );
  }
  return isSent && takes.reasoningEcho !== "never" && UNKNOWN.test(said)
    ? kept({ reasoningEcho: "never" }, "reasoning does not go back to it")
    : undefined;
};

const isUserAfterTool = (messages: readonly JsonObject[]): boolean =>
  messages.some(({ role }, at) => role === "user" && messages[at - 1]?.role === "tool");

const roles: Rule = (facts) => {
  const { said, takes, messages } = facts;
  const isBridgeable = takes.userAfterTool && isUserAfterTool(messages);
  const bridge = kept({ userAfterTool: false }, "a word of the assistant stands between a tool's result and a message");
  if (/role.{0,20}user.{0,30}after.{0,20}role.{0,10}tool|\b3230\b/i.test(said)) {
    return isBridgeable ? bridge : undefined;
  }
  if (/alternat|consecutive|roles? in a row|same role/i.test(said)) {
    if (!takes.alternation) return kept({ alternation: true }, "neighbouring messages of one role are joined");
    return isBridgeable ? bridge : undefined;
  }
  if (/developer/i.test(said) && takes.developerRole) {
    return kept({ developerRole: false }, "the prompt has the role system");
  }
  if (!/\bsystem\b/i.test(said) || !has(facts, ({ role }) => role === "system" || role === "developer")) {
    return undefined;
  }
  if (
    /system.{0,60}(?:begin|first|start|only (?:once|one)|multiple)|(?:only one|multiple|first).{0,30}system/i.test(said)
  ) {
    if (takes.systemMessages === "anywhere") {
      return kept({ systemMessages: "first" }, "there is one system message, and it is the first");
    }
  }
  return /system.{0,40}(?:not supported|not support|unsupported|not allowed|invalid)/i.test(said) &&
      takes.systemMessages !== "none"
    ? kept({ systemMessages: "none" }, "the prompt opens the first message of the user")
    : undefined;
};

const emptyContent: Rule = (facts) => {
  const { said, takes } = facts;
  if (!/content/i.test(said) || !has(facts, (message) => isCall(message) && (message.content ?? "") === "")) {
    return undefined;
  }
  if (takes.nullContent && /null|none|nil|required|missing|must be (?:a )?string|valid string/i.test(said)) {
    return kept({ nullContent: false }, 'calls without text have "" as their content');
  }
  return !takes.nullContent && /non-?empty|empty/i.test(said)
    ? kept({ nullContent: true }, "calls without text have null as their content")
    : undefined;
};

const callIds: Rule = (facts) => {
  const { said, takes } = facts;
  if (!has(facts, (message) => isCall(message) || message.type === "function_call")) return undefined;
  if (takes.callIds !== "mistral9" && /length of 9|\b3280\b/i.test(said)) {
    return kept({ callIds: "mistral9" }, "ids of calls have nine characters");
  }
  return takes.callIds === "keep" && /id\b.{0,120}maximum length (?:of )?40/is.test(said)
    ? kept({ callIds: "max40" }, "ids of calls have at most 40 characters")
    : undefined;
};

const FORMAT =
  /response[_ -]?(?:format|mime|schema)|text\.format|\bjson_schema\b|structured.?output|json mode|json_object|guided|grammar/i;

const answerFormat: Rule = ({ said, body, takes }) => {
  const isKept = !BAD_SCHEMA.test(said);
  const isField = "response_format" in body || "text" in body;
  if (isField && (FORMAT.test(said) || /\btext\b/.test(said) && UNKNOWN.test(said))) {
    return { change: { answerFormat: "tool" }, clause: "a tool takes an answer that has a schema", isKept };
  }
  // Also where calls were forbidden beside the field.
  const isChosen = "tool_choice" in body && /tool_choice|tool choice|final_answer/i.test(said);
  return isChosen && takes.answerFormat !== "none"
    ? { change: { answerFormat: "none" }, clause: "it is not asked to hold an answer to a schema", isKept }
    : undefined;
};

function isStrictSent({ body }: Facts): boolean {
  const { response_format: format } = body;
  const schema = isObject(format) ? format.json_schema : undefined;
  return "input" in body || (isObject(schema) && schema.strict === true);
}

/** In this order: what is told most exactly comes first. */
const RULES: readonly Rule[] = [
  ({ said, takes, body }) =>
    takes.api === undefined && "messages" in body && /\/responses\b|\bresponses api\b/i.test(said)
      ? kept({ api: "responses" }, "it is asked by the Responses API")
      : undefined,
  leftOut("stream_options", { streamOptions: false }, /stream_options|include_usage/i),
  leftOut("parallel_tool_calls", { parallelToolCalls: false }),
  leftOut("prompt_cache_key", { cacheKey: false }),
  field(/cache_control/i, ({ takes }) => takes.cacheControl, { cacheControl: false }, "cache_control is left out"),
  field(/encrypted_content|encrypted content|\binclude\b/i, ({ body }) => "include" in body, {
    encryptedReasoning: false,
  }, "encrypted reasoning is not asked for"),
  field(
    /\bstrict\b/i,
    (facts) => facts.takes.strict && isStrictSent(facts),
    { strict: false },
    "strict is left out",
  ),
  answerFormat,
  field(
    /\bname\b/i,
    (facts) =>
      facts.takes.resultNames && has(facts, ({ role, name }) => role === "tool" && name !== undefined) &&
      UNKNOWN.test(facts.said),
    { resultNames: false },
    "results are sent without the tool's name",
  ),
  outputLimit,
  roles,
  callIds,
  reasoningBack,
  effort,
  pictures,
  emptyContent,
];

/** What a refusal teaches; `undefined` where it is about something else. */
export function lessonOf({ answer, ...request }: Refused): Lesson | undefined {
  const { status, body } = request;
  if (!STATUSES.has(status)) return undefined;
  const said = saidIn(answer);
  const error = readServerError(answer);
  const room = roomIn(said);
  const asked = ["max_tokens", "max_completion_tokens", "max_output_tokens"].map((name) => body[name]).find(Number);
  if (room && typeof asked === "number" && asked > room.maxTokens) {
    return { change: { contextWindow: room.contextWindow }, isKept: true, maxTokens: room.maxTokens };
  }
  if (isOverflow({ ...error, status })) return undefined;
  const list = body.messages ?? body.input;
  const facts = { ...request, said, messages: Array.isArray(list) ? list.filter(isObject) : [] };
  for (const rule of RULES) {
    const lesson = rule(facts);
    if (lesson?.areBadPictures) return lesson;
    if (lesson && !isSame(combined(request.takes, lesson.change), request.takes)) return lesson;
  }
  return undefined;
}
