// The clipboard that the terminal has, which over SSH is that of the person's own machine.
import { attempt } from "../../core/support/attempt.ts";

/** Gives a text to the clipboard (xterm: OSC 52). Nothing comes back. */
export function clipboardSequence(text: string): string {
  return `\x1b]52;c;${new TextEncoder().encode(text).toBase64()}\x07`;
}

/** Takes pictures of the clipboard out of what is typed. */
export interface ClipboardReader {
  /** What came in; what is no answer is handed on. */
  readonly push: (text: string) => void;
  /** Asks; the bytes of a PNG, or undefined where the terminal has none, knows no such question or forbids it. */
  readonly read: () => Promise<Uint8Array | undefined>;
}

/** Do you know this protocol? (DECRQM of kitty's mode 5522; https://sw.kovidgoyal.net/kitty/clipboard/) */
const ASK_KNOWN = "\x1b[?5522$p";
const ASK_PICTURE = `\x1b]5522;type=read;${btoa("image/png")}\x1b\\`;
/** How long a terminal that knows the protocol takes to say so, milliseconds. */
const KNOWN_MS = 500;
/** The person may be asked whether a program may read the clipboard. */
const READ_MS = 30_000;
/** Characters of base64: more is no picture that could be sent. */
const MOST = 6_000_000;

// deno-lint-ignore no-control-regex -- answers are control sequences
const ANSWER = /\x1b\[\?5522;(\d)\$y|\x1b\]5522;([^\x07\x1b;]*)(?:;([^\x07\x1b]*))?(?:\x07|\x1b\\)/g;
/** The beginning of an answer. A lone ESC is a key. */
// deno-lint-ignore no-control-regex -- answers are control sequences
const BEGUN = /\x1b(?:\[(?:\?[\d;$]*)?|\](?:5{0,2}|552|5522|5522;[^\x07\x1b]*\x1b?))$/;

/** `onKeys` gets what is no answer, in order; `write` writes to the terminal. */
export function clipboardReader(onKeys: (text: string) => void, write: (text: string) => void): ClipboardReader {
  let asked: PromiseWithResolvers<Uint8Array | undefined> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let held = "";
  let data: string[] = [];
  let size = 0;

  const end = (picture: Uint8Array | undefined): void => {
    clearTimeout(timer);
    asked?.resolve(picture);
    asked = undefined;
    data = [];
    size = 0;
    const keys = held;
    held = "";
    if (keys !== "") onKeys(keys);
  };
  const wait = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => end(undefined), ms);
  };
  const take = (known: string | undefined, meta: string, payload: string): void => {
    if (!asked) return;
    if (known !== undefined) {
      if (known === "0" || known === "4") return end(undefined);
      write(ASK_PICTURE);
      return wait(READ_MS);
    }
    const status = /(?:^|:)status=([A-Z]+)/.exec(meta)?.[1];
    if (status === "OK") return;
    if (status === "DATA") {
      data.push(payload);
      size += payload.length;
      if (size <= MOST) return;
    }
    end(status === "DONE" ? decoded(data) : undefined);
  };

  return {
    push(text) {
      let all = held + text;
      held = "";
      // Answers that come too late are none either.
      if (all.includes("5522")) {
        all = all.replace(ANSWER, (_, known: string | undefined, meta = "", payload = "") => {
          take(known, meta, payload);
          return "";
        });
      }
      if (asked) held = BEGUN.exec(all)?.[0] ?? "";
      if (all.length > held.length) onKeys(all.slice(0, all.length - held.length));
    },
    read() {
      if (!asked) {
        asked = Promise.withResolvers();
        write(ASK_KNOWN);
        wait(KNOWN_MS);
      }
      return asked.promise;
    },
  };
}

/** Each piece is base64 of its own. */
function decoded(pieces: readonly string[]): Uint8Array | undefined {
  const parts = attempt(() => pieces.map((piece) => Uint8Array.fromBase64(piece))) ?? []; // none: no base64
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  parts.reduce((at, part) => (bytes.set(part, at), at + part.length), 0);
  return bytes.length > 0 ? bytes : undefined;
}
