import { stripAllButOverwrites, stripControls } from "../../core/support/text.ts";

/** Longest unfinished control sequence that is waited for, characters; a longer one is no such sequence. */
const MAX_HELD = 4_096;

/** Any character that can begin a sequence. */
// deno-lint-ignore no-control-regex -- control characters are what this file is about
const INTRODUCER = /[\x1b\x90\x98\x9b\x9d-\x9f]/;

/**
 * A sequence, whole (a group matched) or cut off by the end of the text (none did): 1 strings with payload, 2 CSI, 3 others.
 * The same grammar as `stripControls` has.
 */
const SEQUENCE = new RegExp(
  [
    "(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x07\\x1b]*(?:(\\x07|\\x1b\\\\)|\\x1b?$)?",
    "(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*([@-~])?",
    "\\x1b[ -/]*([0-~])?",
  ].join("|"),
  "g",
);

/** Strips control sequences from text that arrives in pieces: the same result as `stripControls` of the whole. */
export interface StripStream {
  push(text: string): string;
  /** What was held back for a continuation that did not come. */
  end(): string;
  /** Whether nothing is held back. */
  idle(): boolean;
}

/** A stripper for one stream; `overwrites`: with what `stripAllButOverwrites` leaves. */
export function stripStream({ overwrites = false }: { readonly overwrites?: boolean } = {}): StripStream {
  const strip = overwrites ? stripAllButOverwrites : stripControls;
  let held = "";
  let carriageReturn = "";
  return {
    push(text) {
      let fresh = carriageReturn + text;
      carriageReturn = fresh.endsWith("\r") ? "\r" : "";
      if (carriageReturn) fresh = fresh.slice(0, -1);
      const pending = held + (overwrites ? fresh.replaceAll("\r\n", "\n") : fresh.replace(/\r\n?/g, "\n"));
      const cut = unfinishedAt(pending);
      held = withoutPayload(pending.slice(cut));
      if (held.length <= MAX_HELD) return strip(pending.slice(0, cut));
      held = "";
      return strip(pending);
    },
    end() {
      const rest = strip(held + carriageReturn);
      held = carriageReturn = "";
      return rest;
    },
    idle: () => held === "" && carriageReturn === "",
  };
}

/** Where a sequence begins that the end of the text cuts off; the text's length when none does. */
function unfinishedAt(text: string): number {
  if (!INTRODUCER.test(text)) return text.length;
  SEQUENCE.lastIndex = 0;
  for (;;) {
    const match = SEQUENCE.exec(text);
    if (match === null) return text.length;
    const whole = match[1] ?? match[2] ?? match[3];
    if (whole === undefined && match.index + match[0].length === text.length) return match.index;
  }
}

/** A string's payload says nothing about where it ends, and a picture sent this way may be megabytes. */
function withoutPayload(text: string): string {
  // deno-lint-ignore no-control-regex -- the beginning and the end of a string sequence
  return text.replace(/^(\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b]*/, "$1");
}
