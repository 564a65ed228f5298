import { stripControls } from "../../core/text.ts";
import { textResult, type ToolResult } from "../../core/tool.ts";
import { claimIn, claimsIn, withDenial } from "../denial/claim.ts";

/** Shortest time between two partial results, milliseconds; the newest wins. */
const UPDATE_MS = 50;

/** A call whose result is still to come. Both take untrusted text and take control sequences out of it. */
export interface PendingCall {
  /** Shows partial output, a few times a second at most. */
  readonly update: (text: string) => void;
  /** Ends the call; only the first time counts, and no update follows. */
  readonly settle: (result: ToolResult) => void;
}

/** Watches over one call: updates are throttled, and it settles once. */
export function pendingCall(
  onUpdate: (partial: ToolResult) => void,
  onSettled: (result: ToolResult) => void,
): PendingCall {
  let settled = false;
  let newest: string | undefined;
  let pause: ReturnType<typeof setTimeout> | undefined;

  const flush = (): void => {
    pause = undefined;
    if (newest === undefined) return;
    const text = stripControls(newest);
    newest = undefined;
    pause = setTimeout(flush, UPDATE_MS);
    onUpdate(textResult(text));
  };

  return {
    update: (text) => {
      if (settled) return;
      newest = text;
      if (pause === undefined) flush();
    },
    settle: (result) => {
      if (settled) return;
      settled = true;
      clearTimeout(pause);
      const content = result.content.map((part) =>
        part.type === "text" ? { ...part, text: stripControls(part.text) } : part
      );
      onSettled(withDenial({ ...result, content }, claimIn(result.details), claimsIn(result.details)));
    },
  };
}
