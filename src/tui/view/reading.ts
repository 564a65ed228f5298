import type { Transcript } from "../transcript/transcript.ts";
import { createScreen, type Frame, type Screen } from "../screen/screen.ts";
import type { Terminal } from "../screen/terminal.ts";
import type { Look } from "../widgets/block.ts";
import { type FullView, fullView } from "./full_view.ts";

/** Reading a whole conversation on the terminal's other screen, while the session's own waits behind it. */
export interface Reading {
  readonly isOn: () => boolean;
  readonly open: (of: Transcript) => void;
  /** Back to the session's own screen; nothing where that is shown. */
  readonly leave: () => void;
  /** One key; one that means nothing here leaves. */
  readonly key: (data: string) => void;
  readonly draw: () => void;
  readonly redraw: () => void;
  /** The terminal has another size: what waits behind is drawn anew when it comes back. */
  readonly resized: () => void;
}

/** What it is drawn with. */
export interface ReadingParts {
  readonly terminal: Terminal;
  readonly look: () => Look;
  /** What the person should know meanwhile. */
  readonly note: () => string;
  /** A frame now, of whatever is shown. */
  readonly drawNow: () => void;
  /** The session's own screen, all of it. */
  readonly redrawSession: () => void;
}

/** Nothing is read yet. */
export function createReading({ terminal, look, note, drawNow, redrawSession }: ReadingParts): Reading {
  let reading: { readonly view: FullView; readonly screen: Screen } | undefined;
  let hasChangedSize = false;
  const frameOf = (view: FullView): Frame => ({
    above: [],
    live: view.lines({ ...look(), rows: terminal.rows() }, note()),
  });
  const leave = (): void => {
    if (!reading) return;
    reading = undefined;
    terminal.alternate(false);
    if (hasChangedSize) redrawSession();
    else drawNow();
    hasChangedSize = false;
  };
  return {
    isOn: () => reading !== undefined,
    open(of) {
      if (!reading) terminal.alternate(true);
      reading = { view: fullView(of), screen: createScreen(terminal) };
      drawNow();
    },
    leave,
    key(data) {
      if (reading?.view.key(data)) drawNow();
      else leave();
    },
    draw: () => reading?.screen.draw(frameOf(reading.view)),
    redraw: () => reading?.screen.redraw(frameOf(reading.view)),
    resized: () => void (hasChangedSize ||= reading !== undefined),
  };
}
