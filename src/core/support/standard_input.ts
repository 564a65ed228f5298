// Standard input, also of a terminal that belongs to another user (su, sudo -u): the runtime cannot open that terminal anew by its
// name, so its own reads end at once with EAGAIN while nothing was typed.

/** How long to wait before such a read is made again, milliseconds. */
const AGAIN_MS = 20;

let hadToWait = false;

/** Whether reads ended at once: then others that have the same open file find it non-blocking. */
export function isNonBlocking(): boolean {
  return hadToWait;
}

/** Reads as `Deno.stdin.read` does: the number of bytes, or null at the end. Throws for a terminal that was closed. */
export async function readInput(buffer: Uint8Array<ArrayBuffer>): Promise<number | null> {
  for (;;) {
    try {
      return await Deno.stdin.read(buffer);
    } catch (error) {
      if (!isAgain(error)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** The next line, without its end; undefined at the end of the input and if the terminal was closed. Waits for it. */
export function readLine(): string | undefined {
  const bytes: number[] = [];
  const one = new Uint8Array(1);
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      if (Deno.stdin.readSync(one) === null) return bytes.length === 0 ? undefined : textOf(bytes);
    } catch (error) {
      if (!isAgain(error)) return undefined;
      Atomics.wait(clock, 0, 0, AGAIN_MS);
      continue;
    }
    const [byte = 0] = one;
    if (byte === 10) return textOf(bytes);
    bytes.push(byte);
  }
}

function isAgain(error: unknown): boolean {
  hadToWait ||= error instanceof Deno.errors.WouldBlock;
  return error instanceof Deno.errors.WouldBlock || error instanceof Deno.errors.Interrupted;
}

function textOf(bytes: readonly number[]): string {
  return new TextDecoder().decode(Uint8Array.from(bytes)).replace(/\r$/, "");
}
