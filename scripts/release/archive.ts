// Archives whose bytes follow from their content alone: one moment for every file, no owner, the order that is given.
import { crc32, deflateRawSync, gzipSync } from "node:zlib";

/** A file in an archive. */
export interface Entry {
  /** With `/`, at most 100 bytes. */
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isProgram?: boolean;
}

/** When all files of a release were changed, as it stands in them: seconds since 1970. The moment that npm's archives have. */
export const MOMENT = 499_162_500;
/** The same in the local time of MS-DOS, which zip has: 26 October 1985, 08:15. */
const DOS_DATE = ((1985 - 1980) << 9) | (10 << 5) | 26;
const DOS_TIME = (8 << 11) | (15 << 5);

const BLOCK = 512;
const text = new TextEncoder();

/** A tape archive (POSIX.1-1988, ustar) with the folders of its files. */
export function tar(entries: readonly Entry[]): Uint8Array<ArrayBuffer> {
  const folders = new Set(entries.flatMap(({ path }) => {
    const parts = path.split("/").slice(0, -1);
    return parts.map((_, at) => `${parts.slice(0, at + 1).join("/")}/`).filter((folder) => folder !== "./");
  }));
  const parts: Uint8Array<ArrayBuffer>[] = [...folders].map((path) => header(path, 0, 0o755, "5"));
  for (const { path, bytes, isProgram } of entries) {
    parts.push(header(path, bytes.length, isProgram ? 0o755 : 0o644, "0"), bytes, padding(bytes.length, BLOCK));
  }
  return joined([...parts, new Uint8Array(2 * BLOCK)]);
}

function header(path: string, size: number, mode: number, type: string): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK);
  const put = (value: string, at: number): void => block.set(text.encode(value), at);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");
  const name = text.encode(path);
  if (name.length > 100) throw new Error(`${path} is too long for an archive`);
  block.set(name);
  put(`${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0${octal(size, 11)}\0${octal(MOMENT, 11)}\0`, 100);
  put("        ", 148); // the sum is made with blanks in its place
  put(`${type}`, 156);
  put("ustar\x0000root", 257);
  put("root", 297);
  put(`${octal(block.reduce((sum, byte) => sum + byte, 0), 6)}\0 `, 148);
  return block;
}

function padding(length: number, to: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array((to - length % to) % to);
}

/** gzip (RFC 1952) without a name and a time. */
export function gzip(bytes: Uint8Array<ArrayBuffer>, level = 9): Uint8Array<ArrayBuffer> {
  return new Uint8Array(gzipSync(bytes, { level }));
}

/** A zip archive (PKWARE's APPNOTE 6.3.3, sections 4.3.7 to 4.3.16): deflated files, attributes of Unix. */
export function zip(entries: readonly Entry[]): Uint8Array<ArrayBuffer> {
  const files: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const { path, bytes, isProgram } of entries) {
    const name = text.encode(path);
    const packed = new Uint8Array(deflateRawSync(bytes, { level: 9 }));
    // Version 2.0, names in UTF-8, deflated.
    const common = [2, 20, 2, 0x800, 2, 8, 2, DOS_TIME, 2, DOS_DATE, 4, crc32(bytes)];
    const sizes = [4, packed.length, 4, bytes.length, 2, name.length, 2, 0];
    const local = numbers([4, 0x04034b50, ...common, ...sizes]);
    const mode = (isProgram ? 0o100755 : 0o100644) * 0x10000;
    directory.push(
      numbers([4, 0x02014b50, 2, 0x0314, ...common, ...sizes, 2, 0, 2, 0, 2, 0, 4, mode, 4, offset]),
      name,
    );
    files.push(local, name, packed);
    offset += local.length + name.length + packed.length;
  }
  const listed = joined(directory);
  const count = entries.length;
  const end = numbers([4, 0x06054b50, 2, 0, 2, 0, 2, count, 2, count, 4, listed.length, 4, offset, 2, 0]);
  return joined([...files, listed, end]);
}

/** Numbers of 2 or 4 bytes, the lowest byte first: each after its size. */
function numbers(pairs: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  for (let at = 0; at < pairs.length; at += 2) {
    const [size = 0, value = 0] = [pairs[at], pairs[at + 1]];
    for (let byte = 0; byte < size; byte++) bytes.push(Math.floor(value / 256 ** byte) % 256);
  }
  return new Uint8Array(bytes);
}

/** The archive of Unix libraries, which Debian packages are (ar(5), deb(5)). */
export function ar(entries: readonly Entry[]): Uint8Array<ArrayBuffer> {
  const parts = entries.flatMap(({ path, bytes }) => {
    const fields = [path.padEnd(16), `${MOMENT}`.padEnd(12), "0".padEnd(6), "0".padEnd(6), "100644".padEnd(8)];
    const head = text.encode(`${fields.join("")}${`${bytes.length}`.padEnd(10)}\`\n`);
    return [head, bytes, text.encode(bytes.length % 2 === 1 ? "\n" : "")];
  });
  return joined([text.encode("!<arch>\n"), ...parts]);
}

function joined(parts: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) whole.set(part, at), at += part.length;
  return whole;
}
