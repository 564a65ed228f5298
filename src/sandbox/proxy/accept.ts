/** How long a listener pauses after a failure that is its own, as when the process has no descriptor left; milliseconds. */
const PAUSE_MS = 50;

/**
 * Hands every connection to `take` until the listener is closed, and resolves then.
 *
 * A listener's own iterator ends at the first connection that cannot be accepted, and any client can make one: it connects
 * and resets at once (ENOTCONN, ECONNABORTED in accept(2)). That connection alone is lost here.
 */
export async function acceptEach<A extends Deno.Addr>(
  listener: Deno.Listener<Deno.Conn<A>, A>,
  take: (conn: Deno.Conn<A>) => void,
): Promise<void> {
  for (;;) {
    let conn: Deno.Conn<A>;
    try {
      conn = await listener.accept();
    } catch (error) {
      if (error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted) return;
      const isClients = error instanceof Deno.errors.NotConnected || error instanceof Deno.errors.ConnectionAborted ||
        error instanceof Deno.errors.ConnectionReset;
      if (!isClients) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      continue;
    }
    take(conn);
  }
}
