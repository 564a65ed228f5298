import { createHash } from "node:crypto";

/** SHA-256 of a text's UTF-8 bytes, lower-case hex. Synchronous, so that pure code can use it. */
export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}
