import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui/dist/utils.js";

/** The columns that a text takes; styles take none. */
export function widthOf(text: string): number {
  return visibleWidth(text);
}

/** A text in lines of at most `width` columns, broken between words; styles go on in the next line. */
export function wrap(text: string, width: number): readonly string[] {
  return text.split("\n").flatMap((line) => wrapTextWithAnsi(line, Math.max(1, width)));
}

/** A line of at most `width` columns; what was cut shows as `…`. */
export function cut(text: string, width: number): string {
  return width <= 0 ? "" : truncateToWidth(text, width, "…");
}

/** The same lines behind a margin; the first one may have its own, which must be as wide. */
export function indent(lines: readonly string[], margin: string, first = margin): readonly string[] {
  return lines.map((line, index) => (index === 0 ? first : margin) + line);
}

/** Left and right in one line; when they do not fit, the left one is cut. */
export function spread(left: string, right: string, width: number): string {
  const room = width - widthOf(right);
  if (room < 8) return cut(`${left} ${right}`, width);
  const shown = cut(left, right === "" ? room : room - 1);
  return shown + " ".repeat(Math.max(0, room - widthOf(shown))) + right;
}
