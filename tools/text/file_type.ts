/** How many leading bytes tell what a file is. */
export const SNIFF_BYTES = 8192;

/** First bytes of kinds of file that are not text, as Latin-1; what they are called. */
const MAGIC: readonly (readonly [offset: number, bytes: string, name: string])[] = [
  [0, "\x7fELF", "ELF program or library"],
  [0, "MZ", "Windows program or library"],
  [0, "\xcf\xfa\xed\xfe", "Mach-O program or library"],
  [0, "\xca\xfe\xba\xbe", "Java class or Mach-O file"],
  [0, "\0asm", "WebAssembly module"],
  [0, "%PDF-", "PDF document"],
  [0, "PK\x03\x04", "ZIP archive (or a document in one)"],
  [0, "\x1f\x8b", "gzip archive"],
  [0, "BZh", "bzip2 archive"],
  [0, "\xfd7zXZ\0", "xz archive"],
  [0, "\x28\xb5\x2f\xfd", "zstd archive"],
  [0, "7z\xbc\xaf\x27\x1c", "7z archive"],
  [257, "ustar", "tar archive"],
  [0, "SQLite format 3\0", "SQLite database"],
  [0, "BM", "BMP image"],
  [0, "II*\0", "TIFF image"],
  [0, "MM\0*", "TIFF image"],
  [0, "\0\0\x01\0", "icon"],
  [4, "ftyp", "MP4 video or HEIF image"],
  [0, "OggS", "Ogg audio or video"],
  [0, "ID3", "MP3 audio"],
  [0, "wOF", "web font"],
];

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

// deno-lint-ignore no-control-regex -- counting control characters is the point
const UNLIKE_TEXT = /[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]/;

/** The first byte of a PDF document, which may go on like text. */
const PERCENT = 0x25;

/** What kind of content a file has, from its first `SNIFF_BYTES` bytes. */
export type FileType =
  | { readonly type: "text" }
  | { readonly type: "utf16"; readonly encoding: "utf-16le" | "utf-16be" }
  | { readonly type: "image"; readonly mimeType: string }
  /** `name` when the first bytes are known. */
  | { readonly type: "binary"; readonly name?: string };

/** The encoding that a byte order mark of UTF-16 tells: such a text is full of zero bytes. */
export function wideEncoding([first, second]: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/** Tells text, image and other content apart; names and extensions play no part. */
export function fileType(head: Uint8Array): FileType {
  if (isPlain(head)) return { type: "text" };
  const start = String.fromCharCode(...head.subarray(0, 300));
  const mimeType = imageType(start);
  if (mimeType) return { type: "image", mimeType };
  const encoding = wideEncoding(head);
  if (encoding) return { type: "utf16", encoding };
  if (!looksBinary(head, start)) return { type: "text" };
  const name = MAGIC.find(([offset, bytes]) => start.startsWith(bytes, offset))?.[2];
  return name ? { type: "binary", name } : { type: "binary" };
}

/** Whether all bytes are such as text files hold, as nearly all files are that anybody reads: it takes one look. */
function isPlain(head: Uint8Array): boolean {
  return head[0] !== PERCENT && !UNLIKE_TEXT.test(decoder.decode(head));
}

function imageType(start: string): string | undefined {
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (start.startsWith("GIF87a") || start.startsWith("GIF89a")) return "image/gif";
  if (start.startsWith("RIFF") && start.startsWith("WEBP", 8)) return "image/webp";
  return undefined;
}

/** A zero byte, or so many bytes outside of UTF-8 and of what text files hold that nobody would read it. */
function looksBinary(head: Uint8Array, start: string): boolean {
  if (head.includes(0) || start.startsWith("%PDF-")) return true;
  const text = decoder.decode(head);
  const odd = text.match(new RegExp(UNLIKE_TEXT, "g"))?.length ?? 0;
  return odd > text.length * 0.3;
}
