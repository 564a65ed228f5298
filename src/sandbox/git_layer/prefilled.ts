// A layer over files of other owners or groups, as a shared repository has them. overlayfs copies a file or directory before a
// command changes it, and cannot where a namespace of the user's does not know its owner. So directories, and files that git
// changes in place, are in such a layer from the start, as the user's own.
import { Buffer } from "node:buffer";
import { join } from "@std/path";
import { disk } from "../system/disk.ts";
import { statusOf } from "../system/statx.ts";
import { bytesAt } from "./real_files.ts";

/** Past these a repository has no layer. */
const MOST = { names: 20_000, bytes: 16 * 1024 * 1024, fileBytes: 4 * 1024 * 1024 };
/** git writes these anew, or only reads them; of objects only directories change. */
const LEFT = /^(?:index|packed-refs|hooks\/.*|objects\/.*|refs\/.*)$/;

/** What a layer begins with. */
export interface Prefill {
  /** Directories, outer before inner. */
  readonly directories: readonly string[];
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** The same as long as all of it is. */
  readonly stamp: string;
}

/** What a layer over a repository's directory begins with; undefined for too much. */
export function prefillOf(folder: string): Prefill | undefined {
  const directories: string[] = [];
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const stamps: string[] = [];
  let [names, total] = [0, 0];
  const look = (path: string): boolean =>
    (disk.listFolder(join(folder, path)) ?? []).every((name) => {
      const inner = path === "" ? name : `${path}/${name}`;
      // Its files are neither copied nor looked at.
      if (/^objects\/(?:pack|info)\/|^objects\/[0-9a-f]{2}\//.test(inner)) return true;
      const status = statusOf(join(folder, inner));
      if (++names > MOST.names) return false;
      if (status?.kind === "folder") {
        directories.push(inner);
        return look(inner);
      }
      if (status?.kind !== "file" || LEFT.test(inner)) return true;
      const bytes = status.size > MOST.fileBytes ? undefined : bytesAt(join(folder, inner), MOST.fileBytes);
      if (bytes === undefined) return statusOf(join(folder, inner)) === undefined;
      files.set(inner, bytes);
      stamps.push(`${inner} ${status.stamp}`);
      return (total += bytes.length) <= MOST.bytes;
    });
  return look("") ? { directories, files, stamp: [...directories, ...stamps].join("\n") } : undefined;
}

/** Puts it into an empty layer. */
export function writePrefill(upper: string, { directories, files }: Prefill): void {
  for (const path of directories) Deno.mkdirSync(join(upper, path), { mode: 0o700 });
  for (const [path, bytes] of files) Deno.writeFileSync(join(upper, path), bytes);
}

/** The paths of files that a command left as they were. */
export function untouched(upper: string, { files }: Prefill): string[] {
  return [...files].flatMap(([path, bytes]) => {
    const now = bytesAt(join(upper, path), MOST.fileBytes);
    return now !== undefined && Buffer.compare(now, bytes) === 0 ? [path] : [];
  });
}
