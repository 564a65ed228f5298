import { wrap } from "../screen/wrap.ts";

/** Rows of a text in short. */
export interface ShortRows {
  readonly rows: readonly string[];
  /** Lines that are not there, or not whole. */
  readonly left: number;
}

/** UTF-16 units that may stand in one column: of a longer line only so much is broken as there is room for. */
const UNITS = 4;

/**
 * The first rows of lines, or the last ones: broken at the width, and at most `limit` of them. `draw` puts styles into a
 * line, or into the part of it that is shown.
 */
export function shortRows(
  lines: readonly string[],
  width: number,
  limit: number,
  from: "first" | "last",
  draw: (line: string) => string = (line) => line,
): ShortRows {
  const atMost = (most: number): ShortRows => {
    const rows: string[] = [];
    let whole = 0;
    for (let taken = 0; taken < lines.length && rows.length < most; taken++) {
      const line = lines.at(from === "first" ? taken : -1 - taken) ?? ""; // within bounds
      const room = most - rows.length;
      const units = (room + 1) * Math.max(1, width) * UNITS;
      const part = from === "first" ? line.slice(0, units) : line.slice(-units);
      const broken = wrap(draw(part), width);
      if (from === "first") rows.push(...broken.slice(0, room));
      else rows.unshift(...broken.slice(-room));
      if (broken.length <= room && part.length === line.length) whole++;
    }
    return { rows, left: lines.length - whole };
  };
  const short = atMost(limit);
  if (short.left !== 1) return short;
  // To say that there is one more takes as much room as that one.
  const longer = atMost(limit + 1);
  return longer.left === 0 ? longer : short;
}
