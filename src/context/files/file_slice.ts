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
