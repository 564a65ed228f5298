/** What is to be written, and the row on which the cursor is then, counted from the first line. */
export interface Patch {
  readonly text: string;
  readonly row: number;
}

/**
 * Makes lines that are on the screen into others by writing only what differs: lines below a change that are the same
 * move with it (ECMA-48: IL, DL). All lines, before and after, must have room on the screen at once. `from`: the cursor's
 * row, counted from the first line.
 */
export function patchLines(shown: readonly string[], next: readonly string[], from: number): Patch {
  const least = Math.min(shown.length, next.length);
  let top = 0;
  while (top < least && shown[top] === next[top]) top++;
  let bottom = 0;
  while (bottom < least - top && shown.at(-1 - bottom) === next.at(-1 - bottom)) bottom++;
  const [old, now] = [shown.length - top - bottom, next.length - top - bottom];

  let row = from;
  let text = "";
  const moveTo = (target: number): void => {
    const by = target - row;
    row = target;
    if (by !== 0) text += by > 0 ? `\x1b[${by}B` : `\x1b[${-by}A`;
  };
  const hasBelow = bottom > 0;
  if (hasBelow && now > old) {
    // Room first: what is moved off the last row of a terminal is lost.
    moveTo(shown.length - 1);
    text += "\r\n".repeat(now - old);
    row += now - old;
    moveTo(top + old);
    text += `\x1b[${now - old}L`;
  } else if (hasBelow && now < old) {
    moveTo(top + now);
    text += `\x1b[${old - now}M`;
  }
  for (let index = top; index < top + now; index++) {
    const isOld = index < top + old;
    if (isOld && shown[index] === next[index]) continue;
    if (isOld || hasBelow) {
      moveTo(index);
      text += isOld ? `\r\x1b[2K${next[index]}` : `\r${next[index]}`;
    } else {
      moveTo(index - 1);
      text += `\r\n\x1b[2K${next[index]}`; // a new line at the bottom may scroll
      row = index;
    }
  }
  if (!hasBelow && now < old) {
    moveTo(next.length);
    text += "\r\x1b[J";
  }
  return { text, row };
}
