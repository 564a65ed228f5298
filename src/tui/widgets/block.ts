import type { Theme } from "../screen/theme.ts";

/** What lines are made for. */
export interface Look {
  /** Columns; no line may be wider. */
  readonly width: number;
  readonly theme: Theme;
  /** Results are shown in full, not in short. */
  readonly expanded: boolean;
  /** What the model thought stays to be read. */
  readonly showsThinking?: boolean;
  /** The key that shows results in full, as people read it; undefined: there is none. */
  readonly expandKey?: string | undefined;
}

/** One thing in the conversation as the screen shows it: a message, a piece of an answer, a tool call. */
export interface Block {
  /** Its lines as they are now; clean but for styles. */
  readonly lines: (look: Look) => readonly string[];
  /** Nothing about it changes any more: it may scroll away. */
  readonly isDone: () => boolean;
  /** It goes on with what is above it, without an empty line between them. */
  readonly joins?: boolean;
}

/** A block that never changes. */
export function fixedBlock(
  lines: (look: Look) => readonly string[],
  options: { readonly joins?: boolean } = {},
): Block {
  return { lines: kept(lines), isDone: () => true, ...options };
}

/** Lines that are made once for a look. */
export function kept(lines: (look: Look) => readonly string[]): (look: Look) => readonly string[] {
  let last: { readonly look: Look; readonly lines: readonly string[] } | undefined;
  return (look) => {
    if (!last || !isSame(last.look, look)) last = { look, lines: lines(look) };
    return last.lines;
  };
}

function isSame(a: Look, b: Look): boolean {
  return a.width === b.width && a.theme === b.theme && a.expanded === b.expanded && a.showsThinking === b.showsThinking;
}
