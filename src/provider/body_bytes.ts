import type { JsonObject, JsonValue } from "../core/json.ts";
import { createListBytes, type ListBytes } from "./list_bytes.ts";

const encoder = new TextEncoder();

/**
 * Writes bodies as JSON in UTF-8, to the byte what `JSON.stringify` makes of them.
 *
 * A list that begins as it did in the body before, with the very same items, is written anew from there on only: a
 * conversation goes out with every request. So items must not change.
 */
export function createBodyBytes(): (body: JsonObject) => Uint8Array<ArrayBuffer> {
  const lists = new Map<string, ListBytes>();

  function listOf(key: string): ListBytes {
    const known = lists.get(key) ?? createListBytes();
    lists.set(key, known);
    return known;
  }

  function valueBytes(key: string, value: JsonValue): readonly Uint8Array[] {
    if (Array.isArray(value)) return listOf(key)(value);
    const text = JSON.stringify(value);
    return text === undefined ? [] : [encoder.encode(text)];
  }

  return (body) => {
    const pieces: Uint8Array[] = [];
    for (const [key, value] of Object.entries(body)) {
      const bytes = valueBytes(key, value);
      if (bytes.length === 0) continue; // as JSON.stringify leaves them out
      pieces.push(encoder.encode(`${pieces.length === 0 ? "{" : ","}${JSON.stringify(key)}:`), ...bytes);
    }
    pieces.push(encoder.encode(pieces.length === 0 ? "{}" : "}"));
    return joined(pieces);
  };
}

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
