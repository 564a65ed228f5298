/** The value of `work`; undefined where it throws: for what is as good as absent where it cannot be had. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The value of `work`; undefined where what it needs is not there. Whatever else it throws is thrown. */
export function ifThere<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
