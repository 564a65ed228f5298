/** How far into a page its own word about its encoding may stand (HTML: 1,024 bytes). */
const PRESCAN = 1_024;

/**
 * The text of a page: by its byte order mark, else by the header, else by what an HTML page says of itself, else UTF-8.
 * Bytes that are none in the encoding become U+FFFD; an encoding that nobody knows is read as UTF-8.
 */
export function decodeText(bytes: Uint8Array, type: string): string {
  const label = markOf(bytes) ?? charsetIn(type) ?? declared(bytes, type) ?? "utf-8";
  try {
    return new TextDecoder(label).decode(bytes);
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder().decode(bytes);
    throw error;
  }
}

function markOf(bytes: Uint8Array): string | undefined {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return a === 0xff && b === 0xfe ? "utf-16le" : undefined;
}

function charsetIn(text: string): string | undefined {
  return /\bcharset\s*=\s*["']?([\w.:-]+)/i.exec(text)?.[1];
}

/** `<meta charset>`, its older form, and an XML declaration; UTF-16 cannot be what a page says in ASCII. */
function declared(bytes: Uint8Array, type: string): string | undefined {
  if (!/html|xml|^\s*$/i.test(type)) return undefined;
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, PRESCAN));
  const found = /<meta\b[^>]*?\bcharset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1];
  return found && /^utf-?16/i.test(found) ? "utf-8" : found;
}
