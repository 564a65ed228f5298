import { join } from "@std/path";

/** Shorter pieces are in any source. */
const LEAST = 6;

/**
 * Messages that a page has as its headings and no source has, one sentence each.
 *
 * A heading is a message in backticks, with `…` for what differs. All its pieces have to be in one file, where a message that
 * is written as several strings counts as one.
 */
export function unknownMessages(root: string, page: string): readonly string[] {
  const sources = ["src", "tools"].flatMap((folder) => [...texts(join(root, folder))]);
  const markdown = Deno.readTextFileSync(join(root, page));
  return [...markdown.matchAll(/^### `(.+)`$/gm)].flatMap(([, message = ""]) => {
    const pieces = message.split("…").map((piece) => piece.trim()).filter((piece) => piece.length >= LEAST);
    const isThere = pieces.length > 0 && sources.some((text) => pieces.every((piece) => text.includes(piece)));
    return isThere ? [] : [`${page}: no source has the message "${message}"`];
  });
}

function* texts(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const path = join(folder, name);
    if (isDirectory) yield* texts(path);
    else if (name.endsWith(".ts")) yield joined(Deno.readTextFileSync(path));
  }
}

/** A source whose strings of one message are one string. */
function joined(text: string): string {
  return text.replace(/["'`] \+\s*["'`]/g, "").replaceAll('\\"', '"').replaceAll("\\'", "'");
}
