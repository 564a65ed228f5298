import { resolve } from "@std/path";
import type { ImageContent } from "../../core/message.ts";

/** Largest picture that is sent, bytes before base64: what the read tool takes, too. */
const MAX_BYTES = 3_538_944;

/** First bytes of the pictures that servers take, as Latin-1, and their types. */
const KINDS: readonly (readonly [start: string, mimeType: string])[] = [
  ["\x89PNG\r\n\x1a\n", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["GIF8", "image/gif"],
];

/** A picture that the person named, by its content; undefined for what is none. `~` is the home folder. */
export async function readPicture(path: string, cwd: string, home: string): Promise<ImageContent | undefined> {
  const full = path.startsWith("~/") ? home + path.slice(1) : resolve(cwd, path.replace(/^file:\/\//, ""));
  const { isFile, size } = await Deno.stat(full);
  if (!isFile || size > MAX_BYTES) return undefined;
  const bytes = await Deno.readFile(full);
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  const isWebp = start.startsWith("RIFF") && start.slice(8) === "WEBP";
  const mimeType = isWebp ? "image/webp" : KINDS.find(([magic]) => start.startsWith(magic))?.[1];
  return mimeType === undefined ? undefined : { type: "image", data: bytes.toBase64(), mimeType };
}
