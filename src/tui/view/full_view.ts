import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { Look } from "../widgets/block.ts";
import { linesOf, type Transcript } from "../transcript/transcript.ts";
import { spread, wrap } from "../screen/wrap.ts";

/** The whole conversation, every block in full, to walk through: it takes the screen and the keys until it is left. */
export interface FullView {
  /** A screen full of lines. `note`: what the person should know meanwhile. */
  readonly lines: (look: Look & { readonly rows: number }, note: string) => readonly string[];
  /** One key; false: it leaves. */
  readonly key: (data: string) => boolean;
}

/** Where the first row of the screen is: in which block, and which of its lines. */
interface Place {
  readonly block: number;
  readonly line: number;
}

/** Begins at the end, and stays there while more arrives, until a key moves it. Only blocks that are seen are drawn. */
export function fullView(transcript: Pick<Transcript, "block" | "count" | "dropped">): FullView {
  let place: Place | "end" = "end";
  /** Keys move what the last screen showed. */
  let shown: { readonly look: Look; readonly room: number } | undefined;

  const at = (index: number, look: Look): readonly string[] => {
    const block = transcript.block(index);
    if (!block) return [];
    const lines = linesOf(block, { ...look, expanded: true });
    if (index > 0 || transcript.dropped() === 0) return lines;
    const before = `… ${transcript.dropped()} earlier blocks are not kept here; /export writes all of the session`;
    return [...wrap(before, look.width).map(look.theme.dim), ...lines];
  };

  const lastBlock = (): number => Math.max(0, transcript.count() - 1);

  /** A place so many lines further on, or back; not beyond the first line and the last one. */
  const moved = (from: Place, by: number, look: Look): Place => {
    const last = lastBlock();
    let { block, line } = from;
    line += by;
    while (line < 0 && block > 0) line += at(--block, look).length;
    while (block < last && line >= at(block, look).length) line -= at(block++, look).length;
    return { block, line: Math.max(0, Math.min(line, at(block, look).length)) };
  };
  /** The place from which the rest just fills the screen. */
  const lastPlace = (look: Look, room: number): Place => {
    const last = lastBlock();
    return moved({ block: last, line: at(last, look).length }, -room, look);
  };
  const isBehind = (a: Place, b: Place): boolean => a.block > b.block || (a.block === b.block && a.line >= b.line);

  const move = (to: (from: Place, look: Look, room: number) => Place): void => {
    if (!shown) return;
    const { look, room } = shown;
    const end = lastPlace(look, room);
    const next = to(place === "end" ? end : place, look, room);
    place = isBehind(next, end) ? "end" : next;
  };
  /** The next block that has something to show, or the one before. */
  const step = (by: 1 | -1) => (from: Place, look: Look): Place => {
    if (by < 0 && from.line > 0) return { block: from.block, line: 0 };
    const last = lastBlock();
    let block = from.block + by;
    while (block > 0 && block < last && at(block, look).length === 0) block += by;
    return { block: Math.max(0, Math.min(last, block)), line: 0 };
  };

  return {
    lines(look, note) {
      const room = Math.max(1, look.rows - 1);
      shown = { look, room };
      const end = lastPlace(look, room);
      if (place !== "end" && isBehind(place, end)) place = "end";
      const first = place === "end" ? end : place;
      const lines: string[] = [];
      for (let index = first.block; index < transcript.count() && lines.length < room; index++) {
        lines.push(...at(index, look).slice(index === first.block ? first.line : 0).slice(0, room - lines.length));
      }
      const { theme, width } = look;
      const where = place === "end" ? "end" : `${first.block + 1}/${transcript.count()}`;
      const keys = note === "" ? theme.dim("↑↓ PgUp PgDn Home End · Tab: next block · Esc: back") : theme.warn(note);
      return [...lines, ...Array(room - lines.length).fill(""), spread(keys, theme.dim(where), width)];
    },
    key(data) {
      const is = (...keys: Parameters<typeof matchesKey>[1][]): boolean => keys.some((key) => matchesKey(data, key));
      if (is("escape", "enter", "q", "ctrl+c")) return false;
      if (is("up", "k")) move((from, look) => moved(from, -1, look));
      else if (is("down", "j")) move((from, look) => moved(from, 1, look));
      else if (is("pageUp", "b")) move((from, look, room) => moved(from, -room, look));
      else if (is("pageDown", "space")) move((from, look, room) => moved(from, room, look));
      else if (is("tab")) move(step(1));
      else if (is("shift+tab")) move(step(-1));
      else if (is("home", "g")) move(() => ({ block: 0, line: 0 }));
      else if (is("end", "shift+g")) place = "end";
      return true;
    },
  };
}
