import { messageOf, UserError } from "../../core/error.ts";
import type { NamedFiles } from "../../core/named_files.ts";
import { attempt } from "../../core/support/attempt.ts";

/** Units of text that are written at once: a piece for each entry would be a write for each. */
const BATCH_UNITS = 1024 * 1024;

/** Pieces put together, so that each but the last is about a megabyte. */
export function* batched(pieces: Iterable<string>): Generator<string> {
  let batch: string[] = [];
  let units = 0;
  for (const piece of pieces) {
    batch.push(piece);
    units += piece.length;
    if (units < BATCH_UNITS) continue;
    yield batch.join("");
    batch = [];
    units = 0;
  }
  if (units > 0) yield batch.join("");
}

/**
 * Writes a file that did not exist, for the user's eyes only: a conversation may hold anything.
 *
 * Throws `UserError` when something has that name, and when it cannot be written; then it is removed again.
 *
 * @param path Absolute, as the user named it.
 */
export function writeNew(files: NamedFiles, path: string, pieces: Iterable<string>): void {
  // Throws an error that names the target if a link leads out of the workspace.
  files.find(path, { access: "write", typed: true });
  // Any other link counts as a file of that name.
  const place = files.find(path, { access: "write", typed: true, follow: false });
  let file: Deno.FsFile;
  try {
    file = files.create(place, 0o600);
  } catch (error) {
    throw failure(path, error);
  }
  try {
    const encoder = new TextEncoder();
    for (const text of batched(pieces)) {
      for (let bytes = encoder.encode(text); bytes.length > 0;) bytes = bytes.subarray(file.writeSync(bytes));
    }
    file.syncDataSync();
  } catch (error) {
    attempt(() => files.remove(place)); // Its directory can be another one by now.
    throw failure(path, error);
  } finally {
    file.close();
  }
}

function failure(path: string, error: unknown): UserError {
  const what = `Cannot write "${path}"`;
  if (error instanceof Deno.errors.AlreadyExists) {
    return new UserError({ what, why: "there is something of that name", fix: "Choose another name, or remove it" });
  }
  if (error instanceof Deno.errors.NotFound) {
    return new UserError({ what, why: "its folder does not exist", fix: "Make the folder, or choose another one" });
  }
  const fix = "Choose another place, or leave --output out and send the output where you want it";
  return new UserError({ what, why: messageOf(error), fix }, { cause: error });
}
