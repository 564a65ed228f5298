const OPENERS = ["<think>", "<thinking>", "<thought>"] as const;

/** What a piece of content turned out to be. */
export interface Split {
  readonly thinking: string;
  readonly text: string;
}

/** Separates reasoning that a server left inside the content. */
export interface ThinkSplitter {
  push(delta: string): Split;
  /** Releases what was held back. `complete`: the reply came to its end, so a tag that is still open was only text. */
  finish(complete: boolean): Split & { readonly isUnclosed: boolean };
}

/** The longest end of `text` that could become `tag` with more to come. */
function tailThatMayBecome(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (tag.startsWith(text.slice(text.length - length))) return length;
  }
  return 0;
}

/** A splitter for one reply: an opening tag counts only at its very start, tags may be cut anywhere. */
export function createThinkSplitter(): ThinkSplitter {
  let state: "start" | "thinking" | "afterThinking" | "text" = "start";
  let held = "";
  let closer = "";
  let raw = "";

  function pushStart(): Split {
    const lead = held.trimStart();
    const opener = OPENERS.find((tag) => lead.startsWith(tag));
    if (opener !== undefined) {
      state = "thinking";
      closer = `</${opener.slice(1)}`;
      raw = held;
      held = lead.slice(opener.length);
      return pushThinking();
    }
    if (lead === "" || OPENERS.some((tag) => tag.startsWith(lead))) return { thinking: "", text: "" };
    state = "text";
    return release();
  }

  function pushThinking(): Split {
    const end = held.indexOf(closer);
    if (end >= 0) {
      const thinking = held.slice(0, end);
      held = held.slice(end + closer.length);
      state = "afterThinking";
      return { thinking, text: pushAfter() };
    }
    const keep = tailThatMayBecome(held, closer);
    const thinking = held.slice(0, held.length - keep);
    held = held.slice(held.length - keep);
    return { thinking, text: "" };
  }

  function pushAfter(): string {
    const text = held.trimStart();
    held = "";
    if (text !== "") state = "text";
    return text;
  }

  function release(): Split {
    const text = held;
    held = "";
    return { thinking: "", text };
  }

  return {
    push(delta) {
      if (state === "text") return { thinking: "", text: delta };
      held += delta;
      if (state === "start") return pushStart();
      if (state === "afterThinking") return { thinking: "", text: pushAfter() };
      raw += delta;
      return pushThinking();
    },
    finish(complete) {
      if (state === "thinking") {
        if (complete) return { thinking: "", text: raw, isUnclosed: true };
        const thinking = held;
        held = "";
        return { thinking, text: "", isUnclosed: false };
      }
      return { ...release(), isUnclosed: false };
    },
  };
}
