/** A stretch of a line of Markdown. */
export interface Span {
  readonly kind: "text" | "code" | "bold";
  readonly text: string;
}

/**
 * Code and bold of a text; everything else, links and tags among it, stays text.
 *
 * Linear: which runs of backticks can be closed at all is looked up once.
 */
export function markdownSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  const lastRun = lastRuns(text);
  let plain = "";
  const push = (span: Span): void => {
    if (plain !== "") spans.push({ kind: "text", text: plain });
    plain = "";
    spans.push(span);
  };
  const lastBold = text.lastIndexOf("**");
  for (let at = 0; at < text.length;) {
    const character = text[at];
    if (character === "`") {
      const length = runLength(text, at);
      const end = (lastRun.get(length) ?? -1) > at ? closingRun(text, at + length, length) : -1;
      if (end < 0) {
        plain += text.slice(at, at + length);
        at += length;
      } else {
        push({ kind: "code", text: trimCode(text.slice(at + length, end)) });
        at = end + length;
      }
    } else if (character === "*" && text[at + 1] === "*" && at < lastBold && /\S/.test(text[at + 2] ?? " ")) {
      const end = text.indexOf("**", at + 2);
      const inner = end < 0 ? "" : text.slice(at + 2, end);
      if (inner === "" || /\s$/.test(inner) || inner.includes("`")) {
        plain += "**";
        at += 2;
      } else {
        push({ kind: "bold", text: inner });
        at = end + 2;
      }
    } else {
      const next = nextSpecial(text, at + 1);
      plain += text.slice(at, next);
      at = next;
    }
  }
  if (plain !== "") spans.push({ kind: "text", text: plain });
  return spans;
}

function nextSpecial(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === "`" || character === "*") return at;
  }
  return text.length;
}

function runLength(text: string, at: number): number {
  let end = at;
  while (text[end] === "`") end++;
  return end - at;
}

/** Where the last run of each length begins. */
function lastRuns(text: string): ReadonlyMap<number, number> {
  const runs = new Map<number, number>();
  for (let at = text.indexOf("`"); at >= 0;) {
    const length = runLength(text, at);
    runs.set(length, at);
    at = text.indexOf("`", at + length);
  }
  return runs;
}

function closingRun(text: string, from: number, length: number): number {
  for (let at = text.indexOf("`", from); at >= 0;) {
    const found = runLength(text, at);
    if (found === length) return at;
    at = text.indexOf("`", at + found);
  }
  return -1;
}

/** One space on both sides is there to keep backticks apart from the run. */
function trimCode(code: string): string {
  const isPadded = code.length > 2 && code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "";
  return isPadded ? code.slice(1, -1) : code;
}
