/** Longest line that is waited for, characters: nothing longer is a line of progress. */
const MAX_HELD = 1000;

/** Where a line ends or is gone over again: LF, CR, backspace, EL. */
// deno-lint-ignore no-control-regex -- what `stripAllButOverwrites` leaves
const EDIT = /(\n|\r|\x08|\x1b\[[012]?K)/;

/** Lines as a terminal would show them at the end: what a program writes over again counts in its last state. */
export interface OverwrittenLines {
  /** Takes the next piece of text; gives what cannot change any more. A sequence may not be cut between pieces. */
  push(text: string): string;
  /** The line that is not complete, as it is now. */
  open(): string;
  /** The same, and a new line begins. */
  end(): string;
  /** Whether the open line is what was written and no more: then it goes on behind its last character. */
  isPlain(): boolean;
}

/**
 * Carries out CR, backspace and EL in a stream of text. Time is linear in the text: a line that gets too long is given as
 * it is, and a CR in what follows begins a line of its own.
 */
export function overwrittenLines(): OverwrittenLines {
  let line = "";
  let column = 0;
  let hasEdits = false;
  let isCut = false; // the line's beginning has been given away

  const shown = (): string => hasEdits ? line.trimEnd() : line;
  const begin = (): void => {
    line = "";
    column = 0;
    hasEdits = isCut = false;
  };
  const end = (): string => {
    const text = shown();
    begin();
    return text;
  };
  const erase = (sequence: string): void => {
    const kind = sequence.at(-2);
    if (kind === "1") line = " ".repeat(column) + cut(line, column);
    else if (kind === "2") line = " ".repeat(column);
    else line = cut(line, 0, column);
  };

  const write = (text: string): string => {
    let out = "";
    for (let at = 0; at < text.length;) {
      const room = MAX_HELD - column;
      const piece = cut(text.slice(at, at + 2 * room), 0, room);
      at += piece.length;
      const from = column;
      column += widthOf(piece);
      line = cut(line, 0, from) + piece + cut(line, column);
      if (column < MAX_HELD) continue;
      out += end();
      isCut = true;
    }
    return out;
  };

  /** Nearly all that programs write goes over nothing again: its lines are complete as they are. */
  const pushPlain = (text: string): string => {
    const start = text.lastIndexOf("\n") + 1;
    let out = "";
    if (start > 0) {
      out = shown() + text.slice(0, start);
      begin();
    }
    return out + write(start > 0 ? text.slice(start) : text);
  };

  return {
    push(text) {
      // deno-lint-ignore no-control-regex -- what EDIT begins with
      if (!hasEdits && !/[\r\x08\x1b]/.test(text)) return pushPlain(text);
      let out = "";
      for (const part of text.split(EDIT)) {
        if (part === "\n") out += end() + "\n";
        else if (!EDIT.test(part)) out += write(part);
        else if (isCut && part === "\r") out += end() + "\n";
        else {
          hasEdits = true;
          if (part === "\r") column = 0;
          else if (part === "\x08") column = Math.max(0, column - 1);
          else erase(part);
        }
      }
      return out;
    },
    open: shown,
    end,
    isPlain: () => !hasEdits,
  };
}

/** Half of a character of two units, which is shown in one column as well. */
const SURROGATE = /[\ud800-\udfff]/;

function widthOf(text: string): number {
  return SURROGATE.test(text) ? [...text].length : text.length;
}

/** What stands between two columns. */
function cut(text: string, from: number, to = Infinity): string {
  return SURROGATE.test(text) ? text.slice(unitsBefore(text, from), unitsBefore(text, to)) : text.slice(from, to);
}

function unitsBefore(text: string, column: number): number {
  let at = 0;
  for (let left = column; left > 0 && at < text.length; left--) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}
