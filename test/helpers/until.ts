/** Longest wait, milliseconds: no machine is so busy that it needs it, and a test that fails may take it. */
const LIMIT_MS = 30_000;

/** Waits until something is so; throws when it never is. `what` joins the failure, made when it happens. */
export async function until(claim: () => boolean | Promise<boolean>, what: () => string = () => ""): Promise<void> {
  const began = performance.now();
  while (!await claim()) {
    const waited = performance.now() - began;
    if (waited > LIMIT_MS) throw new Error(`waited in vain ${what()}`.trimEnd());
    // Looking takes time, too, of which a busy machine has none to spare: what takes long is looked at less often.
    await new Promise((resolve) => setTimeout(resolve, Math.min(100, 5 + waited / 20)));
  }
}
