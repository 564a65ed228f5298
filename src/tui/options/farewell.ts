import { programName } from "../../core/version.ts";
import type { Engine, EngineState } from "../../core/engine.ts";
import { within } from "../../core/support/sleep.ts";
import { shellWord } from "../../core/support/text.ts";

/** Which options a later start needs to reach the model of this one. */
export type ResumeOptions = (model: EngineState["model"]) => readonly string[];

/** How long what goes on may take to stop when the person leaves, milliseconds. */
const STOP_MS = 3000;

/** Stops what goes on and waits until the session is on the disk; what to tell the person, if it was kept. */
export async function endSession(engine: Engine, options: ResumeOptions = () => []): Promise<string | undefined> {
  await within(STOP_MS, engine.abort());
  engine.store().sync();
  const { sessionFile, sessionId, model } = engine.state();
  if (sessionFile === undefined || engine.messages().length === 0) return undefined;
  const words = [programName(), "--resume", sessionId, ...options(model)];
  return `The session is saved. ${words.map(shellWord).join(" ")} goes on`;
}
