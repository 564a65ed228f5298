import { entryLine } from "./entry_shape.ts";
import { newHeader, sessionPath, type StoreOptions } from "./store.ts";
import { copyFailure, createSessionFile } from "./session_file.ts";
import { loadSession } from "./load.ts";

/**
 * Copies a session file, of this program or of pi in any format, into `folder` and tells where it is now.
 *
 * All branches come along; the original is only read. `cwd` is the new session's workspace, that of the original when
 * left out. Throws `UserError` when the file is no session and when the copy cannot be written.
 */
export function importSession(
  path: string,
  folder: string,
  options: Pick<StoreOptions, "now" | "random" | "files" | "onNotice"> & { readonly cwd?: string },
): string {
  const { header, entries, notices } = loadSession(path);
  for (const notice of notices) options.onNotice?.(notice);
  const parentSession = Deno.realPathSync(path);
  const imported = newHeader({ cwd: options.cwd ?? header.cwd, parentSession }, options);
  const to = sessionPath(folder, imported);
  try {
    createSessionFile(to, [JSON.stringify(imported), ...entries.map(entryLine)], {
      now: options.now(),
      files: options.files,
    }).close();
  } catch (error) {
    throw copyFailure(error, folder);
  }
  return to;
}
