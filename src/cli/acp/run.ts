import { ndJsonStream } from "@agentclientprotocol/sdk";
import type { Invocation } from "../parse.ts";
import { warner } from "../report.ts";
import { watchReader } from "../rpc/reader_gone.ts";
import { watchSignals } from "../signals.ts";
import { readWorld } from "../world.ts";
import { acpAgent } from "./agent.ts";
import { inTurn } from "./in_turn.ts";
import { createSessions } from "./sessions.ts";

/** Longest message that is taken, bytes: a prompt with a few pictures. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/**
 * `sandpiper acp`: serves the Agent Client Protocol over standard input and output until the client is gone. Returns the
 * exit code: 0, or that of the signal that ended it. Nothing is left running.
 */
export async function acpCommand(invocation: Invocation): Promise<number> {
  keepOutputClean();
  const warn = warner(invocation);
  const watch = watchSignals();
  const sessions = createSessions(invocation, readWorld(), warn);
  const pipes = ndJsonStream(Deno.stdout.writable, Deno.stdin.readable, { maxMessageBytes: MAX_MESSAGE_BYTES });
  const connection = acpAgent(sessions).connect(inTurn(pipes, sessions.cancelAll));
  const leave = (): void => connection.close();
  const stopLooking = watchReader(1, leave);
  watch.signal.addEventListener("abort", leave);
  if (watch.signal.aborted) leave();
  try {
    await connection.closed;
  } finally {
    stopLooking();
    await sessions.closeAll();
    watch.stop();
  }
  return watch.exitCode() ?? 0;
}

/** Only messages of the protocol may stand on standard output: what a library writes there goes to the other one (X24). */
function keepOutputClean(): void {
  for (const name of ["log", "info", "debug"] as const) console[name] = console.error;
}
