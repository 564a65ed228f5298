import { messageOf, UserError } from "../../core/error.ts";
import type { NamedFiles } from "../../core/named_files.ts";

/** What became of an attempt to read a text file. `note` says what is odd and what to do about it. */
export type ReadText =
  | { readonly status: "loaded"; readonly text: string; readonly note?: string }
  | { readonly status: "missing" }
  | { readonly status: "not_a_file" | "read_error" | "denied"; readonly note: string };

/** Bytes read of one file; more than any budget keeps. */
const MAX_BYTES = 1024 * 1024;

/** Small files are read into this: a thousand skills would otherwise be a thousand buffers. Decoded before it is used again. */
const SCRATCH = new Uint8Array(64 * 1024);
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a text file: regular files only, at most `maxBytes`, strict UTF-8, byte order mark removed. Never throws.
 *
 * A pipe or a device is never opened: it could block for ever or never end.
 *
 * @param known What a look at the path has told already; never of a link. Another file than that is not read: commands
 *   of a session that runs meanwhile may swap one for a link to a secret.
 * @param files Opens the path by descriptor: for a link that was followed, and for a directory that tools can replace.
 */
export function readText(path: string, maxBytes = MAX_BYTES, known?: Deno.FileInfo, files?: NamedFiles): ReadText {
  try {
    const named = files?.find(path, { access: "read", typed: true });
    const info = known ?? (named && files?.status(named)) ?? Deno.statSync(path);
    if (!info.isFile) {
      const kind = info.isDirectory ? "a folder" : "not a regular file";
      return { status: "not_a_file", note: `It is ${kind}. Put a text file in its place` };
    }
    using file = named && files ? files.open(named) : Deno.openSync(path, { read: true });
    const bytes = readStart(file, info, maxBytes);
    const isWhole = info.size <= bytes.length;
    const text = UTF8.decode(isWhole ? bytes : bytes.subarray(0, endOfCharacters(bytes)));
    if (text.includes("\0")) return { status: "read_error", note: "It holds NUL bytes. Make it a plain text file" };
    return {
      status: "loaded",
      text,
      ...(isWhole ? {} : { note: `It has ${info.size} bytes, of which the first ${maxBytes} were read` }),
    };
  } catch (error) {
    return failureOf(error);
  }
}

function readStart(file: Deno.FsFile, { size, dev, ino }: Deno.FileInfo, maxBytes: number): Uint8Array {
  const opened = file.statSync();
  if (opened.ino !== ino || opened.dev !== dev) throw new Error("It was replaced while it was read");
  const chunks: Uint8Array[] = [];
  let total = 0;
  while (total < maxBytes) {
    // One more than there should be: a short read is then the end. Files that the kernel makes up have no size.
    const wanted = Math.min(size > 0 ? Math.max(size - total, 0) + 1 : SCRATCH.length, maxBytes - total);
    const chunk = total === 0 && wanted <= SCRATCH.length ? SCRATCH.subarray(0, wanted) : new Uint8Array(wanted);
    const count = file.readSync(chunk);
    if (count === null) break;
    total += count;
    const isLast = size > 0 && count < wanted || total >= maxBytes;
    // What is not the end of it is kept, so the scratch can take no more.
    chunks.push(isLast && chunks.length === 0 ? chunk.subarray(0, count) : chunk.slice(0, count));
    if (isLast) break;
  }
  if (chunks.length === 1 && chunks[0]) return chunks[0];
  const bytes = new Uint8Array(total);
  let at = 0;
  for (const chunk of chunks) bytes.set(chunk, at), at += chunk.length;
  return bytes;
}

/** Where the last whole character of a text's beginning ends. */
function endOfCharacters(bytes: Uint8Array): number {
  let at = bytes.length - 1;
  while (at > bytes.length - 4 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--;
  const lead = bytes[at] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.length - at < length ? at : bytes.length;
}

/** What a thrown error means for somebody who looks for a file. */
export function failureOf(error: unknown): Exclude<ReadText, { status: "loaded" }> {
  if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return { status: "missing" };
  if (error instanceof Deno.errors.NotCapable) {
    return {
      status: "denied",
      note: "The program itself may not read it. Grant it with --allow-read, or move the file",
    };
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return { status: "read_error", note: "The system denies reading it. Change its permissions (chmod u+r)" };
  }
  if (error instanceof TypeError) {
    return { status: "read_error", note: "It is not UTF-8 text. Convert it, for example with iconv" };
  }
  if (error instanceof UserError) return { status: "read_error", note: `${error.why}. ${error.fix}` };
  return { status: "read_error", note: `${messageOf(error)}. Make it readable` };
}

/** What stands at a path, links not followed; undefined where nothing does. Throws for what may not be looked at. */
export function lookAt(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw error;
  }
}

/** Opens a regular file to read; throws for anything else, because a pipe could block for ever. */
export function openRegular(path: string): Deno.FsFile {
  if (!Deno.statSync(path).isFile) throw new Error(`Not a regular file: ${path}`);
  return Deno.openSync(path, { read: true });
}

/** Up to `length` bytes from `offset`; fewer where the file ends. */
export function sliceOf(file: Deno.FsFile, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  file.seekSync(offset, Deno.SeekMode.Start);
  let total = 0;
  while (total < length) {
    const count = file.readSync(bytes.subarray(total));
    if (count === null) break;
    total += count;
  }
  return bytes.subarray(0, total);
}

/** A view for numbers in network order; reading beyond the end throws. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
