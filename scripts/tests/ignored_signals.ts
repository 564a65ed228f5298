/** Numbers of signal(7). */
const NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGTERM: 15 } as const;

/** Signals that this process was started with as ignored. Empty where the system does not tell. */
export function ignoredSignals(): ReadonlySet<Deno.Signal> {
  let status = "";
  try {
    status = Deno.readTextFileSync("/proc/self/status");
  } catch {
    // Not Linux.
  }
  const mask = BigInt(`0x${/^SigIgn:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  const names = Object.entries(NUMBERS) as [keyof typeof NUMBERS, number][];
  return new Set(names.flatMap(([name, number]) => (mask >> BigInt(number - 1)) & 1n ? [name] : []));
}
