/** Waits for all promises, and then rejects with the reason of the first one in the list that was rejected. */
export async function allSettled(promises: Iterable<Promise<unknown> | undefined>): Promise<void> {
  for (const result of await Promise.allSettled(promises)) {
    if (result.status === "rejected") throw result.reason;
  }
}

/**
 * Disposes the resources of a stack in reverse order, each of them even if another one fails. Rejects with the first
 * failure, after all are disposed.
 */
export async function disposeAll(resources: AsyncDisposableStack): Promise<void> {
  try {
    await resources.disposeAsync();
  } catch (error) {
    let first: unknown = error;
    while (first instanceof SuppressedError) first = first.suppressed;
    throw first;
  }
}
