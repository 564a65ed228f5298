// Copies what lies below one folder to another. Nothing is shared with the original but what the file system itself shares and
// separates again at the first write: no hard links, and no link that leads into the original.
import { below, KIND, lengthIn, modeIn, nameIn, recordsIn, statusIn, type Tree } from "../core/support/tree.ts";

/** What copying needs of the system; see `copyFile` of the sandbox's trees. */
export type CopyFile = (
  from: Tree,
  to: Tree,
  path: string,
  mayClone: boolean,
) => "cloned" | "copied" | "unreadable";

/** How one tree is copied. */
export interface CopyParts {
  readonly from: Tree;
  readonly to: Tree;
  readonly copyFile: CopyFile;
  /** Whether a path is copied; a folder that is not is not looked into. */
  readonly takes: (path: string, name: string) => boolean;
  /** What a link holds in the copy; byte strings. */
  readonly linkTo: (path: string, target: string) => string;
  readonly limits: { readonly entries: number; readonly bytes: number };
  /** Lets others run from time to time. */
  readonly pause: () => Promise<void>;
}

/** What was copied. */
export interface Copied {
  files: number;
  bytes: number;
  cloned: number;
  /** Paths that are missing in the copy, and why. */
  readonly missing: { readonly path: string; readonly why: string }[];
}

/** More than may be copied. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

/** Copies a tree into an empty folder. Throws `TooLarge`, and an `Error` for what cannot be written. */
export async function copyTree({ from, to, copyFile, takes, linkTo, limits, pause }: CopyParts): Promise<Copied> {
  const copied: Copied = { files: 0, bytes: 0, cloned: 0, missing: [] };
  const modes: { readonly path: string; readonly mode: number }[] = [];
  const folders = [""];
  let mayClone = true;
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const records = recordsIn(from, folder);
    if (records === undefined) {
      copied.missing.push({ path: folder, why: "it may not be read" });
      continue;
    }
    for (let at = 0; at < records.length; at += lengthIn(records.bytes, at)) {
      const name = nameIn(records.bytes, at);
      const path = below(folder, name);
      if (!takes(path, name)) continue;
      if (++entries > limits.entries) throw new TooLarge(`it has more than ${limits.entries} files`);
      const [kind, mode] = [modeIn(records.bytes, at) >> 12, modeIn(records.bytes, at) & 0o777];
      if (kind === KIND.folder) {
        to.makeFolder(path, 0o700);
        modes.push({ path, mode });
        folders.push(path);
      } else if (kind === KIND.link) {
        const target = from.readLink(path);
        if (target === undefined) copied.missing.push({ path, why: "it may not be read" });
        else {
          to.putLink(path, linkTo(path, target));
          copied.files++;
        }
      } else if (kind === KIND.file) {
        const { size } = statusIn(records, at);
        if (copied.bytes + size > limits.bytes) throw new TooLarge(`its files have more than ${limits.bytes} bytes`);
        const how = copyFile(from, to, path, mayClone);
        if (how === "unreadable") copied.missing.push({ path, why: "it may not be read" });
        else {
          copied.files++;
          copied.bytes += size;
          if (how === "cloned") copied.cloned++;
          // One that is shared with nobody says that the file systems share nothing; an empty one says it of neither.
          else if (copied.cloned === 0 && size > 0) mayClone = false;
        }
      } else if (!path.split("/").includes(".git")) {
        copied.missing.push({ path, why: "it is a device, socket or pipe" });
      }
      await pause();
    }
  }
  // Inner ones first: a folder that may not be written takes no more names.
  for (const { path, mode } of modes.reverse()) to.setMode(path, mode);
  return copied;
}
