// Files of a real repository: read without following a link or waiting, written in one step. Their text is bytes, whatever they
// are encoded in: a character for each, as in byte_path.ts.
import { dirname } from "@std/path";
import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { readRegular } from "../system/regular_file.ts";
import { statusOf } from "../system/statx.ts";
import { isFresh } from "./refs.ts";

const LOCK_TRIES = 40;
const LOCK_PAUSE_MS = 50;

/** The bytes of a file; undefined where it is none, is longer than `most`, or cannot be read. */
export function bytesAt(path: string, most: number): Uint8Array<ArrayBuffer> | undefined {
  try {
    return readRegular(path, most);
  } catch {
    return undefined;
  }
}

/** Looks at a file again and again, which is read only where it changed since the last look. */
export function openLook(path: string, most: number): () => Uint8Array<ArrayBuffer> | undefined {
  let last: { readonly stamp: string | undefined; readonly bytes: Uint8Array<ArrayBuffer> | undefined } | undefined;
  return () => {
    const status = statusOf(path);
    if (last === undefined || last.stamp !== status?.stamp) {
      const bytes = status && bytesAt(path, most);
      const isSure = !isFresh(status?.changedMs) && statusOf(path)?.stamp === status?.stamp;
      last = isSure ? { stamp: status?.stamp, bytes } : undefined;
      return bytes;
    }
    return last.bytes;
  };
}

/** The bytes of a file, a character for each. */
export function rawAt(path: string, most: number): string | undefined {
  const bytes = bytesAt(path, most);
  return bytes && Buffer.from(bytes).toString("latin1");
}

/** The same as UTF-8. */
export function textAt(path: string, most: number): string | undefined {
  const bytes = bytesAt(path, most);
  return bytes && new TextDecoder().decode(bytes);
}

/** Makes a lock, for which it waits: git holds such a lock for as long as it takes to write an index. */
export async function openLock(path: string): Promise<Deno.FsFile> {
  for (let left = LOCK_TRIES;; left--) {
    try {
      return Deno.openSync(path, { write: true, createNew: true });
    } catch (error) {
      if (left === 0 || !(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
  }
}

/** Writes a file, a character for each byte, in one step, so that nobody finds half of it. */
export function putFile(path: string, content: string): void {
  const made = `${path}.${randomUUID()}`;
  Deno.mkdirSync(dirname(path), { recursive: true });
  Deno.writeFileSync(made, Buffer.from(content, "latin1"), { createNew: true });
  try {
    Deno.renameSync(made, path);
  } catch (error) {
    Deno.removeSync(made);
    throw error;
  }
}

/** Removes a file, if it is one. */
export function removeFile(path: string): void {
  try {
    if (Deno.lstatSync(path).isFile) Deno.removeSync(path);
  } catch {
    // It is gone already.
  }
}

/** Removes a folder, if it is empty. */
export function removeEmpty(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // Not there, or something of it is left.
  }
}

/** The files at a path of the real repository: itself, or those right in it. */
export function filesAt(folder: string, path: string): string[] {
  try {
    if (!Deno.lstatSync(`${folder}/${path}`).isDirectory) return [path];
    return [...Deno.readDirSync(`${folder}/${path}`)].filter(({ isFile }) => isFile).map(({ name }) =>
      `${path}/${name}`
    );
  } catch {
    return [];
  }
}
