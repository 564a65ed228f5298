// The calls of a reply: put together while it comes, and taken, refused or dropped when it is complete.
import type { JsonObject } from "../../core/json.ts";
import type { ToolCall } from "../../core/message.ts";
import { takeCall } from "../repair/tool_arguments.ts";
import type { ReplyContext } from "./message.ts";
import { readTextCalls } from "./text_calls.ts";
import type { TextGate } from "./text_gate.ts";

/** One piece of a call as the wire gave it; empty texts count as absent. */
export interface CallPiece {
  readonly index?: number;
  readonly id?: string;
  readonly name?: string;
  /** The next characters of the arguments' JSON text. */
  readonly args: string;
  /** Fields of the server's own that must go back with the call. */
  readonly extra?: JsonObject;
}

/** A call as far as it has come. */
export interface CallSlot {
  readonly position: number;
  index?: number;
  id?: string;
  name?: string;
  args: string;
  extra?: JsonObject;
}

/** Puts the pieces of a reply's calls together. */
export interface CallAssembly {
  readonly slots: readonly CallSlot[];
  /** The call that a piece belongs to, with the piece added; `isNamed` when this piece told its name. */
  add(piece: CallPiece): { readonly slot: CallSlot; readonly isNamed: boolean };
}

/** An assembly for one reply. Identity is the index first, then the id; without both, a name begins a call. */
export function createCallAssembly(): CallAssembly {
  const slots: CallSlot[] = [];

  function open(): CallSlot {
    const slot: CallSlot = { position: slots.length, args: "" };
    slots.push(slot);
    return slot;
  }

  function slotFor({ index, id, name }: CallPiece): CallSlot {
    const last = slots.at(-1);
    if (index !== undefined) {
      const slot = slots.findLast((candidate) => candidate.index === index);
      // Ollama numbers every call 0, GLM-4 changes the id within one call: only id and name together begin anew.
      const isAnother = id !== undefined && name !== undefined && slot?.id !== undefined && slot.id !== id;
      return slot && !isAnother ? slot : open();
    }
    if (id !== undefined) return slots.find((candidate) => candidate.id === id) ?? open();
    if (name !== undefined) return last && last.name === undefined ? last : open();
    return last ?? open();
  }

  return {
    slots,
    add(piece) {
      const slot = slotFor(piece);
      const isNamed = slot.name === undefined && piece.name !== undefined;
      slot.args += piece.args;
      if (piece.index !== undefined) slot.index ??= piece.index;
      if (piece.id !== undefined) slot.id ??= piece.id;
      if (piece.name !== undefined) slot.name ??= piece.name;
      if (piece.extra !== undefined) slot.extra = { ...slot.extra, ...piece.extra };
      return { slot, isNamed };
    },
  };
}

/** What a complete reply's calls are made from. */
export interface OpenCalls {
  readonly slots: readonly CallSlot[];
  readonly gate: TextGate;
  /** Whether the output limit ended the reply. */
  readonly isCut: boolean;
  /** The visible text so far. */
  readonly text: string;
  readonly context: ReplyContext;
}

/** The calls of a complete reply, and what has to be said and shown besides. */
export interface ClosedCalls {
  readonly calls: readonly ToolCall[];
  /** Held text that is no call. */
  readonly text: string;
  /** White space at the end of the visible text that only led to a call. */
  readonly dropText: number;
  readonly notices: readonly string[];
}

/** Takes, refuses or drops each call of a complete reply. */
export function closeCalls(open: OpenCalls): ClosedCalls {
  const { slots, gate, isCut, text, context } = open;
  const used = new Set<string>();
  const calls: ToolCall[] = [];
  const notices: string[] = [];

  function idFor(id: string | undefined): string {
    const own = id !== undefined && !used.has(id) ? id : context.newId();
    used.add(own);
    return own;
  }

  for (const slot of slots) {
    if (slot.name === undefined && slot.args.trim() === "") continue;
    const taken = takeCall(slot.name ?? "", slot.args, context.tools);
    const { refusal } = taken;
    if (refusal?.code === "truncated" && isCut) {
      notices.push(`The output limit cut off the call of "${taken.name}": it was dropped and did not run`);
      continue;
    }
    for (const repair of taken.repairs) notices.push(`Repaired a call of "${taken.name}": ${repair}`);
    calls.push({
      type: "toolCall",
      id: idFor(slot.id),
      name: taken.name,
      arguments: taken.args,
      ...(refusal ? { refused: { reason: refusal.reason, raw: slot.args } } : {}),
    });
  }
  const held = gate.release();
  if (held === "") return { calls, text: "", dropText: 0, notices };
  const quotable = context.quotable?.() ?? [];
  const written = calls.length > 0 || isCut ? { type: "none" as const } : readTextCalls(held, context.tools, quotable);
  if (written.type === "none") return { calls, text: held, dropText: 0, notices };
  if (written.type === "unusable") {
    const notice =
      `The model wrote a call as text, which was not run: ${written.why}. Calls come through the tool interface`;
    return { calls, text: held, dropText: 0, notices: [...notices, notice] };
  }
  for (const { name, args } of written.calls) {
    notices.push(
      `Recovered a call of "${name}" that came as text: the server at ${context.host} lacks this model's tool parser`,
    );
    calls.push({ type: "toolCall", id: idFor(undefined), name, arguments: args });
  }
  return { calls, text: "", dropText: text.length - text.trimEnd().length, notices };
}
