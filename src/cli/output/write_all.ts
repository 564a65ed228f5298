/** Writes all of a text; a reader that has gone away is not an error of ours. */
export function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): boolean {
  let bytes = new TextEncoder().encode(text);
  try {
    while (bytes.length > 0) bytes = bytes.subarray(stream.writeSync(bytes));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) return false;
    throw error;
  }
}
