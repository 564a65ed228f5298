import { createHash } from "node:crypto";
import type { IndexEntry } from "./index.ts";

const SLASH = 0x2f;

/** The id of the root tree that a commit of these entries would have, hex. `check` is called for each tree and may throw. */
export function treeIdOf(entries: readonly IndexEntry[], check: () => void): string {
  return treeOf(entries, 0, entries.length, 0, check).toHex();
}

/** The tree of the entries from `first` to before `end`, whose paths are alike up to `skip`. */
function treeOf(
  entries: readonly IndexEntry[],
  first: number,
  end: number,
  skip: number,
  check: () => void,
): Uint8Array {
  check();
  const parts: Uint8Array[] = [];
  for (let i = first; i < end;) {
    const entry = entries[i];
    if (!entry) break;
    const { rawPath } = entry;
    const slash = rawPath.indexOf(SLASH, skip);
    if (slash < 0) {
      parts.push(line(entry.mode, rawPath.subarray(skip)), entry.id);
      i++;
      continue;
    }
    let next = i + 1;
    while (next < end && isBelow(entries[next]?.rawPath, rawPath, skip, slash)) next++;
    parts.push(line(0o40000, rawPath.subarray(skip, slash)), treeOf(entries, i, next, slash + 1, check));
    i = next;
  }
  const hash = createHash("sha1").update(`tree ${parts.reduce((sum, part) => sum + part.length, 0)}\0`);
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}

function line(mode: number, name: Uint8Array): Uint8Array {
  const head = new TextEncoder().encode(`${mode.toString(8)} `);
  const bytes = new Uint8Array(head.length + name.length + 1);
  bytes.set(head);
  bytes.set(name, head.length);
  return bytes;
}

function isBelow(path: Uint8Array | undefined, folder: Uint8Array, from: number, slash: number): boolean {
  if (!path || path.length <= slash) return false;
  for (let at = slash; at >= from; at--) if (path[at] !== folder[at]) return false;
  return true;
}
