import { counted } from "../../core/support/text.ts";
import { CURSOR_MARKER } from "@earendil-works/pi-tui/dist/tui.js";
import type { Look } from "../widgets/block.ts";
import type { Dialog } from "../widgets/dialog.ts";
import type { Screen } from "../screen/screen.ts";
import type { Terminal } from "../screen/terminal.ts";
import type { Transcript } from "../transcript/transcript.ts";
import { cut, widthOf } from "../screen/wrap.ts";

/** What stands below the conversation. */
export interface ViewParts {
  readonly look: () => Look;
  readonly dialog: () => Dialog | undefined;
  readonly editor: (width: number) => readonly string[];
  /** What goes on, what waits. */
  readonly status: (look: Look) => readonly string[];
  readonly footer: (look: Look) => readonly string[];
}

/** The whole screen: conversation, status, dialog or editor, footer. */
export interface View {
  readonly draw: () => void;
  /** Everything that there is room for, anew. */
  readonly redraw: () => void;
  /** The last frame: the conversation stays, everything else goes, and the cursor is on a line of its own below it. */
  readonly close: () => void;
}

/** Puts the parts together. */
export function createView(screen: Screen, terminal: Terminal, transcript: Transcript, parts: ViewParts): View {
  const below = (look: Look, rows: number): readonly string[] => {
    const dialog = parts.dialog();
    const editor = dialog && !dialog.keepsEditor ? [] : parts.editor(look.width);
    const [status, footer] = [parts.status(look), parts.footer(look)];
    if (!dialog) return [...status, ...editor, ...footer];
    // What is asked has to be seen as a whole: in a low window the rest makes room.
    let lines: readonly string[] = [];
    for (const [above, under] of [[status, footer], [status, []], [[], []]] as const) {
      const room = rows - editor.length - above.length - under.length - 1;
      const asked = dialog.lines({ ...look, rows: room });
      lines = [...above, ...asked, ...editor, ...under];
      if (asked.length <= room) break;
    }
    return lines;
  };

  const frame = (live: readonly string[], look: Look) => {
    const rows = terminal.rows();
    const bottom = below(look, rows);
    const room = Math.max(0, rows - bottom.length - 1);
    const key = look.expandKey === undefined ? "" : ` (${look.expandKey})`;
    // What is above the room is not lost: it is written when it is finished.
    const shown = live.length <= room
      ? live
      : room < 2
      ? []
      : [look.theme.dim(`… ${counted(live.length - room + 1, "line")} above${key}`), ...live.slice(1 - room)];
    const lines = [...shown, "", ...bottom].slice(-rows);
    const row = lines.findIndex((line) => line.includes(CURSOR_MARKER));
    if (row < 0) return { live: lines };
    const line = lines[row] ?? "";
    const column = widthOf(line.slice(0, line.indexOf(CURSOR_MARKER)));
    return {
      live: lines.map((one, index) => index === row ? one.replaceAll(CURSOR_MARKER, "") : one),
      cursor: { row, column: Math.min(column, look.width - 1) },
    };
  };

  return {
    draw() {
      const look = parts.look();
      const { above, live } = transcript.take(look);
      screen.draw({ above, ...frame(live, look) });
    },
    redraw() {
      const look = parts.look();
      const { above, live } = transcript.take(look);
      const made = frame(live, look);
      // What is finished since the last frame has to be written in any case.
      const room = Math.max(above.length, terminal.rows() - made.live.length);
      const again = transcript.again(look, room);
      screen.redraw({ above: again.length <= room ? again : again.slice(again.length - room), ...made });
    },
    close() {
      const look = parts.look();
      const { above, live } = transcript.take(look);
      screen.draw({ above: [...above, ...live].map((line) => cut(line, look.width)), live: [""] });
    },
  };
}
