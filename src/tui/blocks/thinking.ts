import type { Block } from "../block.ts";
import { indent, wrap } from "../wrap.ts";

/** Lines of a thought while it arrives. */
const LIVE_LINES = 4;
/** What is kept of a thought, UTF-16 units. */
const KEPT_UNITS = 20_000;

/** The model's thoughts: the newest lines while they arrive, and one line afterwards; all of it where that is wanted. */
export function thinkingBlock(): Block & { readonly push: (delta: string) => void; readonly end: () => void } {
  let text = "";
  let isOver = false;
  return {
    push: (delta) => void (text = (text + delta).slice(-KEPT_UNITS)),
    end: () => void (isOver = true),
    isDone: () => isOver,
    lines({ width, theme, expanded, showsThinking }) {
      if (text.trim() === "") return [];
      if (isOver && !expanded && !showsThinking) return [theme.dim("∴ thought")];
      // While it arrives only the end of it is broken into lines.
      const lines = wrap((isOver ? text : text.slice(-width * LIVE_LINES * 2)).trim(), width - 2);
      return indent((isOver ? lines : lines.slice(-LIVE_LINES)).map(theme.dim), "  ", theme.dim("∴ "));
    },
  };
}
