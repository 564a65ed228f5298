import { createHash } from "node:crypto";

/** SHA-256 of bytes, or of a text's UTF-8 bytes, lower-case hex. Synchronous, so that pure code can use it. */
export function sha256(content: string | Uint8Array): string {
  const hash = createHash("sha256");
  return (typeof content === "string" ? hash.update(content, "utf8") : hash.update(content)).digest("hex");
}
