import { attempt } from "../../core/support/attempt.ts";
import { listenToSignals } from "../../core/support/signals.ts";
import { readInput } from "../../core/support/standard_input.ts";
import { within } from "../../core/support/sleep.ts";
import { clipboardReader } from "./clipboard.ts";
import { ASK_GROUND, ASK_STATUS, type Ground, terminalAnswers } from "./terminal_answers.ts";

/** A terminal, as the screen uses it. */
export interface Terminal {
  readonly columns: () => number;
  readonly rows: () => number;
  /** Bytes go out before it returns. After the terminal has gone away it does nothing. */
  readonly write: (text: string) => void;
  /** Takes the terminal; `onEnd` is called once when it goes away. */
  readonly start: (handlers: TerminalHandlers) => void;
  /** Gives the terminal back as it was found; safe to call at any time and twice. */
  readonly restore: () => void;
  /** Takes it again after `restore`. */
  readonly retake: () => void;
  /** Goes to the terminal's other screen, which keeps nothing, or back to the one with the shell's lines. */
  readonly alternate: (on: boolean) => void;
  /** What the window is called while the terminal is ours; the name that it had comes back with `restore`. */
  readonly setTitle: (title: string) => void;
  /**
   * Asks for the colour of the ground; undefined where the terminal does not say it, or not within `limitMs`. An answer is
   * never taken for keys, however late it comes.
   */
  readonly ground: (limitMs?: number) => Promise<Ground | undefined>;
  /** Asks for the picture in its clipboard: a PNG; undefined where there is none or it does not say. */
  readonly picture: () => Promise<Uint8Array | undefined>;
  /** Waits, not long, for answers that are under way: nobody else is to get them. */
  readonly settle: () => Promise<void>;
  /** Gives it to another program and takes it back: nothing is read or drawn while `work` runs. */
  readonly lend: <T>(work: () => Promise<T>) => Promise<T>;
}

/** The terminal of this process, which one after the other can have. */
export interface ProcessTerminal extends Terminal {
  /** As `restore`, and nothing is read any more: the next one gets every key. Settles when that is so. */
  readonly close: () => Promise<void>;
}

/** Who hears of a terminal. */
export interface TerminalHandlers {
  readonly onInput: (text: string) => void;
  readonly onResize: () => void;
  readonly onEnd: () => void;
}

/** The name of the window is kept aside and comes back (XTWINOPS); where that is not known it is none, as at the start. */
const KEEP_TITLE = "\x1b[22;2t";
const GIVE_TITLE_BACK = "\x1b]2;\x07\x1b[23;2t";
/** The other screen begins empty; leaving it brings cursor and lines of the first one back. */
const ALTERNATE = "\x1b[?1049h\x1b[H\x1b[2J";
const FIRST = "\x1b[?1049l";

/** Bracketed paste; whether the window has the focus; keys that tell Shift+Enter from Enter (kitty's protocol, its first flag), where they are known. */
const TAKE = "\x1b[?2004h\x1b[?1004h\x1b[>1u\x1b[?25l";
/** All that is ever switched on, off again: synchronised output, no wrapping, keys, focus, paste, style; and the cursor. */
const GIVE_BACK = "\x1b[?2026l\x1b[?7h\x1b[<u\x1b[?1004l\x1b[?2004l\x1b[0m\x1b[?25h";
const STATUS_MS = 300;

/** The process's own terminal. */
export function processTerminal(): ProcessTerminal {
  const encoder = new TextEncoder();
  let handlers: TerminalHandlers | undefined;
  let isTaken = false;
  let isGone = false;
  let isReading = false;
  let isAlternate = false;
  let title: string | undefined;
  const answers = terminalAnswers((text) => handlers?.onInput(text));
  const clipboard = clipboardReader(answers.push, (text) => write(text));
  /** While set, input waits: the reader stops after the read that is under way. */
  let lent: { readonly back: Promise<void>; readonly quiet: () => void } | undefined;

  const end = (): void => {
    if (isGone) return;
    isGone = true;
    handlers?.onEnd();
  };
  const write = (text: string): void => {
    if (isGone) return;
    let bytes = encoder.encode(text);
    try {
      while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
    } catch {
      end(); // nobody looks any more
    }
  };
  const take = (): void => {
    if (isGone) return;
    try {
      Deno.stdin.setRaw(true);
    } catch {
      return end(); // It was closed: SIGCONT comes with SIGHUP then.
    }
    isTaken = true;
    write(TAKE + (title === undefined ? "" : KEEP_TITLE + titled(title)));
  };
  const restore = (): void => {
    if (!isTaken) return;
    isTaken = false;
    write((isAlternate ? FIRST : "") + GIVE_BACK + (title === undefined ? "" : GIVE_TITLE_BACK));
    isAlternate = false;
    attempt(() => Deno.stdin.setRaw(false)); // One that has gone away has nothing to restore.
  };
  const resized = (): void => handlers?.onResize();
  let stopResizes = (): void => {};

  async function readKeys(): Promise<void> {
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(65536);
    const read = async (): Promise<number | null> => {
      isReading = true;
      try {
        return await readInput(buffer);
      } finally {
        isReading = false;
      }
    };
    try {
      for (let count = await read(); count !== null; count = await read()) {
        const text = decoder.decode(buffer.subarray(0, count), { stream: true });
        clipboard.push(text);
        if (!lent) continue;
        lent.quiet();
        await lent.back;
      }
    } catch {
      // A terminal that hung up fails to be read.
    }
    end();
  }

  /** Nothing is read from now on until the returned function is called. */
  const stopReading = async (): Promise<() => void> => {
    const { promise: back, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: quiet, resolve } = Promise.withResolvers<void>();
    lent = { back, quiet: resolve };
    if (isReading) {
      // That read would take the other's first key: the answer to a question ends it.
      write(ASK_STATUS);
      await within(STATUS_MS, quiet);
    }
    return goOn;
  };

  return {
    columns: () => size().columns,
    rows: () => size().rows,
    write,
    start(given) {
      handlers = given;
      take();
      stopResizes = listenToSignals([["SIGWINCH", resized]]);
      void readKeys();
    },
    restore,
    retake: take,
    alternate(on) {
      if (on === isAlternate || !isTaken) return;
      isAlternate = on;
      write(on ? ALTERNATE : FIRST);
    },
    setTitle(next) {
      if (next === title || !isTaken) return;
      write((title === undefined ? KEEP_TITLE : "") + titled(next));
      title = next;
    },
    ground(limitMs) {
      const said = answers.ground();
      write(ASK_GROUND + ASK_STATUS);
      return limitMs === undefined ? said : within(limitMs, said);
    },
    picture: clipboard.read,
    async settle() {
      if (!isGone && answers.isWaiting()) await within(STATUS_MS, answers.ground());
    },
    async lend(work) {
      const giveBack = await stopReading();
      restore();
      try {
        return await work();
      } finally {
        lent = undefined;
        take();
        giveBack();
      }
    },
    async close() {
      stopResizes();
      handlers = undefined;
      if (!isGone) await stopReading();
      restore();
    },
  };
}

function titled(title: string): string {
  return `\x1b]2;${title}\x07`;
}

function size(): { readonly columns: number; readonly rows: number } {
  const said = attempt(() => Deno.consoleSize());
  // A terminal that does not know says 0.
  return { columns: said?.columns || 80, rows: said?.rows || 24 };
}
