import type { JsonObject } from "../../core/json.ts";

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
