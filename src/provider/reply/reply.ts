import type { JsonValue } from "../../core/json.ts";
import type { AssistantMessage, StopReason, ToolCall, Usage } from "../../core/message.ts";
import type { ProviderEvent, ProviderFailure } from "../../core/provider.ts";
import { answerIn } from "./answer_shape.ts";
import { type CallPiece, closeCalls, createCallAssembly } from "./calls.ts";
import { failureMessage } from "../failure/failure_message.ts";
import { type Finish, isFailure } from "./finish_reason.ts";
import { composeMessage, MAX_REPLY_CHARACTERS, type ReplyContext } from "./message.ts";
import { createTextGate, type TextGate } from "./text_gate.ts";
import { createThinkSplitter } from "./think_tags.ts";

/** How a reply's stream came to its end. */
export type Ending = { readonly type: "complete" } | { readonly type: "aborted" } | {
  readonly type: "failed";
  readonly failure: ProviderFailure;
};

/** One reply while it arrives: adapters put in what the wire said, readers take events out. */
export interface Reply {
  /** Events since the last `take`, in order. */
  take(): readonly ProviderEvent[];
  content(delta: string): void;
  thinking(delta: string, field?: string): void;
  call(piece: CallPiece): void;
  usage(usage: Usage): void;
  /** `said`: what the server says about it, for the message of a failure. */
  finish(word: Finish, said?: string): void;
  /** Something that a person should know. */
  notice(message: string): void;
  /** Data that goes back to the same server with this message; lists of one name are joined. */
  keep(name: string, value: JsonValue): void;
  /** Counts characters that an adapter keeps of the stream besides, so that they are bounded as the reply is. */
  holds(count: number): void;
  isFinished(): boolean;
  /** Whether it has outgrown the bound of a reply: what comes after that is dropped. */
  isTooLong(): boolean;
  /** Whether anything came that a person or a tool could use. */
  isEmpty(): boolean;
  /** The last events, `end` among them. Call once. */
  end(ending: Ending): readonly ProviderEvent[];
}

/** Windows that local servers start with; a reply that ends exactly there was cut by the server, not by us. */
const LOCAL_WINDOWS: ReadonlySet<number> = new Set([2048, 4096, 8192]);

/** What a call costs of the bound besides its text: one without any takes memory, too. */
const CALL_CHARACTERS = 64;

