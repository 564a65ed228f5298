import { attempt } from "../../core/support/attempt.ts";
import { within } from "../../core/support/sleep.ts";

const BLOCK = 65_536;
/** What a client may go on sending after it was answered. */
const LINGER_BYTES = 1_048_576;
const LINGER_MS = 1_000;

/** Writes all of it. */
export async function writeAll(to: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await to.write(bytes.subarray(at));
}

/** Closes what may be closed already. */
export function closeQuietly(resource: { close(): void }): void {
  attempt(() => resource.close()); // It is closed.
}

/** Carries bytes both ways until both ends are done, an end counting for its own direction alone; closes both. */
export async function relay(a: Deno.Conn, b: Deno.Conn, active: () => void): Promise<void> {
  const ways = [carry(a, b, active), carry(b, a, active)];
  try {
    await Promise.all(ways);
  } finally {
    closeQuietly(a);
    closeQuietly(b);
    await Promise.allSettled(ways);
  }
}

/** Carries bytes one way and then says that no more will come. */
export async function carry(from: Deno.Conn, to: Deno.Conn, active: () => void): Promise<void> {
  const buffer = new Uint8Array(BLOCK);
  for (;;) {
    const count = await from.read(buffer);
    active();
    if (count === null) break;
    await writeAll(to, buffer.subarray(0, count));
    active();
  }
  await to.closeWrite();
}

/** Takes what a client still sends, for a while: closing on unread bytes would take the answer from it. */
export async function linger(client: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(BLOCK);
  const end = (async () => {
    for (let taken = 0; taken < LINGER_BYTES;) {
      const count = await client.read(buffer).catch(() => null);
      if (count === null) return;
      taken += count;
    }
  })();
  await within(LINGER_MS, end);
}
