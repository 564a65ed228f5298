// What a terminal answers comes in among the keys, in one piece or in several.

/** The ground that text stands on. */
export type Ground = "light" | "dark";

/** Which colour is the ground? (xterm: OSC 11.) Not every terminal answers. */
export const ASK_GROUND = "\x1b]11;?\x07";
/** "Are you well?", which every terminal answers with `ESC [ 0 n` (ECMA-48, DSR), after what was asked before. */
export const ASK_STATUS = "\x1b[5n";

// deno-lint-ignore no-control-regex -- answers are control sequences
const ANSWER = /\x1b\]11;([^\x07\x1b]*)(?:\x07|\x1b\\)|\x1b\[[03]n/g;
/** The beginning of an answer about the ground. A lone ESC is a key. */
// deno-lint-ignore no-control-regex -- answers are control sequences
const BEGUN = /\x1b\](?:1(?:1(?:;[^\x07\x1b]{0,40}\x1b?)?)?)?$/;
/** How long the rest of an answer is waited for, milliseconds: it may have been a key. */
const REST_MS = 100;

/** Takes answers out of what is typed. */
export interface TerminalAnswers {
  readonly push: (text: string) => void;
  /** The ground, when the terminal has said it; undefined when it has answered and did not say. */
  readonly ground: () => Promise<Ground | undefined>;
  /** Something was asked, and no answer came so far. */
  readonly isWaiting: () => boolean;
}

/** `onKeys` gets everything else, in order. */
export function terminalAnswers(onKeys: (text: string) => void): TerminalAnswers {
  let held = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked: PromiseWithResolvers<Ground | undefined> | undefined;

  const giveKeys = (text: string): void => {
    if (text !== "") onKeys(text);
  };
  const release = (): void => {
    const text = held;
    held = "";
    giveKeys(text);
  };
  const settle = (ground: Ground | undefined): void => {
    asked?.resolve(ground);
    asked = undefined;
  };

  return {
    push(text) {
      clearTimeout(timer);
      let all = held + text;
      held = "";
      all = all.replace(ANSWER, (_, colour: string | undefined) => {
        settle(colour === undefined ? undefined : groundOf(colour));
        return "";
      });
      if (asked) {
        held = BEGUN.exec(all)?.[0] ?? "";
        if (held !== "") timer = setTimeout(release, REST_MS);
      }
      giveKeys(all.slice(0, all.length - held.length));
    },
    ground: () => (asked ??= Promise.withResolvers()).promise,
    isWaiting: () => asked !== undefined,
  };
}

/** `rgb:ffff/ffff/ffff`, with one to four digits each; by the brightness that eyes see. */
function groundOf(colour: string): Ground | undefined {
  const parts = /^rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(colour)?.slice(1);
  if (!parts) return undefined;
  const [red = 0, green = 0, blue = 0] = parts.map((digits) => parseInt(digits, 16) / (16 ** digits.length - 1));
  return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 ? "light" : "dark";
}
