// Writes as the user, perhaps as root, where a command could write: so nothing is written through a link, every file is
// made anew under a name that was free, and the caller sees to it that nothing runs which could move folders meanwhile.
import { dirname, join } from "@std/path";
import { temporaryName } from "../../core/support/replace_file.ts";
import { ownerPrefix } from "../system/temporary_folder.ts";
import type { PathState, States } from "./state.ts";

/** Makes a path what it was, `before` holding what was in it; there must be nothing at it. Throws when it was not kept. */
export function restore(path: string, state: PathState, before: States, root: string): void {
  makeFolders(dirname(path), root);
  rebuild(path, state, before);
}

function rebuild(path: string, state: PathState | undefined, before: States): void {
  if (state === undefined) throw new Error("there were too many protected files to keep this one");
  switch (state.kind) {
    case "absent":
      return;
    case "other":
      throw new Error("it was a device, socket or pipe");
    case "link":
      Deno.symlinkSync(state.target, path);
      return;
    case "file":
      if (state.bytes === undefined) throw new Error("it was too large to be kept");
      return writeAnew(path, state.bytes, state);
    case "folder":
      Deno.mkdirSync(path, { mode: 0o700 });
      for (const name of state.names) rebuild(join(path, name), before.get(join(path, name)), before);
      own(path, state);
      Deno.chmodSync(path, state.mode);
  }
}

/** Gives a file or folder its mode back, when that is all that changed. */
export function restoreMode(path: string, state: Exclude<PathState, { readonly kind: "absent" }>): void {
  if (Deno.realPathSync(path) !== path) throw new Error("a link stands there");
  own(path, state);
  Deno.chmodSync(path, state.mode);
}

function writeAnew(
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
  state: Extract<PathState, { readonly kind: "file" }>,
): void {
  const temporary = join(dirname(path), temporaryName(ownerPrefix()));
  // O_EXCL: whatever has the name already, a link for instance, makes this fail.
  Deno.writeFileSync(temporary, bytes, { createNew: true, mode: 0o600 });
  try {
    own(temporary, state);
    Deno.chmodSync(temporary, state.mode);
    Deno.renameSync(temporary, path);
  } catch (error) {
    Deno.removeSync(temporary);
    throw error;
  }
}

/** Only root may give a file away, and only root has to: for others a new file is theirs already. */
function own(path: string, state: { readonly uid: number; readonly gid: number }): void {
  if (Deno.uid() === 0 && (state.uid !== 0 || state.gid !== 0)) Deno.chownSync(path, state.uid, state.gid);
}

/** The folders between `root` and a path's own, real ones; throws where something else stands. */
function makeFolders(folder: string, root: string): void {
  if (folder !== root && folder.startsWith(root === "/" ? "/" : root + "/")) {
    makeFolders(dirname(folder), root);
    try {
      Deno.mkdirSync(folder, { mode: 0o755 });
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
  if (Deno.realPathSync(folder) !== folder || !Deno.lstatSync(folder).isDirectory) {
    throw new Error(`${folder} is no folder any more`);
  }
}
