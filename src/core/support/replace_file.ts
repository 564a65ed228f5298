import { basename, dirname, join } from "@std/path";
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

// A file is written under a name of its own first and then takes its place. In directories that tools can write such names say
// which process owns them, so that a later start can remove what a killed one left.

/** A name that no file has. `owner`: the prefix that names the program and the process; see `ownerPrefix`. */
export function temporaryName(owner: string): string {
  return `.${owner}${crypto.randomUUID()}.tmp`;
}

/** The prefix of the owner in the path of a session's temporary folder. */
export function ownerPrefixIn(folder: string): string {
  return /^sandpiper-(?:\d+-){3}/.exec(basename(folder))?.[0] ?? "sandpiper-";
}

/** The prefix of the owner in a name of `temporaryName`; undefined for any other name. */
export function ownerOfTemporary(name: string): string | undefined {
  return /^\.(sandpiper-(?:\d+-){3})[0-9a-f]{8}-[0-9a-f-]{27}\.tmp$/.exec(name)?.[1];
}
