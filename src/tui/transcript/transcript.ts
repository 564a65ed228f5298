import type { Block, Look } from "../widgets/block.ts";

/** The conversation on the screen: what is finished scrolls away in order, the rest stays and may change. */
export interface Transcript {
  readonly add: (block: Block) => void;
  /** Lines that are finished since the last call, and those that may still change. */
  readonly take: (look: Look) => { readonly above: readonly string[]; readonly live: readonly string[] };
  /** The newest finished lines again, about `count` of them and whole blocks: after a change of size or of the look. */
  readonly again: (look: Look, count: number) => readonly string[];
  /** All blocks that are kept, by their index from the oldest on, those that may still change included. */
  readonly block: (index: number) => Block | undefined;
  readonly count: () => number;
  /** How many came before those and are not kept. */
  readonly dropped: () => number;
  /** Forgets everything: another conversation begins. */
  readonly clear: () => void;
}

/** Finished blocks that are kept to be drawn again. More would cost memory, and the terminal has them. */
const KEPT_BLOCKS = 2000;

/** The lines of a block, behind the empty line that parts it from what is above. */
export function linesOf(block: Block, look: Look): readonly string[] {
  const lines = block.lines(look);
  return lines.length === 0 || block.joins ? lines : ["", ...lines];
}

/** A conversation of which `shown` is on the screen already. */
export function createTranscript(shown: readonly Block[] = []): Transcript {
  let finished = [...shown];
  let open: Block[] = [];
  let dropped = 0;

  return {
    add: (block) => void open.push(block),
    take(look) {
      const at = open.findIndex((block) => !block.isDone());
      const done = open.splice(0, at < 0 ? open.length : at);
      const above = done.flatMap((block) => linesOf(block, look));
      finished.push(...done);
      dropped += finished.splice(0, finished.length - KEPT_BLOCKS).length;
      return { above, live: open.flatMap((block) => linesOf(block, look)) };
    },
    again(look, count) {
      const lines: (readonly string[])[] = [];
      let sum = 0;
      for (let index = finished.length - 1; index >= 0 && sum < count; index--) {
        const one = linesOf(finished[index]!, look); // within bounds
        lines.unshift(one);
        sum += one.length;
      }
      return lines.flat();
    },
    block: (index) => finished[index] ?? open[index - finished.length],
    count: () => finished.length + open.length,
    dropped: () => dropped,
    clear() {
      finished = [];
      open = [];
      dropped = 0;
    },
  };
}
