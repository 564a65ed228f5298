/** Edits (insert, delete, replace, swap of neighbours) that turn one word into the other. */
function distance(a: string, b: string): number {
  const rows = Array.from(
    { length: a.length + 1 },
    (_, i) => Array.from({ length: b.length + 1 }, (_, j) => i === 0 ? j : j === 0 ? i : 0),
  );
  const at = (i: number, j: number): number => rows[i]?.[j] ?? j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, at(i - 2, j - 2) + 0.9); // a slip of the fingers is the likelier cause
      }
      (rows[i] as number[])[j] = best; // every row was made above
    }
  }
  return at(a.length, b.length);
}

/** The known word that was most likely meant, or nothing when none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: { word: string; distance: number } | undefined;
  for (const candidate of known) {
    const d = candidate.startsWith(word) && word.length > 2 ? 1 : distance(word, candidate);
    if (d <= limit && (!best || d < best.distance)) best = { word: candidate, distance: d };
  }
  return best?.word;
}
