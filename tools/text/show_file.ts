import { ToolError } from "../../src/core/error.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { grants } from "../../src/core/policy.ts";
import { formatSize } from "../../src/core/support/text.ts";
import { type Files, textResult, type ToolContext } from "../../src/core/tool.ts";
import type { ToolResult } from "../../src/core/tool_result.ts";
import { fileType, SNIFF_BYTES } from "./file_type.ts";
import { type ByteSource, FIRST_PIECE, type LineWindow, lineWindow, MAX_SCAN_BYTES } from "./line_window.ts";
import { decodeLossless, hasStrayBytes, markStrayBytes } from "./lossless_text.ts";
import { shownPath } from "./shown_path.ts";
import { fitHead, MAX_BYTES, MAX_LINES, takeBytes } from "./truncate.ts";
import { hasControls, visibleControls } from "./visible_controls.ts";

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
      `${shown} is an image (${mimeType}, ${formatSize(size)}), larger than the ${formatSize(MAX_IMAGE_BYTES)} that ` +
        "can be shown. Make a smaller copy and read that",
    );
  }
  const data = load().toBase64();
  return { content: [{ type: "text", text: `Read image file [${mimeType}]` }, { type: "image", data, mimeType }] };
}

/** What was asked for, and what the notices need to know. */
interface ReadRequest {
  /** The file's name as shown. */
  readonly shown: string;
  /** First line, from 1. */
  readonly offset: number;
  readonly limit: number | undefined;
  /** Bytes of the file. */
  readonly size: number;
  /** Whether commands can be run, so that the model may be told to use one. */
  readonly hasShell: boolean;
  /** Said when it is not UTF-8. */
  readonly encoding?: string;
}

/** The lines of a window up to the limits, and in brackets how to go on and what was not shown as it is. */
function linesResult(window: LineWindow, request: ReadRequest): ToolResult {
  const { offset, limit } = request;
  refuseBeyond(window, request);
  if (window.totalLines === 0) return textResult("(empty file)");
  const all = linesOf(window);
  const wanted = limit === undefined ? all : all.slice(0, limit);
  const head = fitHead(wanted);
  if (head.lines === 0) return longLine(wanted[0] ?? "", window, request);
  const end = offset + head.lines - 1;
  const total = `${window.isPartial ? "more than " : ""}${window.totalLines}`;
  const notices: string[] = [];
  if (head.truncatedBy) {
    const why = head.truncatedBy === "bytes" ? ` (${formatSize(MAX_BYTES)} limit)` : "";
    notices.push(`[Showing lines ${offset}-${end} of ${total}${why}. Use offset=${end + 1} to continue.]`);
  } else if (end < window.totalLines) {
    const more = `${window.isPartial ? "more than " : ""}${window.totalLines - end}`;
    notices.push(`[${more} more lines in file. Use offset=${end + 1} to continue.]`);
  }
  const details = head.truncatedBy === undefined ? undefined : truncation(head.truncatedBy, head, window);
  return shownResult(wanted.slice(0, head.lines).join("\n"), notices, request, details);
}

function refuseBeyond({ isPartial, totalLines }: LineWindow, { shown, offset, size }: ReadRequest): void {
  if (offset <= Math.max(1, totalLines)) return;
  throw new ToolError(
    isPartial
      ? `Line ${offset} lies beyond the first ${formatSize(MAX_SCAN_BYTES)} of ${shown} (${formatSize(size)}), ` +
        "where reading by lines ends. Use a command that seeks, such as tail -c"
      : `Offset ${offset} is beyond end of file (${totalLines} lines total)`,
  );
}

/** Without line ends; CRLF counts as one. The last line of a window that ends early is a part and never fits. */
function linesOf({ bytes, isWhole }: LineWindow): string[] {
  const text = decodeLossless(bytes).replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  return (isWhole && text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

/** A first line that alone exceeds the limit: how to look into it, or its beginning where no command can be run. */
function longLine(line: string, window: LineWindow, request: ReadRequest): ToolResult {
  const { offset, shown, hasShell } = request;
  const limit = formatSize(MAX_BYTES);
  const what = `Line ${offset} is ${window.isPartial ? "at least " : ""}${formatSize(window.firstLineBytes)}`;
  const details = truncation("bytes", { lines: 0, bytes: 0 }, window);
  if (hasShell) {
    const quoted = `'${shown.replaceAll("'", `'\\''`)}'`;
    const hint = `Use bash: sed -n '${offset}p' ${quoted} | head -c ${MAX_BYTES}`;
    return textResult(`[${what}, exceeds ${limit} limit. ${hint}]`, details);
  }
  const next = offset < window.totalLines ? ` Use offset=${offset + 1} for the next line.` : "";
  const notice = `[${what}; only its first ${limit} are shown.${next}]`;
  return shownResult(takeBytes(line, MAX_BYTES), [notice], request, details);
}

/** Text that is shown as it is, as nearly all is. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;

function shownResult(raw: string, notices: string[], request: ReadRequest, details?: JsonObject): ToolResult {
  if (notices.length === 0 && request.encoding === undefined && PLAIN.test(raw)) return textResult(raw, details);
  if (request.encoding) notices.push(`[The file is ${request.encoding}; edit works on UTF-8 only.]`);
  if (hasStrayBytes(raw)) notices.push("[Bytes that are not UTF-8 are shown as \ufffd; edit keeps them as they are.]");
  if (hasControls(raw)) {
    notices.push("[Control characters are shown as symbols, such as \u241b for ESC; edit takes them.]");
  }
  return textResult([visibleControls(markStrayBytes(raw)), ...notices].join("\n\n"), details);
}

function truncation(
  truncatedBy: "lines" | "bytes",
  { lines, bytes }: { readonly lines: number; readonly bytes: number },
  { totalLines }: LineWindow,
): JsonObject {
  return {
    truncation: {
      truncated: true,
      truncatedBy,
      totalLines,
      outputLines: lines,
      outputBytes: bytes,
      firstLineExceedsLimit: lines === 0,
      maxLines: MAX_LINES,
      maxBytes: MAX_BYTES,
    },
  };
}
