/** What listens to signals, as `Deno` has it. */
export type SignalListening = Pick<typeof Deno, "addSignalListener" | "removeSignalListener">;

/** Signals of Windows: of a console alone. To listen to another one throws there. */
const OF_WINDOWS: readonly Deno.Signal[] = ["SIGINT", "SIGBREAK", "SIGHUP"];

/** Calls a handler for each of these signals that the system has; the returned function takes all of them back. */
export function listenToSignals(
  handlers: readonly (readonly [name: Deno.Signal, handler: () => void])[],
  os: typeof Deno.build.os = Deno.build.os,
  { addSignalListener, removeSignalListener }: SignalListening = Deno,
): () => void {
  const heard = handlers.filter(([name]) => os !== "windows" || OF_WINDOWS.includes(name));
  for (const [name, handler] of heard) addSignalListener(name, handler);
  return () => {
    for (const [name, handler] of heard) removeSignalListener(name, handler);
  };
}