/** A reply that nothing has arrived for yet. */
export function createReply(context: ReplyContext): Reply {
  const splitter = createThinkSplitter();
  const gate: TextGate = createTextGate(context.quotable !== undefined && context.tools.length > 0);
  const calls = createCallAssembly();
  let events: ProviderEvent[] = [];
  let text = "";
  let thinking = "";
  let field: string | undefined;
  let usage: Usage | undefined;
  let finish: Finish | undefined;
  let finishSaid = "";
  const kept: Record<string, JsonValue> = {};
  const { maxReplyCharacters = MAX_REPLY_CHARACTERS } = context;
  let characters = 0;

  /** Whether there is room for so many characters more; the first that do not fit end the reply. */
  function fits(count: number): boolean {
    characters += count;
    return characters <= maxReplyCharacters;
  }

  function addText(delta: string): void {
    if (delta === "") return;
    text += delta;
    events.push({ type: "text_delta", delta });
  }

  function addThinking(delta: string): void {
    if (delta === "") return;
    thinking += delta;
    events.push({ type: "thinking_delta", delta });
  }

  function flush(complete: boolean): void {
    const rest = splitter.finish(complete);
    // A tag that never closed was no reasoning: the reader has seen it as such, the record has it as text.
    if (rest.isUnclosed) thinking = "";
    addThinking(rest.thinking);
    addText(gate.push(rest.text));
  }

  function message(
    stopReason: StopReason,
    toolCalls: readonly ToolCall[],
    failure?: ProviderFailure,
  ): AssistantMessage {
    const parts = { text, thinking, field, toolCalls, slots: calls.slots, usage, kept };
    return composeMessage(parts, { stopReason, ...(failure ? { failure } : {}) }, context);
  }

  function fail(failure: ProviderFailure): void {
    addText(gate.release());
    events.push({ type: "end", message: message("error", [], failure) });
  }

  /** Whether the reply is an answer that came as the call of the tool for it. Nothing else of it counts, and nothing runs. */
  function takeAnswer(): boolean {
    const { answer } = context;
    const called = answer && calls.slots.find(({ name }) => name === answer.tool);
    if (!called) return false;
    for (const { name } of calls.slots) {
      if (name !== undefined && name !== answer.tool) {
        events.push({ type: "notice", message: `A call of "${name}" came beside the final answer and did not run` });
      }
    }
    // Going on would begin a second call: what came of this one is judged as it is, and asked for again.
    if (finish === "length") events.push({ type: "notice", message: "The output limit cut off the final answer" });
    gate.release();
    const told = answerIn(called.args, answer.schema);
    text = "";
    addText(told);
    // What was kept belongs to a call, and there is none any more.
    const parts = { text, thinking, field: undefined, toolCalls: [], slots: [], usage, kept: {} };
    events.push({ type: "end", message: composeMessage(parts, { stopReason: "stop" }, context) });
    return true;
  }

  function complete(): void {
    if (isFailure(finish)) {
      const said = finishSaid === "" && finish === "overload" ? "the server gave up in the middle" : finishSaid;
      return fail({
        kind: finish,
        message: failureMessage(finish, { ...context, serverText: said }),
        retry: finish === "overload",
      });
    }
    if (takeAnswer()) return;
    const closed = closeCalls({ slots: calls.slots, gate, isCut: finish === "length", text, context });
    addText(closed.text);
    if (closed.dropText > 0) text = text.slice(0, text.length - closed.dropText);
    for (const notice of closed.notices) events.push({ type: "notice", message: notice });
    if (closed.calls.length > 0) {
      events.push({ type: "end", message: message("toolUse", closed.calls) });
      return;
    }
    const isCutAtWindow = finish === "length" && usage !== undefined && usage.output === 0 &&
      context.contextWindow !== undefined && usage.totalTokens >= context.contextWindow;
    if (isCutAtWindow) {
      const kind = "context_overflow";
      return fail({ kind, message: failureMessage(kind, { ...context, serverText: "" }), retry: false });
    }
    if (finish === "length" && usage && LOCAL_WINDOWS.has(usage.totalTokens)) {
      const why = `exactly ${usage.totalTokens} tokens were used, so ${context.host} seems to be set to that window`;
      events.push({ type: "notice", message: `The reply was cut: ${why}. Raise it there (Ollama: num_ctx)` });
    }
    const isNothing = text.trim() === "" && thinking.trim() === "" && finish !== "length" &&
      closed.notices.length === 0;
    if (isNothing) {
      const why = "it ended without text and without a call";
      return fail({
        kind: "overload",
        message: `The reply of ${context.host} is empty: ${why}. Try again.`,
        retry: true,
      });
    }
    events.push({ type: "end", message: message(finish === "length" ? "length" : "stop", []) });
  }

  function take(): readonly ProviderEvent[] {
    const taken = events;
    events = [];
    return taken;
  }

  return {
    take,
    content(delta) {
      if (!fits(delta.length)) return;
      const split = splitter.push(delta);
      if (split.thinking !== "") addThinking(thinking === "" ? split.thinking.trimStart() : split.thinking);
      if (split.text !== "") addText(gate.push(split.text));
    },
    thinking(delta, name) {
      if (delta === "" || !fits(delta.length)) return;
      field ??= name;
      addThinking(delta);
    },
    call(piece) {
      const { args, name: word = "", id = "", extra } = piece;
      const besides = extra === undefined ? 0 : JSON.stringify(extra).length;
      if (!fits(args.length + word.length + id.length + besides)) return;
      const before = calls.slots.length;
      const { slot, isNamed } = calls.add(piece);
      if (calls.slots.length > before) fits(CALL_CHARACTERS);
      // It is shown as text, once it is whole.
      if (context.answer && slot.name === context.answer.tool) return;
      if (!isNamed && piece.args === "") return;
      const name = isNamed ? { name: piece.name ?? "" } : {};
      events.push({ type: "toolcall_delta", index: slot.position, ...name, delta: piece.args });
    },
    usage(value) {
      usage = value;
    },
    finish(word, said = "") {
      // The first word counts, but a failure told later is still a failure.
      if (finish !== undefined && !isFailure(word)) return;
      finish = word;
      finishSaid = said;
    },
    notice(message) {
      events.push({ type: "notice", message });
    },
    keep(name, value) {
      if (!fits(JSON.stringify(value).length)) return;
      const before = kept[name];
      kept[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
    },
    holds(count) {
      fits(count);
    },
    isFinished: () => finish !== undefined,
    isTooLong: () => characters > maxReplyCharacters,
    isEmpty: () => text === "" && thinking === "" && calls.slots.length === 0,
    end(ending) {
      flush(ending.type === "complete" && finish !== "length");
      if (ending.type === "complete") complete();
      else if (ending.type === "failed") fail(ending.failure);
      else {
        addText(gate.release());
        events.push({ type: "end", message: message("aborted", []) });
      }
      return take();
    },
  };
}
