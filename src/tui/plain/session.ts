import type { Pick, SessionShelf } from "../commands/command.ts";
import { chooseSession } from "../commands/resume.ts";
import { plainPick } from "./pick.ts";

/**
 * Lets the person choose a session by lines, before one is open; the exit code instead when they leave. `ask` gives the next
 * line that they write. Throws UserError where there is none.
 */
export async function plainSession(
  shelf: SessionShelf,
  print: (text: string) => void,
  ask: () => string,
): Promise<string | number> {
  const pick: Pick = (title, choices, options = {}) =>
    plainPick(title, choices, options, print, (take) => queueMicrotask(() => take(ask())));
  return await chooseSession(shelf, pick, print) ?? 0;
}
