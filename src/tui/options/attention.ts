import { cleanLine } from "../screen/foreign.ts";

/** How a person who looks elsewhere is called: BEL, a notification of the desktop (OSC 9), or not at all. */
export type Notify = "bell" | "notification" | "off";

/** Calls the person. */
export interface Attention {
  /** Something waits for an answer. */
  readonly asks: (what: string) => void;
  /** A run has ended that took so many milliseconds. */
  readonly ended: (busyMs: number, what: string) => void;
}

/** A run that was shorter has been watched to its end. */
const LONG_MS = 10_000;

/** `write` is the terminal's. */
export function createAttention(notify: Notify, write: (text: string) => void): Attention {
  const call = (what: string): void => {
    if (notify === "bell") write("\x07");
    // Of a text only what cannot end the sequence.
    if (notify === "notification") write(`\x1b]9;${cleanLine(what).slice(0, 200)}\x07`);
  };
  return {
    asks: call,
    ended: (busyMs, what) => void (busyMs >= LONG_MS && call(what)),
  };
}
