import { join } from "@std/path";
import { messageOf } from "../../core/error.ts";
import { formatSize } from "../../core/support/text.ts";

/** A private file with the whole of an output that is too long to show. */
export interface Spill {
  /** Absent when the file could not be made. */
  readonly path?: string;
  /** What is wrong with it, for the model. */
  complaint(): string | undefined;
  write(bytes: Uint8Array): void;
  close(): void;
}

/** Makes the file: a name nobody can guess, so that nothing can lie in wait there, and readable by its owner alone. */
export function openSpill(folder: string, maxBytes: number): Spill {
  const id = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
  const path = join(folder, `bash-${id}.log`);
  let file: Deno.FsFile | undefined;
  let complaint: string | undefined;
  let left = maxBytes;
  try {
    file = Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
  } catch (error) {
    complaint = `The full output could not be stored: ${messageOf(error)}.`;
  }
  const made = file !== undefined;

  function stop(reason?: string): void {
    complaint ??= reason;
    file?.close();
    file = undefined;
  }

  return {
    ...(made ? { path } : {}),
    complaint: () => complaint,
    write(bytes) {
      if (!file) return;
      let rest = bytes.subarray(0, left);
      left -= rest.length;
      try {
        while (rest.length > 0) rest = rest.subarray(file.writeSync(rest));
        if (left === 0) stop(`The file holds only the first ${formatSize(maxBytes)} of the output.`);
      } catch (error) {
        stop(`The file holds only the beginning of the output: ${messageOf(error)}.`);
      }
    },
    close: () => stop(),
  };
}
