import { cleanLine } from "../screen/foreign.ts";

/** How a person who looks elsewhere is called: BEL, a notification of the desktop (OSC 9, OSC 777), or not at all. */
export type Notify = "bell" | "notification" | "osc777" | "off";

/** Calls the person. */
export interface Attention {
  /** Something waits for an answer. */
  readonly asks: (what: string) => void;
  /** A run has ended that took so many milliseconds. */
  readonly ended: (busyMs: number, what: string) => void;
  /** The terminal says whether it has the focus; one that never does is taken for one that nobody looks at. */
  readonly hasFocus: (isFocused: boolean) => void;
}

/** A run that was shorter has been watched to its end. */
const LONG_MS = 10_000;

/** `write` is the terminal's. */
export function createAttention(notify: Notify, write: (text: string) => void): Attention {
  let isFocused = false;
  const call = (what: string): void => {
    if (isFocused) return;
    if (notify === "bell") write("\x07");
    // Of a text only what cannot end the sequence, or its field.
    const text = cleanLine(what).slice(0, 200);
    if (notify === "notification") write(`\x1b]9;${text}\x07`);
    if (notify === "osc777") write(`\x1b]777;notify;sandpiper;${text.replaceAll(";", ",")}\x07`);
  };
  return {
    asks: call,
    hasFocus: (is) => void (isFocused = is),
    ended: (busyMs, what) => void (busyMs >= LONG_MS && call(what)),
  };
}
