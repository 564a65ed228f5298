// The state of all write scopes before the first call of a session, kept beside the journal: together with the journal's later
// records it tells a later process what an interrupted call changed. The file exists while a session has its journal open.
import { attempt, ifThere } from "../core/support/attempt.ts";
import { bytesOf, byteString } from "../core/support/tree.ts";
import type { Folder } from "./table.ts";

/** The tables of all scopes at one record of a journal. */
export interface Baseline {
  readonly tops: readonly { readonly root: string; readonly top: Folder }[];
  /** See `Keeper`. */
  readonly objects: Uint8Array<ArrayBuffer>;
  /** How many contents the pack had: records note their numbers. */
  readonly contents: number;
  /** How many records the journal had. */
  readonly records: number;
}

/** The file of a baseline. */
export interface BaselineFile {
  /** What a process left that ended without closing its journal; undefined if there is none. */
  readonly interrupted: () => Baseline | undefined;
  /** Replaces the file whole. Throws what the system throws. */
  readonly write: (baseline: Baseline) => void;
  /** The journal is complete. */
  readonly remove: () => void;
}

const MAGIC = "SANDBAS1";

/** Opens the baseline at a path; `contents`: how many the pack has now. */
export function openBaseline(path: string, contents: () => number): BaselineFile {
  const bytes = ifThere(() => Deno.readFileSync(path));
  const found = bytes && attempt(() => decode(bytes));
  // A pack that lost contents has other numbers.
  const interrupted = found && found.contents <= contents() ? found : undefined;
  return {
    interrupted: () => interrupted,
    write(baseline) {
      const fresh = `${path}.new`;
      Deno.writeFileSync(fresh, encode(baseline), { mode: 0o600 });
      Deno.renameSync(fresh, path);
    },
    remove: () => ifThere(() => Deno.removeSync(path)),
  };
}

function encode({ tops, objects, contents, records }: Baseline): Uint8Array<ArrayBuffer> {
  let bytes = new Uint8Array(1 << 20);
  let view = new DataView(bytes.buffer);
  let length = 0;
  const room = (more: number): void => {
    if (length + more <= bytes.length) return;
    const larger = new Uint8Array(Math.max(bytes.length * 2, length + more));
    larger.set(bytes);
    [bytes, view] = [larger, new DataView(larger.buffer)];
  };
  const number = (value: number): void => {
    room(8);
    view.setFloat64(length, value, true);
    length += 8;
  };
  const block = (part: Uint8Array): void => {
    number(part.length);
    room(part.length);
    bytes.set(part, length);
    length += part.length;
  };
  block(bytesOf(MAGIC));
  block(objects);
  number(contents);
  number(records);
  number(tops.length);
  for (const { root, top } of tops) {
    block(new TextEncoder().encode(root));
    const stack = [top];
    for (let folder = stack.pop(); folder; folder = stack.pop()) {
      block(bytesOf(folder.name));
      block(folder.bytes);
      number((folder.isKnown ? 1 : 0) + (folder.isFresh ? 2 : 0));
      number(folder.lookedMs);
      number(folder.inner.length);
      for (let at = folder.inner.length - 1; at >= 0; at--) stack.push(folder.inner[at] as Folder);
    }
  }
  return bytes.subarray(0, length);
}

/** Throws where the bytes end too soon. */
function decode(bytes: Uint8Array<ArrayBuffer>): Baseline | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const number = (): number => {
    at += 8;
    return view.getFloat64(at - 8, true);
  };
  const block = (): Uint8Array<ArrayBuffer> => {
    const length = number();
    if (!(length >= 0 && length <= bytes.length - at)) throw new RangeError("the baseline is cut off");
    at += length;
    return bytes.slice(at - length, at);
  };
  if (byteString(block()) !== MAGIC) return undefined;
  const [objects, contents, records, scopes] = [block(), number(), number(), number()];
  const folder = (parent: Folder | undefined): Folder => {
    const name = byteString(block());
    const records = block();
    const [flags, lookedMs, count] = [number(), number(), number()];
    const [isKnown, isFresh] = [(flags & 1) !== 0, (flags & 2) !== 0];
    const inner: Folder[] = [];
    const own: Folder = { name, parent, bytes: records, inner, isKnown, lookedMs, isFresh };
    for (let one = 0; one < count; one++) inner.push(folder(own));
    return own;
  };
  const tops = Array.from({ length: scopes }, () => {
    const root = new TextDecoder().decode(block());
    return { root, top: folder(undefined) };
  });
  return { tops, objects, contents, records };
}
