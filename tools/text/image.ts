import { formatSize } from "../../src/core/support/text.ts";
import { textResult, type ToolResult } from "../../src/core/tool.ts";

/** Largest image that is sent, bytes before base64; base64 makes 4.5 MiB of it, which servers take. */
const MAX_IMAGE_BYTES = 3_538_944;

/** The result for an image: a note and the picture, or a sentence when it is too large. `load` is called at most once. */
export function imageResult(shown: string, mimeType: string, size: number, load: () => Uint8Array): ToolResult {
  if (size > MAX_IMAGE_BYTES) {
    return textResult(
      `${shown} is an image (${mimeType}, ${formatSize(size)}), larger than the ${
        formatSize(MAX_IMAGE_BYTES)
      } that can ` +
        "be shown. Make a smaller copy and read that",
    );
  }
  const data = base64(load());
  return { content: [{ type: "text", text: `Read image file [${mimeType}]` }, { type: "image", data, mimeType }] };
}

/** Built in pieces: `btoa` wants one string, and a call takes only so many arguments. */
function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  // A multiple of 3, so that no piece needs padding but the last.
  for (let at = 0; at < bytes.length; at += 24_576) {
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 24_576))));
  }
  return parts.join("");
}
