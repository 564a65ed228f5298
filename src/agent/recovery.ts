import { takeCharacters } from "../core/support/text.ts";

/** Failed calls without a success in between after which the model is told to stop trying (R253). */
const BUDGETS = { signature: 3, tool: 16, episode: 32 } as const;

/** Of an error text; the model has the whole of it in the tool result. */
const FACT_CHARS = 400;

/** Watches failed calls and says what the next round's prompt should tell the model about them. */
export interface Recovery {
  failed(tool: string, errorText: string): void;
  succeeded(): void;
  /** The instruction for the next round; none after a success (R252). */
  instruction(): string | undefined;
}

/** A recovery without any failure yet. */
export function createRecovery(): Recovery {
  let counts = new Map<string, number>();
  let last: { readonly tool: string; readonly fact: string; readonly attempt: number } | undefined;
  let isExhausted = false;
  const count = (key: string): number => {
    const next = (counts.get(key) ?? 0) + 1;
    counts.set(key, next);
    return next;
  };
  return {
    failed(tool, errorText) {
      const attempt = count(JSON.stringify([tool, errorText]));
      isExhausted ||= attempt >= BUDGETS.signature;
      if (count(tool) >= BUDGETS.tool) isExhausted = true;
      if (count("") >= BUDGETS.episode) isExhausted = true;
      last = { tool, fact: takeCharacters(errorText.trim(), FACT_CHARS), attempt };
    },
    succeeded() {
      counts = new Map();
      last = undefined;
      isExhausted = false;
    },
    instruction() {
      if (!last) return undefined;
      const facts = `Tool: ${last.tool}\nError: ${last.fact}`;
      if (isExhausted) {
        return `The attempts to recover are used up. Do not call more tools. Summarise what failed and why, and what is left to do.\n${facts}`;
      }
      return "The last tool call failed. That is not a final answer: find the cause, make a corrected call, " +
        "or explain why no other attempt makes sense.\n" +
        `${facts}\nAttempt: ${last.attempt} of ${BUDGETS.signature} with this error`;
    },
  };
}
