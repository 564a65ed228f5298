/** Longest wait, milliseconds: no machine is so busy that it needs it, and a test that fails may take it. */
const LIMIT_MS = 30_000;

/** Waits until something is so; throws when it never is. `what` joins the failure, made when it happens. */
export async function until(claim: () => boolean | Promise<boolean>, what: () => string = () => ""): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!await claim()) {
    if (performance.now() > deadline) throw new Error(`waited in vain ${what()}`.trimEnd());
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
