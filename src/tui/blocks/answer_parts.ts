// Splits an answer that is still arriving into parts that are finished and one that is not, so that no frame parses more
// than that one.

/** A piece of an answer that can be drawn alone. */
export type AnswerPart =
  | { readonly kind: "prose"; readonly text: string }
  /** `isFirst`: the fence opens here; a long block comes in several parts. */
  | { readonly kind: "code"; readonly lang: string; readonly text: string; readonly isFirst: boolean };

/** Takes an answer as it comes. */
export interface AnswerSplitter {
  /** The parts that this piece of text finishes, in order. */
  readonly push: (delta: string) => readonly AnswerPart[];
  /** What is there of the part that is not finished. */
  readonly open: () => AnswerPart | undefined;
  /** The answer is over. */
  readonly end: () => readonly AnswerPart[];
}

/** Lines of code in one part, and UTF-16 units of prose in one. */
const CODE_LINES = 40;
const PROSE_UNITS = 6000;

/** Nothing has arrived. */
export function answerSplitter(): AnswerSplitter {
  let rest = ""; // the line that is not complete
  let prose = "";
  let isAfterBlank = false;
  let fence: { readonly marker: string; readonly lang: string } | undefined;
  let code: string[] = [];
  let isFirst = true;
  let done: AnswerPart[] = [];

  const endProse = (): void => {
    if (prose.trim() !== "") done.push({ kind: "prose", text: prose.replace(/^\n+|\s+$/g, "") });
    prose = "";
    isAfterBlank = false;
  };
  const endCode = (): void => {
    if (fence && (code.length > 0 || isFirst)) {
      done.push({ kind: "code", lang: fence.lang, text: code.join("\n"), isFirst });
    }
    code = [];
    isFirst = false;
  };
  const inCode = (line: string, marker: string): void => {
    const closing = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1];
    if (closing?.startsWith(marker)) {
      endCode();
      fence = undefined;
      return;
    }
    code.push(line);
    if (code.length >= CODE_LINES) endCode();
  };
  const inProse = (line: string): void => {
    const [, marker, lang = ""] = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/.exec(line) ?? [];
    if (marker !== undefined) {
      endProse();
      fence = { marker, lang };
      isFirst = true;
      return;
    }
    if (line.trim() === "") isAfterBlank = true;
    // An indented line belongs to the list item above the empty line.
    else if (isAfterBlank && !/^\s/.test(line)) endProse();
    else isAfterBlank = false;
    prose += line + "\n";
    if (prose.length > PROSE_UNITS) endProse();
  };
  const taken = (): readonly AnswerPart[] => {
    const parts = done;
    done = [];
    return parts;
  };

  return {
    push(delta) {
      rest += delta;
      for (let at = rest.indexOf("\n"); at >= 0; at = rest.indexOf("\n")) {
        const line = rest.slice(0, at);
        rest = rest.slice(at + 1);
        if (fence) inCode(line, fence.marker);
        else inProse(line);
      }
      // A line without an end: cut at a word.
      if (!fence && rest.length > PROSE_UNITS) {
        const at = rest.lastIndexOf(" ") + 1 || rest.length;
        prose += rest.slice(0, at);
        rest = rest.slice(at);
        endProse();
      }
      return taken();
    },
    open() {
      if (fence) {
        const lines = rest === "" ? code : [...code, rest];
        return lines.length > 0 || isFirst
          ? { kind: "code", lang: fence.lang, text: lines.join("\n"), isFirst }
          : undefined;
      }
      const text = (prose + rest).replace(/^\n+/, "");
      return text.trim() === "" ? undefined : { kind: "prose", text };
    },
    end() {
      if (rest !== "") {
        if (fence) inCode(rest, fence.marker);
        else inProse(rest);
        rest = "";
      }
      if (fence) endCode();
      fence = undefined;
      endProse();
      return taken();
    },
  };
}
