import type { AnswerPart } from "../answer_parts.ts";
import { type Block, fixedBlock, kept, type Look } from "../block.ts";
import { highlight } from "../highlight.ts";
import { indent, wrap } from "../wrap.ts";
import { proseLines } from "./prose.ts";

const MARGIN = "  ";

/** A finished part of an answer. */
export function partBlock(part: AnswerPart): Block {
  return fixedBlock((look) => partLines(part, look), { joins: part.kind === "code" && !part.isFirst });
}

/** A part that is still arriving. */
export interface OpenPartBlock extends Block {
  /** What there is of it now; `isDone`: and will be. */
  readonly set: (part: AnswerPart | undefined, isDone: boolean) => void;
}

/** A part that has only begun. It is drawn anew only when it has grown. */
export function openPartBlock(): OpenPartBlock {
  let part: AnswerPart | undefined;
  let isDone = false;
  let lines = kept(() => []);
  return {
    set(now, done) {
      isDone = done;
      if (now?.text === part?.text && now?.kind === part?.kind) return;
      part = now;
      lines = kept((look) => now ? partLines(now, look) : []);
    },
    lines: (look) => lines(look),
    isDone: () => isDone,
    get joins() {
      return part?.kind === "code" && !part.isFirst;
    },
  };
}

function partLines(part: AnswerPart, look: Look): readonly string[] {
  if (part.kind === "prose") return proseLines(part.text, look);
  const { width, theme } = look;
  const code = highlight(part.text, part.lang, theme).flatMap((line) => wrap(line, width - MARGIN.length));
  const lines = indent(code, MARGIN);
  return part.isFirst && part.lang !== "" ? [theme.dim(MARGIN + part.lang), ...lines] : lines;
}
