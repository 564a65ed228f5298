/** One still of a recording: a screen with its escape sequences, and how long it is shown. */
export interface Still {
  readonly screen: string;
  readonly seconds: number;
}

/** A run of characters that look alike. */
interface Run {
  readonly column: number;
  readonly text: string;
  readonly style: string;
}

const CELL = { width: 7.8, height: 17 } as const;
const MARGIN = { side: 14, top: 40, bottom: 14 } as const;
const GROUND = "#10151c";
/** The usual sixteen: those of a screen whose program leaves them to the terminal. */
const COLORS = [
  ..."#3b4252 #f07178 #8fd694 #e6b450 #7aa2f7 #c792ea #7fd5d5 #c8d0da".split(" "),
  ..."#5c6773 #ff8b92 #a8e6a3 #ffcb6b #9ab8ff #ddb6f2 #a3ebeb #eef2f6".split(" "),
];
const TEXT = "#c8d0da";

/**
 * Screens as one SVG that plays them in turn, for ever; where motion is not wanted, or not known, it shows the last one.
 *
 * Each character stands in the cell that the terminal gave it, whatever font there is. A line that several screens have is in
 * the file once. Throws for an escape sequence other than colours and weights.
 */
export function svgOf(stills: readonly Still[], { columns, rows, title, description }: {
  readonly columns: number;
  readonly rows: number;
  readonly title: string;
  readonly description: string;
}): string {
  const width = Math.round(columns * CELL.width + 2 * MARGIN.side);
  const height = rows * CELL.height + MARGIN.top + MARGIN.bottom;
  const styles = new Map<string, string>();
  const lines = new Map<string, string>();
  const screens = stills.map(({ screen }, index) => {
    const uses = screenLines(screen).map((runs, row) => {
      if (runs.every(({ text, style }) => text.trim() === "" && !style.includes("background"))) return "";
      const drawn = runs.map((run) => drawRun(run, styles)).join("");
      if (!lines.has(drawn)) lines.set(drawn, `l${lines.size}`);
      return `<use href="#${lines.get(drawn)}" y="${MARGIN.top + row * CELL.height}"/>`;
    });
    return `<g class="s s${index}">${uses.join("")}</g>`;
  });
  const total = stills.reduce((sum, { seconds }) => sum + seconds, 0);
  let begun = 0;
  const timing = stills.map(({ seconds }, index) => {
    const [from, to] = [begun, begun + seconds].map((at) => (100 * at / total).toFixed(2));
    begun += seconds;
    const shown = `${from}%{visibility:visible}${to}%{visibility:hidden}`;
    const before = index === 0 ? "" : "0%{visibility:hidden}";
    return `.s${index}{animation:k${index} ${total}s step-end infinite}@keyframes k${index}{${before}${shown}}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t d">`,
    `<title id="t">${escaped(title)}</title>`,
    `<desc id="d">${escaped(description)}</desc>`,
    "<style>",
    `text{font:13px ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${TEXT};white-space:pre}`,
    ...[...styles].map(([style, name]) => `.${name}{${style}}`),
    `.s{visibility:hidden}.s${stills.length - 1}{visibility:visible}`,
    `@media (prefers-reduced-motion:no-preference){${timing.join("")}}`,
    "</style>",
    `<rect width="${width}" height="${height}" rx="8" fill="${GROUND}"/>`,
    ...["#ff5f57", "#febc2e", "#28c840"].map((fill, i) =>
      `<circle cx="${20 + 18 * i}" cy="18" r="5.5" fill="${fill}"/>`
    ),
    "<defs>",
    ...[...lines].map(([drawn, id]) => `<g id="${id}">${drawn}</g>`),
    "</defs>",
    ...screens,
    "</svg>",
    "",
  ].join("\n");
}

/** A screen without its escape sequences. */
export function plainText(screen: string): string {
  // deno-lint-ignore no-control-regex -- that is what an escape sequence begins with
  return screen.replace(/\x1b\[[\d;]*m/g, "").replace(/[ \t]+$/gm, "").replace(/\n+$/, "");
}

function drawRun({ column, text, style }: Run, styles: Map<string, string>): string {
  const x = (MARGIN.side + column * CELL.width).toFixed(1);
  const width = ([...text].length * CELL.width).toFixed(1);
  const ground = /background:(#\w+);?/.exec(style)?.[1];
  const box = ground === undefined ? "" : `<rect x="${x}" width="${width}" height="${CELL.height}" fill="${ground}"/>`;
  if (text.trim() === "") return box;
  const rest = style.replace(/background:#\w+;?/, "");
  if (rest !== "" && !styles.has(rest)) styles.set(rest, `c${styles.size}`);
  const named = rest === "" ? "" : ` class="${styles.get(rest)}"`;
  return `${box}<text x="${x}" y="13" textLength="${width}"${named}>${escaped(text)}</text>`;
}

/** Attributes of the text that follows, by the codes of ECMA-48. */
interface Attributes {
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
  fore: string | undefined;
  back: string | undefined;
}

function screenLines(screen: string): readonly (readonly Run[])[] {
  let now = plain();
  return screen.replace(/\n$/, "").split("\n").map((line) => {
    const runs: Run[] = [];
    let column = 0;
    // deno-lint-ignore no-control-regex -- that is what an escape sequence begins with
    for (const part of line.split(/(\x1b\[[\d;]*m)/)) {
      // deno-lint-ignore no-control-regex -- as above
      if (/^\x1b\[[\d;]*m$/.test(part)) {
        now = applied(now, part.slice(2, -1));
        continue;
      }
      if (part.includes("\x1b")) {
        throw new Error(`a screen has an escape sequence that is no colour: ${JSON.stringify(part)}`);
      }
      // Blanks between words need no glyphs, and a run of them none at all.
      for (const [text] of part.matchAll(now.inverse || now.back ? /.+/gu : /\S+(?: \S+)*|\s+/gu)) {
        runs.push({ column, text, style: styleOf(now) });
        column += [...text].length;
      }
    }
    return runs;
  });
}

function plain(): Attributes {
  const off = { bold: false, dim: false, italic: false, underline: false, inverse: false };
  return { ...off, fore: undefined, back: undefined };
}

function applied(before: Attributes, codes: string): Attributes {
  let now = { ...before };
  const list = codes.split(";").map(Number);
  for (let at = 0; at < list.length; at++) {
    const code = list[at] ?? 0;
    if (code === 0) now = plain();
    else if (code === 1) now.bold = true;
    else if (code === 2) now.dim = true;
    else if (code === 3) now.italic = true;
    else if (code === 4) now.underline = true;
    else if (code === 7) now.inverse = true;
    else if (code === 22) now.bold = now.dim = false;
    else if (code === 23) now.italic = false;
    else if (code === 24) now.underline = false;
    else if (code === 27) now.inverse = false;
    else if (code === 39) now.fore = undefined;
    else if (code === 49) now.back = undefined;
    else if (code >= 30 && code < 38) now.fore = COLORS[code - 30];
    else if (code >= 40 && code < 48) now.back = COLORS[code - 40];
    else if (code >= 90 && code < 98) now.fore = COLORS[code - 82];
    else if (code >= 100 && code < 108) now.back = COLORS[code - 92];
    else if (code === 38 || code === 48) {
      const isRgb = list[at + 1] === 2;
      const color = isRgb ? hex(list.slice(at + 2, at + 5)) : indexed(list[at + 2] ?? 0);
      if (code === 38) now.fore = color;
      else now.back = color;
      at += isRgb ? 4 : 2;
    } else throw new Error(`a screen has an attribute that is not known: ${code}`);
  }
  return now;
}

/** A colour of the 256: sixteen, a cube of 6 × 6 × 6, 24 greys. */
function indexed(index: number): string {
  if (index < 16) return COLORS[index] ?? TEXT;
  if (index >= 232) return hex([1, 1, 1].map((one) => one * (8 + 10 * (index - 232))));
  const level = (part: number): number => part === 0 ? 0 : 55 + 40 * part;
  const at = index - 16;
  return hex([level(Math.floor(at / 36)), level(Math.floor(at / 6) % 6), level(at % 6)]);
}

function hex(parts: readonly number[]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

function styleOf({ bold, dim, italic, underline, inverse, fore, back }: Attributes): string {
  const [ink, ground] = inverse ? [back ?? GROUND, fore ?? TEXT] : [fore, back];
  return [
    ink === undefined ? "" : `fill:${ink};`,
    ground === undefined ? "" : `background:${ground};`,
    bold ? "font-weight:bold;" : "",
    dim ? "opacity:.62;" : "",
    italic ? "font-style:italic;" : "",
    underline ? "text-decoration:underline;" : "",
  ].join("");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
