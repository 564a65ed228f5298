import { linesOf } from "../core/support/text.ts";
import { isBinary } from "../core/support/tree.ts";
import type { Change } from "./states.ts";

/** Lines that came and went, where both sides are text. */
export type LineCounts = { readonly added: number; readonly removed: number } | "binary";

/** Steps of comparing before all that differs counts as replaced: some 50 ms. */
const MOST_STEPS = 4_000_000;

/** Counts the lines of the shortest way from one content to another; of large ones that differ much, of some way. */
export function countLines(before: Uint8Array, after: Uint8Array): LineCounts {
  if (isBinary(before) || isBinary(after)) return "binary";
  const numbers = new Map<string, number>();
  const [a, b] = [lines(before, numbers), lines(after, numbers)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  const [n, m] = [endA - start, endB - start];
  const distance = editDistance(a.subarray(start, endA), b.subarray(start, endB));
  return distance === undefined
    ? { added: m, removed: n }
    : { added: (distance + m - n) / 2, removed: (distance + n - m) / 2 };
}

/** The same as a change has it. */
export function lineFacts(before: Uint8Array, after: Uint8Array): Pick<Change, "lines" | "isBinary"> {
  const lines = countLines(before, after);
  return lines === "binary" ? { isBinary: true } : { lines };
}

/** Each line as a number, its newline among it; equal lines have the same. */
function lines(bytes: Uint8Array, numbers: Map<string, number>): Int32Array {
  // Bytes that are no UTF-8 may become the same character: such lines are counted as equal.
  return Int32Array.from(linesOf(new TextDecoder().decode(bytes)), (line) => {
    let number = numbers.get(line);
    if (number === undefined) numbers.set(line, number = numbers.size);
    return number;
  });
}

/** Insertions and removals of the shortest way; undefined where it takes too long. Myers, O(ND). */
function editDistance(a: Int32Array, b: Int32Array): number | undefined {
  const [n, m] = [a.length, b.length];
  if (n === 0 || m === 0) return n + m;
  const most = n + m;
  const furthest = new Int32Array(2 * most + 2);
  let steps = 0;
  for (let d = 0; d <= most; d++) {
    for (let k = -d; k <= d; k += 2) {
      const at = most + k;
      const down = k === -d || (k !== d && (furthest[at - 1] ?? 0) < (furthest[at + 1] ?? 0));
      let x = down ? furthest[at + 1] ?? 0 : (furthest[at - 1] ?? 0) + 1;
      while (x < n && x - k < m && a[x] === b[x - k]) [x, steps] = [x + 1, steps + 1];
      furthest[at] = x;
      if (x >= n && x - k >= m) return d;
      if (++steps > MOST_STEPS) return undefined;
    }
  }
  return most;
}
