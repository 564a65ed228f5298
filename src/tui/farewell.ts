import type { Engine } from "../core/engine.ts";

/** How long what goes on may take to stop when the person leaves, milliseconds. */
const STOP_MS = 3000;

/** Stops what goes on and waits until the session is on the disk; what to tell the person, if it was kept. */
export async function endSession(engine: Engine): Promise<string | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([engine.abort(), new Promise((late) => timer = setTimeout(late, STOP_MS))]);
  clearTimeout(timer);
  engine.store().sync();
  const { sessionFile, sessionId } = engine.state();
  if (sessionFile === undefined || engine.messages().length === 0) return undefined;
  return `The session is saved. sandpiper --resume ${sessionId} goes on`;
}
