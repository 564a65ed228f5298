import type { JsonObject, JsonValue } from "../../core/json.ts";

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

  return (body) => {
    const pieces: Uint8Array[] = [];
    let text = "{";
    let before = "";
    for (const [key, value] of Object.entries(body)) {
      const isList = Array.isArray(value);
      const own = isList ? "" : JSON.stringify(value);
      if (own === undefined) continue; // as JSON.stringify leaves them out
      text += `${before}${JSON.stringify(key)}:${own}`;
      before = ",";
      if (!isList) continue;
      pieces.push(encoder.encode(text), ...listOf(key)(value));
      text = "";
    }
    pieces.push(encoder.encode(`${text}}`));
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

/** Writes a list as JSON in UTF-8, in pieces that are good until the next call. */
export type ListBytes = (items: readonly JsonValue[]) => readonly Uint8Array[];

const COMMA = 44;
const CLOSE = encoder.encode("]");

/** Room to begin with; a longer list gets twice what it needs. */
const FIRST_BYTES = 64 * 1024;

/**
 * A writer that remembers the list of before. What both begin with, the very same items, is not written again; the first
 * item may be another one, as a system prompt is that says something new.
 */
export function createListBytes(): ListBytes {
  let before: readonly JsonValue[] = [];
  /** Where each item but the first ends in `rest`. */
  let ends: number[] = [];
  /** All items but the first, each with a comma before it. */
  let rest = new Uint8Array(0);

  function add(item: JsonValue, from: number): number {
    const text = JSON.stringify(item) ?? "null";
    // Three bytes a unit is the most that UTF-8 needs.
    const needed = from + 2 + text.length * 3;
    if (needed > rest.length) {
      const larger = new Uint8Array(Math.max(FIRST_BYTES, needed * 2));
      larger.set(rest.subarray(0, from));
      rest = larger;
    }
    rest[from] = COMMA;
    return from + 1 + encoder.encodeInto(text, rest.subarray(from + 1)).written;
  }

  return (items) => {
    let same = 1;
    while (same < items.length && same < before.length && items[same] === before[same]) same++;
    ends = ends.slice(0, same - 1);
    for (let i = same; i < items.length; i++) ends.push(add(items[i] ?? null, ends.at(-1) ?? 0));
    before = items.slice();
    const first = items.length === 0 ? "" : JSON.stringify(items[0]) ?? "null";
    return [encoder.encode(`[${first}`), rest.subarray(0, ends.at(-1) ?? 0), CLOSE];
  };
}
