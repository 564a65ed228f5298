/** Lines `fromA` to before `toA` of one side became those `fromB` to before `toB` of the other; from 0. */
export interface LineChange {
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}

/** Ways that are tried before all that differs counts as replaced: what is kept of them is its square, in numbers. */
const MOST_WAYS = 1500;

/** What makes the lines of `b` of those of `a`, in order. Shortest where they do not differ much: Myers, O(ND). */
export function lineChanges(a: readonly string[], b: readonly string[]): LineChange[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  if (start === endA && start === endB) return [];
  const whole = [{ fromA: start, toA: endA, fromB: start, toB: endB }];
  if (start === endA || start === endB) return whole;
  return shortest(a.slice(start, endA), b.slice(start, endB), start) ?? whole;
}

function shortest(a: readonly string[], b: readonly string[], shift: number): LineChange[] | undefined {
  const [n, m] = [a.length, b.length];
  const most = Math.min(n + m, MOST_WAYS);
  const middle = most + 1;
  const furthest = new Int32Array(2 * most + 3);
  const steps: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    // What is known before the step: diagonals from -d to d.
    steps.push(furthest.slice(middle - d - 1, middle + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const isDown = k === -d || (k !== d && (furthest[middle + k - 1] ?? 0) < (furthest[middle + k + 1] ?? 0));
      let x = isDown ? furthest[middle + k + 1] ?? 0 : (furthest[middle + k - 1] ?? 0) + 1;
      while (x < n && x - k < m && a[x] === b[x - k]) x++;
      furthest[middle + k] = x;
      if (x >= n && x - k >= m) return wayBack(steps, n, m, shift);
    }
  }
  return undefined;
}

/** The changes of the way that ends at the last step, joined where they touch. */
function wayBack(steps: readonly Int32Array[], n: number, m: number, shift: number): LineChange[] {
  const changes: LineChange[] = [];
  let [x, y] = [n, m];
  for (let d = steps.length - 1; d > 0; d--) {
    const before = steps[d];
    const at = (k: number): number => before?.[k + d + 1] ?? 0;
    const k = x - y;
    const isDown = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const startX = at(isDown ? k + 1 : k - 1);
    const startY = startX - (isDown ? k + 1 : k - 1);
    const [endX, endY] = isDown ? [startX, startY + 1] : [startX + 1, startY];
    const last = changes.at(-1);
    if (last && last.fromA === endX + shift && last.fromB === endY + shift) {
      changes[changes.length - 1] = { ...last, fromA: startX + shift, fromB: startY + shift };
    } else changes.push({ fromA: startX + shift, toA: endX + shift, fromB: startY + shift, toB: endY + shift });
    [x, y] = [startX, startY];
  }
  return changes.reverse();
}
