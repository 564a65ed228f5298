// A picture that no provider takes would stay in the conversation, and every later request would be refused for it: what a
// client hands over is looked at before it gets there.
import { Buffer } from "node:buffer";
import type { ImageContent } from "../../core/message.ts";
import { imageIn } from "./message.ts";

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** Characters of base64 that hold the beginning by which the kinds of picture are known. */
const BEGINNING = 64;

/** Why a client's picture is refused, for the one who wrote the client. */
export const NO_PICTURE = "must be base64 of a PNG, JPEG, GIF or WebP picture";

/** A client's base64 as a picture of the kind that it is, whatever it was called; undefined when models cannot take it. */
export function givenPicture(data: string): ImageContent | undefined {
  // Browsers give pictures as such addresses.
  const bare = data.replace(/^data:[^,]{0,100};base64,/, "");
  if (bare.length % 4 !== 0 || !BASE64.test(bare)) return undefined;
  const found = imageIn(Buffer.from(bare.slice(0, BEGINNING), "base64"));
  return found && { type: "image", data: bare, mimeType: found.mimeType };
}
