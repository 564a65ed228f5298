// Where the entries of an index lie in its bytes, which depends on their paths.

const LONGEST_PATH = 4096;
/** A part of a path, between slashes and NULs, that leads out, or into git's own folder. */
const NO_NAME = /(?:^|[/\0])(?:\.{0,2}|\.git)(?=[/\0])|\\/i;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** The flag of an entry that has sixteen more. */
export const HAS_MORE_FLAGS = 0x4000;

/** Where an entry starts, its path, and where the next one starts. */
export interface Place {
  readonly start: number;
  readonly rawPath: Uint8Array;
  readonly next: number;
}

/** The place of the entry at `start`; `previous` is the path before. Throws where the bytes make no sense. */
export function placeOf(
  body: Uint8Array,
  view: DataView,
  start: number,
  version: number,
  previous?: Uint8Array,
): Place {
  const hasMore = (view.getUint16(start + 60) & HAS_MORE_FLAGS) !== 0;
  if (hasMore && version === 2) throw new Error("Flags that version 2 does not have");
  const pathAt = start + (hasMore ? 64 : 62);
  return version === 4 ? shortenedPath(body, pathAt, start, previous) : plainPath(body, pathAt, start);
}

/** The paths as text, all decoded at once: one by one, that alone is a third of the reading. Throws for one that leads out. */
export function decodePaths(places: readonly Place[]): readonly string[] {
  const all = new Uint8Array(places.reduce((sum, { rawPath }) => sum + rawPath.length + 1, 0));
  let at = 0;
  for (const { rawPath } of places) all.set(rawPath, at), at += rawPath.length + 1;
  const text = UTF8.decode(all);
  if (NO_NAME.test(text)) throw new Error("A path that git would not have");
  return text.split("\0");
}

/** The path of versions 2 and 3: ended by one to eight NULs, so that entries are multiples of eight bytes. */
function plainPath(body: Uint8Array, at: number, start: number): Place {
  const end = endOf(body, at);
  if (end - at > LONGEST_PATH) throw new Error("The path is too long");
  return { start, rawPath: body.subarray(at, end), next: start + (end - start + 8 & ~7) };
}

/** The path of version 4: how much of the path before falls away, and what follows instead. */
function shortenedPath(
  body: Uint8Array,
  pathAt: number,
  start: number,
  previous: Uint8Array = new Uint8Array(),
): Place {
  let at = pathAt;
  let byte = body[at++] ?? 0;
  let dropped = byte & 127;
  while (byte & 128 && dropped < LONGEST_PATH) {
    byte = body[at++] ?? 0;
    dropped = (dropped + 1) * 128 + (byte & 127);
  }
  if (dropped > previous.length) throw new Error("More falls away than there is");
  const end = endOf(body, at);
  const kept = previous.length - dropped;
  if (kept + end - at > LONGEST_PATH) throw new Error("The path is too long");
  const rawPath = new Uint8Array(kept + end - at);
  rawPath.set(previous.subarray(0, kept));
  rawPath.set(body.subarray(at, end), kept);
  return { start, rawPath, next: end + 1 };
}

function endOf(body: Uint8Array, at: number): number {
  const end = body.indexOf(0, at);
  if (end < 0) throw new Error("A path has no end");
  return end;
}
