/** How many may act at a time. */
export interface TurnLimits {
  /** Turns of all lines together; overdue ones do not count. */
  readonly most: number;
  /** Of one line, overdue or not. */
  readonly mostOfOne: number;
  /** After this long a turn is overdue, and its place goes to another. */
  readonly overdueMs: number;
  /** Of all lines together. */
  readonly mostOverdue: number;
}

/** Acts when its line has a turn; the result is that of `act`. */
export type InTurn = <T>(act: () => Promise<T>) => Promise<T>;

/**
 * Shares out turns among lines that do not trust each other: the line that was served longest ago is next, so that one with
 * many waiting, or whose turns never end, does not keep the others from theirs. Gives what opens a line.
 */
export function fairTurns({ most, mostOfOne, overdueMs, mostOverdue }: TurnLimits): () => InTurn {
  /** Lines in which somebody waits, the one that was served longest ago first. */
  const lines: { inUse: number; readonly waiting: (() => void)[] }[] = [];
  let counted = 0;
  let overdue = 0;
  const callNext = (): void => {
    while (counted < most) {
      const index = lines.findIndex((line) => line.inUse < mostOfOne);
      const [line] = index < 0 ? [] : lines.splice(index, 1);
      const begin = line?.waiting.shift();
      if (!line || !begin) return;
      if (line.waiting.length > 0) lines.push(line);
      line.inUse++;
      counted++;
      begin();
    }
  };
  return () => {
    const line = { inUse: 0, waiting: [] as (() => void)[] };
    return async (act) => {
      await new Promise<void>((resolve) => {
        if (line.waiting.push(resolve) === 1) lines.push(line);
        callNext();
      });
      let isOverdue = false;
      const timer = setInterval(() => {
        if (isOverdue || overdue >= mostOverdue) return;
        isOverdue = true;
        overdue++;
        counted--;
        callNext();
      }, overdueMs);
      try {
        return await act();
      } finally {
        clearInterval(timer);
        line.inUse--;
        if (isOverdue) overdue--;
        else counted--;
        callNext();
      }
    };
  };
}
