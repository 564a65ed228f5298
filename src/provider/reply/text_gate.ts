// A call that a model writes as text must not flash up as text first, so the end of the text that is, or may become, the
// beginning of one is held back until the reply is over.

/** How the notations of the model families begin; bars of DeepSeek's come in four shapes and are folded before. */
const MARKERS = [
  "<tool_call>",
  "<function=",
  "<|tool_calls_section_begin|>",
  "<|tool_call_begin|>",
  "<|tool▁calls▁begin|>",
  "<|tool▁call▁begin|>",
  "<|DSML|",
  "<|channel|>commentary to=",
] as const;

const LONGEST = Math.max(...MARKERS.map((marker) => marker.length));

/** Holds back what may be a call. */
export interface TextGate {
  /** The part of the text that can be shown. */
  push(delta: string): string;
  /** What was held back, in the end. */
  release(): string;
}

/** Where a marker begins, or may begin with more to come; -1 for nowhere. */
function findMarker(text: string): { readonly at: number; readonly isWhole: boolean } {
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at + 1)) {
    // With plain single bars, only to be compared.
    const folded = text.slice(at, at + LONGEST + 8).replace(/[｜‖|]{1,2}/g, "|");
    const isWhole = MARKERS.some((marker) => folded.startsWith(marker));
    const isBegun = at + LONGEST + 8 > text.length && MARKERS.some((marker) => marker.startsWith(folded));
    if (isWhole || isBegun) return { at, isWhole };
  }
  return { at: -1, isWhole: false };
}

/** Whether what follows `text` stands inside a code fence or inside inline code. */
function isInCode(text: string): boolean {
  let fence = "";
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark === undefined) continue;
    if (fence === "") fence = mark;
    else if (mark.startsWith(fence)) fence = "";
  }
  if (fence !== "") return true;
  const line = text.slice(text.lastIndexOf("\n") + 1);
  return (line.match(/`+/g) ?? []).length % 2 === 1;
}

/** A gate for one reply's text; one that is not `active` lets everything through at once. */
export function createTextGate(active: boolean): TextGate {
  let shown = "";
  let held = "";
  let isOpen = false;

  /** Where holding has to begin in `held`; its length where nothing in it may be a call. */
  function start(): number {
    for (let from = 0;;) {
      const found = findMarker(held.slice(from));
      if (found.at < 0) return held.length;
      const at = from + found.at;
      if (!isInCode(shown + held.slice(0, at))) {
        isOpen = found.isWhole;
        return at;
      }
      // Quoted in code: this one is text, the next may not be.
      from = at + 1;
    }
  }

  return {
    push(delta) {
      if (!active || delta === "") return delta;
      if (held === "" && !delta.includes("<")) {
        shown += delta;
        return delta;
      }
      held += delta;
      if (isOpen) return "";
      const at = start();
      const free = held.slice(0, at);
      held = held.slice(at);
      shown += free;
      return free;
    },
    release() {
      const rest = held;
      held = "";
      return rest;
    },
  };
}
