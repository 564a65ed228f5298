// What is known of a repository that the host made: what a command changed in it is told by the status of each file, of which
// the kernel alone sets the time of change.
import { dirname, join } from "@std/path";
import { statusOf } from "../system/statx.ts";
import { bytesAt } from "./real_files.ts";

/** A repository's folder as it was at one moment. */
export interface RepositoryPicture {
  /** Device and inode of the folder. */
  readonly identity: string;
  /** Each file by its path there. */
  readonly files: ReadonlyMap<string, PicturedFile>;
  readonly folders: ReadonlyMap<string, string>;
  /** Whether the folder is as it was; of loose objects it is asked whether some were added or removed. */
  isStill(): boolean;
  /** The files but for objects that are not in a folder. */
  lostIn(folder: string): string[];
  /** The same of a folder that was moved. */
  at(path: string): RepositoryPicture;
}

/** A file; `bytes` of all but objects. */
export interface PicturedFile {
  readonly stamp: string;
  readonly mode: number;
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
}

/** What is kept in memory of one repository; one with more is taken for the user's own. */
const MOST = { files: 20_000, bytes: 16 * 1024 * 1024 };
const LOOSE = /^objects\/[0-9a-f]{2}\//;
const OBJECT = /^objects\/(?:[0-9a-f]{2}|pack)\//;

/** The picture of a folder of the user's own; undefined where there is too much of it, or something that is neither file nor folder. */
export function pictureOf(path: string, known?: RepositoryPicture): RepositoryPicture | undefined {
  const identity = statusOf(path)?.identity;
  const files = new Map<string, PicturedFile>();
  const folders = new Map<string, string>();
  let left = MOST.bytes;
  const stack = [""];
  for (let folder = stack.pop(); folder !== undefined; folder = stack.pop()) {
    const status = statusOf(join(path, folder));
    if (status?.kind !== "folder") return undefined;
    folders.set(folder, status.stamp);
    for (const { name } of Deno.readDirSync(join(path, folder))) {
      const inner = join(folder, name);
      const { kind, stamp, mode = 0 } = statusOf(join(path, inner)) ?? {};
      if (kind === "folder") {
        stack.push(inner);
        continue;
      }
      if (kind !== "file" || stamp === undefined || files.size >= MOST.files) return undefined;
      const isObject = OBJECT.test(inner);
      const was = known?.files.get(inner);
      const bytes = isObject ? undefined : was?.stamp === stamp ? was.bytes : bytesAt(join(path, inner), left);
      if (!isObject && bytes === undefined) return undefined;
      left -= bytes?.length ?? 0;
      files.set(inner, { stamp, mode, bytes });
    }
  }
  return identity === undefined || left < 0 ? undefined : pictureWith(path, identity, files, folders);
}

function pictureWith(
  path: string,
  identity: string,
  files: ReadonlyMap<string, PicturedFile>,
  folders: ReadonlyMap<string, string>,
): RepositoryPicture {
  const watched = [...folders].concat(
    [...files].filter(([name]) => !LOOSE.test(name)).map(([name, { stamp }]) => [name, stamp]),
  );
  return {
    identity,
    files,
    folders,
    isStill: () => watched.every(([name, stamp]) => statusOf(join(path, name))?.stamp === stamp),
    lostIn: (folder) =>
      [...files].flatMap(([name, { bytes }]) =>
        bytes !== undefined && statusOf(join(folder, name)) === undefined ? [name] : []
      ),
    at: (other) => pictureWith(other, identity, files, folders),
  };
}

/** Makes a folder what a picture says, moving what is still so out of another; whether no object is missing then. */
export function putBack(picture: RepositoryPicture, from: string, to: string): boolean {
  let isIntact = true;
  for (const [name, { stamp, mode, bytes }] of picture.files) {
    const isSame = statusOf(join(from, name))?.stamp === stamp;
    if (!isSame && bytes === undefined) {
      isIntact = false;
      continue;
    }
    Deno.mkdirSync(dirname(join(to, name)), { recursive: true });
    if (isSame) Deno.renameSync(join(from, name), join(to, name));
    else if (bytes !== undefined) Deno.writeFileSync(join(to, name), bytes, { mode });
  }
  return isIntact;
}
