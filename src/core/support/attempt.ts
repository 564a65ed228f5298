/** The value of `work`; undefined where it throws: for what is as good as absent where it cannot be had. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
