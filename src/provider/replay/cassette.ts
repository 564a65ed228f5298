import * as z from "zod/mini";
import { messageOf, UserError } from "../../core/error.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { type AssistantMessage, textOf, toolCallsOf } from "../../core/message.ts";
import { seenIn } from "./seen.ts";

const amount = z.number().check(z.nonnegative());
const tokens = z.int().check(z.nonnegative());
/** Comes out of JSON.parse: an object that is no list is a JSON object, all the way down. */
const jsonObject = z.custom<JsonObject>(isObject);

const failure = z.strictObject({
  status: z.optional(z.int()),
  message: z.string(),
  /** Only where the status does not tell it. */
  kind: z.optional(
    z.enum(["rate_limit", "overload", "network", "context_overflow", "auth", "bad_request", "content_filter"]),
  ),
  retry: z.optional(z.boolean()),
  retryAfterMs: z.optional(amount),
});

const call = z.strictObject({
  name: z.string(),
  args: jsonObject,
  id: z.optional(z.string().check(z.minLength(1))),
  refused: z.optional(z.strictObject({ reason: z.string(), raw: z.string() })),
});

const usage = z.strictObject({
  input: tokens,
  output: tokens,
  cacheRead: z.optional(tokens),
  cacheWrite: z.optional(tokens),
  costUsd: z.optional(amount),
});

const cassetteLine = z.strictObject({
  text: z.optional(z.string()),
  thinking: z.optional(z.string()),
  calls: z.optional(z.array(call)),
  usage: z.optional(usage),
  /** Only `length` says something that the content does not. */
  stopReason: z.optional(z.enum(["stop", "length", "toolUse"])),
  /** Comes after `text`, if there is any: a reply that broke off. */
  error: z.optional(failure),
  delayMs: z.optional(amount),
  chunkChars: z.optional(z.int().check(z.positive())),
  expect: z.optional(z.array(z.string())),
  /** Part of the first words of the conversation that it answers: sub-agents that run side by side each find their own. */
  conversation: z.optional(z.string().check(z.minLength(1))),
  /** The sub-agent that it answers, as `--record` writes it: what they are told may be the same. */
  agent: z.optional(z.string().check(z.minLength(1))),
});

/** One assistant reply of a cassette; fields as in docs/cli.md, replay files. */
export type CassetteLine = z.infer<typeof cassetteLine>;

/** The failure of a cassette line. */
export type CassetteError = z.infer<typeof failure>;

/** A reply and where it stands in its file. */
export interface CassetteEntry {
  /** Line number in the file, from 1. */
  readonly lineNumber: number;
  readonly line: CassetteLine;
}

/** The replies of a cassette's text; blank lines are skipped. Throws a UserError that names the first bad line. */
export function parseCassette(text: string, name: string): readonly CassetteEntry[] {
  const entries: CassetteEntry[] = [];
  for (const [index, source] of text.replace(/^\ufeff/, "").split("\n").entries()) {
    if (source.trim() === "") continue;
    const line = parseLine(source, name, index + 1);
    if (line) entries.push({ lineNumber: index + 1, line });
  }
  return entries;
}

/**
 * What a cassette keeps of a reply: everything that a later run needs to see the same, nothing about the server.
 *
 * `agentId`: the sub-agent that it answers.
 */
export function cassetteLineOf(message: AssistantMessage, agentId?: string): CassetteLine {
  const text = textOf(message.content);
  const thinking = message.content.map((part) => part.type === "thinking" ? part.thinking : "").join("");
  const calls = toolCallsOf(message);
  return {
    ...(agentId === undefined ? {} : { agent: agentId }),
    ...(text ? { text } : {}),
    ...(thinking ? { thinking } : {}),
    ...(calls.length > 0
      ? {
        calls: calls.map(({ id, name, arguments: args, refused }) => ({
          name,
          args,
          id,
          ...(refused ? { refused: { ...refused } } : {}),
        })),
      }
      : {}),
    ...(message.usage ? { usage: usageOf(message.usage) } : {}),
    ...(message.stopReason === "length" ? { stopReason: "length" as const } : {}),
    ...(message.stopReason === "error" ? { error: errorOf(message) } : {}),
  };
}

function usageOf(usage: NonNullable<AssistantMessage["usage"]>): NonNullable<CassetteLine["usage"]> {
  return {
    input: usage.input,
    output: usage.output,
    ...(usage.cacheRead ? { cacheRead: usage.cacheRead } : {}),
    ...(usage.cacheWrite ? { cacheWrite: usage.cacheWrite } : {}),
    ...(usage.cost?.total ? { costUsd: usage.cost.total } : {}),
  };
}

function errorOf({ failure, errorMessage }: AssistantMessage): CassetteError {
  const message = failure?.message ?? errorMessage ?? "The reply failed";
  if (!failure) return { message };
  const { kind, status, retry, retryAfterMs } = failure;
  return {
    ...(status === undefined ? {} : { status }),
    message,
    ...(kind === "aborted" ? {} : { kind }),
    retry,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** Undefined for what a recording saw besides replies. */
function parseLine(source: string, name: string, lineNumber: number): CassetteLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw badLine(name, lineNumber, `it is not JSON (${messageOf(error)})`);
  }
  if (seenIn(value)) return undefined;
  const parsed = cassetteLine.safeParse(value);
  if (parsed.success) return parsed.data;
  throw badLine(name, lineNumber, parsed.error.issues.map((issue) => describe(issue)).join("; "));
}

/** zod/mini carries no sentences of its own, so that nobody pays for its language tables at start. */
function describe(issue: z.core.$ZodIssue): string {
  const field = issue.path.length > 0 ? `"${issue.path.join(".")}"` : "the line";
  switch (issue.code) {
    case "unrecognized_keys":
      return `${field} has ${issue.keys.map((key) => `"${key}"`).join(", ")}, which is no field of a reply`;
    case "invalid_type":
      return `${field} must be of type ${issue.expected}`;
    case "invalid_value":
      return `${field} must be one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "custom":
      return `${field} must be an object`;
    default:
      return `${field} has a value that is not allowed here`;
  }
}

function badLine(name: string, lineNumber: number, why: string): UserError {
  return new UserError({
    what: `Cannot use cassette "${name}"`,
    why: `line ${lineNumber}: ${why}`,
    fix: `Write one JSON object a line, for example {"text":"Done."}; the fields are in docs/cli.md, replay files`,
  });
}
