// What commands changed in a private layer (overlayfs(5), with attributes in the user's name space). Everything in it is a
// command's doing: names, kinds, modes and sizes. A file may still change, where another command has it open.
import { entryAt } from "../../core/support/on_disk.ts";
import { cString, systemCall } from "../system/ffi.ts";
import { openPause } from "./limit.ts";

/** What stands at a place of the layer. `gone`: removed there; `opaque`: a folder that hides the one below it. */
export type UpperKind = "file" | "gone" | "folder" | "opaque" | "other";

/** Past one of these nothing of a layer is taken. */
export const UPPER_LIMITS = {
  names: 100_000,
  depth: 24,
  bytes: 4 * 1024 ** 3,
  /** Of files that are no objects: references, logs, an index, settings. */
  otherBytes: 256 * 1024 ** 2,
};

/** Everything in a layer by its path there, outer before inner; or why it is too much to be looked at. */
export type Upper =
  | { readonly entries: ReadonlyMap<string, UpperKind> }
  | { readonly flood: string };

/** Looks at a whole layer. Folders that a command closed to their owner are opened. */
export async function readUpper(folder: string, limits = UPPER_LIMITS): Promise<Upper> {
  const entries = new Map<string, UpperKind>();
  const pause = openPause();
  let [bytes, otherBytes] = [0, 0];
  const stack: [path: string, depth: number][] = [["", 0]];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [path, depth] = next;
    const place = path === "" ? folder : `${folder}/${path}`;
    if (depth > limits.depth) return { flood: `folders more than ${limits.depth} deep` };
    openOwn(place);
    for (const { name } of Deno.readDirSync(place)) {
      await pause();
      const inner = path === "" ? name : `${path}/${name}`;
      if (entries.size >= limits.names) return { flood: `more than ${limits.names} files` };
      const info = entryAt(`${folder}/${inner}`);
      const kind = info === undefined ? "other" : kindOf(info, `${folder}/${inner}`);
      entries.set(inner, kind);
      if (kind === "folder" || kind === "opaque") stack.push([inner, depth + 1]);
      if (kind !== "file") continue;
      bytes += info?.size ?? 0;
      if (bytes > limits.bytes) return { flood: `more than ${limits.bytes / 1024 ** 3} GiB` };
      if (!inner.startsWith("objects/")) otherBytes += info?.size ?? 0;
      if (otherBytes > limits.otherBytes) {
        return { flood: `more than ${limits.otherBytes / 1024 ** 2} MiB that are no objects` };
      }
    }
  }
  return { entries };
}

function kindOf(info: Deno.FileInfo, path: string): UpperKind {
  if (info.isFile) return "file";
  if (info.isDirectory) return isOpaque(path) ? "opaque" : "folder";
  return info.isCharDevice === true && info.rdev === 0 ? "gone" : "other";
}

const value = new Uint8Array(8);

function isOpaque(path: string): boolean {
  const length = systemCall("lgetxattr", cString(path), cString("user.overlay.opaque"), value, value.length);
  return length > 0;
}

function openOwn(path: string): void {
  const mode = entryAt(path)?.mode ?? 0o700;
  if ((mode & 0o700) !== 0o700) Deno.chmodSync(path, 0o700);
}
