import { ToolError } from "../../src/core/error.ts";
import { grants } from "../../src/core/policy.ts";
import { formatSize } from "../../src/core/support/text.ts";
import { type Files, textResult, type ToolContext, type ToolResult } from "../../src/core/tool.ts";
import { fileType, SNIFF_BYTES } from "./file_type.ts";
import { type ByteSource, FIRST_PIECE, lineWindow } from "./line_window.ts";
import { linesResult } from "./read_lines.ts";
import { shownPath } from "./shown_path.ts";

/** Largest UTF-16 file that is decoded; it has to be taken whole. */
const MAX_WIDE_BYTES = 16 * 1024 * 1024;

/** A file as a model is shown it: the lines from `offset` (1 is the first) up to the limits, or a picture. */
export async function showFile(
  file: string,
  offset: number,
  limit: number | undefined,
  { files, policy, signal }: ToolContext,
): Promise<ToolResult> {
  if (signal.aborted) throw new ToolError("Operation aborted");
  const shown = shownPath(file, policy.root);
  // Opening a file and proving what was opened is most of a call: one that fits is opened once.
  const first = files.read(file, 0, FIRST_PIECE);
  const size = first.length < FIRST_PIECE ? first.length : files.info(file).size;
  const type = fileType(first.subarray(0, SNIFF_BYTES));
  switch (type.type) {
    case "image":
      return imageResult(shown, type.mimeType, size, () => size === first.length ? first : files.read(file));
    case "binary":
      return textResult(
        `${shown} is a binary file (${type.name ?? "unknown type"}, ${formatSize(size)}) and not shown as text. ` +
          "Inspect it with a program made for its type",
      );
    case "utf16": {
      const source = wideSource(files, file, size, type.encoding, shown);
      const window = await lineWindow(source.read, source.size, offset - 1, signal);
      return linesResult(window, { shown, offset, limit, size, hasShell: grants(policy, "run"), encoding: "UTF-16" });
    }
    case "text": {
      const source: ByteSource = (from, length) =>
        from + length <= first.length ? first.subarray(from, from + length) : files.read(file, from, length);
      const window = await lineWindow(source, size, offset - 1, signal);
      return linesResult(window, { shown, offset, limit, size, hasShell: grants(policy, "run") });
    }
  }
}

/** A UTF-16 file as if it were UTF-8. */
function wideSource(
  files: Files,
  file: string,
  size: number,
  encoding: "utf-16le" | "utf-16be",
  shown: string,
): { readonly read: ByteSource; readonly size: number } {
  if (size > MAX_WIDE_BYTES) {
    throw new ToolError(
      `${shown} is UTF-16 text of ${formatSize(size)}, too large to convert. Convert it to UTF-8 first`,
    );
  }
  const bytes = new TextEncoder().encode(new TextDecoder(encoding).decode(files.read(file)));
  return { read: (from, length) => bytes.subarray(from, from + length), size: bytes.length };
}

/** Largest image that is sent, bytes before base64; base64 makes 4.5 MiB of it, which servers take. */
const MAX_IMAGE_BYTES = 3_538_944;

/** The result for an image: a note and the picture, or a sentence when it is too large. `load` is called at most once. */
function imageResult(shown: string, mimeType: string, size: number, load: () => Uint8Array): ToolResult {
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
