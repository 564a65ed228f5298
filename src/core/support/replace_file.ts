import { dirname, join } from "@std/path";
import { attempt } from "./attempt.ts";

/**
 * Puts a text at a real path in one step and onto the disk: a reader sees the old content or the new. An old file's mode
 * stays, a new file is the user's alone (0600); `"private"`: the old one becomes so, too. Throws what the disk throws.
 */
export function replaceFile(
  real: string,
  text: string | Uint8Array,
  access: "private" | "as before" = "as before",
): void {
  const temporary = join(dirname(real), `.${crypto.randomUUID()}.tmp`);
  const mode = (access === "private" ? undefined : modeOf(real)) ?? 0o600;
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  try {
    {
      using file = Deno.openSync(temporary, { write: true, createNew: true, mode: 0o600 });
      for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
      file.syncSync();
    }
    if (mode !== 0o600) Deno.chmodSync(temporary, mode);
    Deno.renameSync(temporary, real);
  } catch (error) {
    attempt(() => Deno.removeSync(temporary)); // It was never made, or it is the old name already.
    throw error;
  }
}

function modeOf(path: string): number | undefined {
  try {
    const { mode } = Deno.statSync(path);
    return mode === null ? undefined : mode & 0o777;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
