// Indexes that git itself never writes, as gitformat-index(5) has them.
import { createHash } from "node:crypto";

export type Bytes = Uint8Array<ArrayBuffer>;

/** Puts texts, big-endian numbers of 32 bits and bytes one after another. */
export function pack(...parts: readonly (string | number | Uint8Array)[]): Bytes {
  const bytes = parts.map((part) => {
    if (typeof part === "string") return new TextEncoder().encode(part);
    if (typeof part !== "number") return part;
    const four = new Uint8Array(4);
    new DataView(four.buffer).setUint32(0, part);
    return four;
  });
  const all = new Uint8Array(bytes.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of bytes) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** An entry; `length` is what its flags say of its name. */
export function entryOf(path: string, id: string, length = path.length): Bytes {
  const name = new TextEncoder().encode(path);
  const entry = new Uint8Array(62 + name.length + 8 & ~7);
  const view = new DataView(entry.buffer);
  view.setUint32(24, 0o100755);
  entry.set(Uint8Array.fromHex(id), 40);
  view.setUint16(60, length);
  entry.set(name, 62);
  return entry;
}

export function extension(name: string, ...content: readonly (string | number | Uint8Array)[]): Bytes {
  const bytes = pack(...content);
  return pack(name, bytes.length, bytes);
}

/** Adds the hash that ends the file. */
export function finish(...parts: readonly (string | number | Uint8Array)[]): Bytes {
  const body = pack(...parts);
  return pack(body, sha1(body));
}

export function sha1(bytes: Uint8Array): Bytes {
  return new Uint8Array(createHash("sha1").update(bytes).digest());
}

/** An index with one entry. */
export function indexOf(path: string, id: string): Bytes {
  return finish("DIRC", 2, 1, entryOf(path, id));
}

/** An index with two harmless entries for who takes the NUL for a name's end, and another second one for git. */
export function lyingIndex(path: string, id: string): Bytes {
  const hidden = extension("AAAA", entryOf(path, id), extension("BBBB"));
  return finish("DIRC", 2, 2, entryOf("!", id, 66), entryOf("b", id), hidden);
}

export function sharedIndex(path: string, id: string): { readonly name: string; readonly bytes: Bytes } {
  const bytes = indexOf(path, id);
  return { name: `sharedindex.${bytes.slice(-20).toHex()}`, bytes };
}

/** An index that has its other half inside of an unknown extension, where the last extension sends several threads. */
export function hidingIndex(shared: string, id: string): Bytes {
  const bitmap = pack(0, 1, 0, 0, 0);
  const link = extension("link", Uint8Array.fromHex(shared.slice("sharedindex.".length)), bitmap, bitmap);
  const entries = pack("DIRC", 2, 1, entryOf("f", id));
  const end = extension("EOIE", entries.length + 8, sha1(link.subarray(0, 8)));
  return finish(entries, extension("AAAA", link), end);
}
