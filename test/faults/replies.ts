// What a turn of the model looks like on the wire, in both APIs and with all that real servers get wrong in it.
import type { Seeded } from "../helpers/seeded.ts";
import type { Api, Call, Turn } from "./task.ts";

/** A reply as server-sent events. */
export interface Wired {
  readonly events: readonly string[];
  /** The first event without which a reply is not complete; what comes after it may be missing. */
  readonly last: number;
}

/** How ids and pieces of calls are spoilt so that the calls can still be told apart. */
export const ODDITIES = ["duplicate ids", "missing ids", "interleaved", "objects", "no numbers"] as const;
export type Oddity = typeof ODDITIES[number];

/** How a reply ends that is not a plain one. */
export interface Ending {
  readonly finish?: string;
  /** Only this share of the last call's arguments is sent. */
  readonly share?: number;
  readonly oddity?: Oddity;
  /** Put into the first event as a field that nobody knows. */
  readonly padding?: string;
}

let serial = 0;

/** The events of a turn; ids are new each time. */
export function wired(turn: Turn, api: Api, random: Seeded, ending: Ending = {}): Wired {
  return api === "chat" ? chat(turn, random, ending) : responses(turn, random, ending);
}

/** The same reply as one JSON value, from a server that does not stream. */
export function whole(turn: Turn, api: Api): string {
  const calls = turn.calls.map((call) => ({ id: newId(), name: call.name, arguments: JSON.stringify(call.args) }));
  if (api === "chat") {
    const message = {
      role: "assistant",
      content: turn.text || null,
      tool_calls: calls.map(({ id, ...fn }) => ({ id, type: "function", function: fn })),
    };
    const finish = calls.length > 0 ? "tool_calls" : "stop";
    return JSON.stringify({ object: "chat.completion", choices: [{ index: 0, message, finish_reason: finish }] });
  }
  return JSON.stringify({ id: "r", object: "response", status: "completed", output: outputOf(turn, calls) });
}

function newId(): string {
  return `call_${++serial}`;
}

/** A text in random pieces. */
export function cut(text: string, random: Seeded, most = 6): string[] {
  const characters = [...text];
  const pieces: string[] = [];
  for (let left = most; characters.length > 0; left--) {
    const count = left <= 1 ? characters.length : 1 + random.below(Math.ceil(characters.length * 2 / left));
    pieces.push(characters.splice(0, count).join(""));
  }
  return pieces;
}

const sse = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

function chunk(delta: unknown, finish: string | null = null, more: object = {}): string {
  return sse({
    id: "c",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  });
}

function chat({ text, calls }: Turn, random: Seeded, { finish, share, oddity, padding }: Ending): Wired {
  const first = chunk({ role: "assistant", content: "" }, null, padding === undefined ? {} : { padding });
  const words = cut(text, random).map((content) => chunk({ content }));
  const shared = newId();
  const rows = calls.map((call, index) => {
    const id = oddity === "duplicate ids" ? shared : oddity === "missing ids" ? undefined : newId();
    return callChunks(call, index, id, random, { oddity, share: index === calls.length - 1 ? share : undefined });
  });
  const pieces = oddity === "interleaved" ? interleave(rows, random) : rows.flat();
  const end = chunk({}, finish ?? (calls.length > 0 ? "tool_calls" : "stop"));
  const usage = sse({ choices: [], usage: { prompt_tokens: 900, completion_tokens: 20, total_tokens: 920 } });
  const events = [first, ...words, ...pieces, end, usage, "data: [DONE]\n\n"];
  return { events, last: events.length - 3 };
}

function callChunks(
  { name, args }: Call,
  index: number,
  id: string | undefined,
  random: Seeded,
  { oddity, share = 1 }: { readonly oddity: Oddity | undefined; readonly share: number | undefined },
): string[] {
  const text = JSON.stringify(args);
  const place = oddity === "no numbers" ? {} : { index };
  const named = (fn: object): string =>
    chunk({ tool_calls: [{ ...place, ...(id === undefined ? {} : { id }), type: "function", function: fn }] });
  if (oddity === "objects" && share === 1) return [named({ name, arguments: args })];
  const own = oddity === "no numbers" ? { id } : {};
  const deltas = cut(text.slice(0, Math.ceil(text.length * share)), random)
    .map((delta) => chunk({ tool_calls: [{ ...place, ...own, function: { arguments: delta } }] }));
  return [named({ name, arguments: "" }), ...deltas];
}

function interleave(rows: readonly (readonly string[])[], random: Seeded): string[] {
  const left = rows.map((row) => [...row]);
  const mixed: string[] = left.map((row) => row.shift() ?? "");
  while (left.some((row) => row.length > 0)) mixed.push(random.pick(left.filter((row) => row.length > 0)).shift()!);
  return mixed;
}

type WiredCall = { readonly id: string; readonly name: string; readonly arguments: string };

function outputOf({ text }: Turn, calls: readonly WiredCall[]): unknown[] {
  return [
    ...(text === "" ? [] : [{ type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text }] }]),
    ...calls.map(({ id, ...call }) => ({ type: "function_call", id: `item_${id}`, call_id: id, ...call })),
  ];
}

function responses(turn: Turn, random: Seeded, { finish, share = 1, padding }: Ending): Wired {
  const calls = turn.calls.map(({ name, args }, index) => {
    const text = JSON.stringify(args);
    const length = index === turn.calls.length - 1 ? Math.ceil(text.length * share) : text.length;
    return { id: newId(), name, arguments: text.slice(0, length) };
  });
  const events = [sse({ type: "response.created", response: { id: "r", status: "in_progress", padding } })];
  for (const [index, item] of outputOf(turn, calls).entries()) {
    const call = calls[index - (turn.text === "" ? 0 : 1)];
    // deno-lint-ignore no-explicit-any -- both kinds of items
    const { arguments: args, content: _, ...empty } = item as any;
    events.push(sse({ type: "response.output_item.added", output_index: index, item: { ...empty, arguments: "" } }));
    const type = call ? "response.function_call_arguments.delta" : "response.output_text.delta";
    for (const delta of cut(call ? args : turn.text, random)) events.push(sse({ type, output_index: index, delta }));
    events.push(sse({ type: "response.output_item.done", output_index: index, item }));
  }
  const usage = { input_tokens: 900, output_tokens: 20, total_tokens: 920 };
  const status = finish === "length" ? "incomplete" : finish === undefined ? "completed" : "failed";
  const details = finish === "length" ? { incomplete_details: { reason: "max_output_tokens" } } : {};
  const error = status === "failed" ? { error: { code: finish, message: "no" } } : {};
  const response = { id: "r", status, output: outputOf(turn, calls), usage, ...details, ...error };
  events.push(sse({ type: `response.${status}`, response }));
  return { events, last: events.length - 1 };
}
