import { attempt } from "./attempt.ts";

/** What listens to signals, as `Deno` has it. */
export type SignalListening = Pick<typeof Deno, "addSignalListener" | "removeSignalListener">;

/** Signals of Windows: of a console alone. To listen to another one throws there. */
const OF_WINDOWS: readonly Deno.Signal[] = ["SIGINT", "SIGBREAK", "SIGHUP"];

/** Exit codes of the signals that end the program in good order: 128 + the signal's number. */
export const END_SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGQUIT: 131 } as const;

const ENDS = Object.entries(END_SIGNALS) as [keyof typeof END_SIGNALS, number][]; // keys of the table above

/**
 * Calls back with each signal of `END_SIGNALS`, and its exit code; the returned function takes that back. One that was ignored at
 * the start stays ignored: `nohup` does that with SIGHUP, a shell without job control with SIGINT and SIGQUIT of a command in
 * the background (`command &`). SIGHUP counts as the first signal alone: a closed terminal sends it more than once, from the kernel
 * and from the shell that ends with it, and the program may have seen the end of its input before. `isEnding`: the program is
 * ending already.
 */
export function listenToEnds(
  callback: (exitCode: number, name: keyof typeof END_SIGNALS) => void,
  { isEnding = false } = {},
): () => void {
  let hasCome = isEnding;
  const heard = ENDS.filter(([, exitCode]) => !isIgnored(exitCode));
  return listenToSignals(heard.map(([name, exitCode]) => [name, () => {
    if (hasCome && name === "SIGHUP") return;
    hasCome = true;
    callback(exitCode, name);
  }]));
}

let ignored: bigint | undefined;

function isIgnored(exitCode: number): boolean {
  // The mask of the signals that are ignored, bit N - 1 for signal N. Read once, since listening changes it.
  ignored ??= ignoredNow();
  return (ignored & (1n << BigInt(exitCode - 129))) !== 0n;
}

function ignoredNow(): bigint {
  const status = Deno.build.os === "linux" ? attempt(() => Deno.readTextFileSync("/proc/self/status")) : undefined;
  const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(status ?? "")?.[1];
  return mask === undefined ? 0n : BigInt(`0x${mask}`);
}

let isKept = false;

/**
 * With the first listener of any signal the runtime takes over SIGHUP, SIGINT and SIGTERM, and ends the program with those that have
 * no listener. So those that were ignored get one that does nothing; it is never taken back.
 */
function keepIgnored(): void {
  if (isKept) return;
  isKept = true;
  for (const [name, exitCode] of ENDS) if (isIgnored(exitCode)) Deno.addSignalListener(name, () => {});
}

/** Calls a handler for each of these signals that the system has; the returned function takes all of them back. */
export function listenToSignals(
  handlers: readonly (readonly [name: Deno.Signal, handler: () => void])[],
  os: typeof Deno.build.os = Deno.build.os,
  { addSignalListener, removeSignalListener }: SignalListening = Deno,
): () => void {
  if (os === Deno.build.os) keepIgnored();
  const heard = handlers.filter(([name]) => os !== "windows" || OF_WINDOWS.includes(name));
  for (const [name, handler] of heard) addSignalListener(name, handler);
  return () => {
    for (const [name, handler] of heard) removeSignalListener(name, handler);
  };
}
