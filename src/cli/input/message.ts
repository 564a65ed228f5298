import { isAbsolutePath } from "../../core/support/on_disk.ts";
import { join, normalize } from "@std/path";
import { messageOf, UserError } from "../../core/error.ts";
import { FileTooLarge, type NamedFiles } from "../../core/named_files.ts";
import type { ImageContent } from "../../core/message.ts";
import { Buffer } from "node:buffer";

/** Most bytes of one `@file`: more than any model takes, and no run should choke on a wrong path. */
const MAX_BYTES = 8 * 1024 * 1024;

/** The parts of the task as the command line gives them. */
export interface MessageParts {
  /** Positional words; those that begin with `@` name files. */
  readonly words: readonly string[];
  /** Piped standard input, when there was any. */
  readonly stdin?: string;
  readonly cwd: string;
  readonly home: string;
  /** Opens the files that the words name. */
  readonly files: NamedFiles;
}

/**
 * The message for the model: words joined by one space, then each `@file`, then stdin, a blank line between the parts.
 *
 * With only stdin its text is the message as it is. Returns an empty string when there is no text at all. Throws
 * UserError for a file that cannot be used. See docs/cli.md, Message.
 */
export function assembleMessage(parts: MessageParts): string {
  const words = parts.words.filter((word) => !isFileWord(word)).join(" ");
  const files = parts.words.filter(isFileWord).map((word) => fileBlock(word.slice(1), parts));
  const stdin = parts.stdin ?? "";
  if (words.trim() === "" && files.length === 0) return stdin.trim() === "" ? "" : stdin;
  const blocks = [
    ...(words.trim() === "" ? [] : [words]),
    ...files,
    ...(stdin.trim() === "" ? [] : [`<stdin>\n${withoutLastNewline(stdin)}\n</stdin>`]),
  ];
  return blocks.join("\n\n");
}

/** The pictures among the `@file`s; their places are named in the text. Throws UserError as `assembleMessage` does. */
export function attachedImages(parts: Omit<MessageParts, "stdin">): readonly ImageContent[] {
  return parts.words.filter(isFileWord).flatMap((word) =>
    imageIn(readBytes(pathOf(word.slice(1), parts), word.slice(1), parts.files)) ?? []
  );
}

function isFileWord(word: string): boolean {
  return word.length > 1 && word.startsWith("@");
}

function pathOf(name: string, { home, cwd }: Pick<MessageParts, "home" | "cwd">): string {
  const expanded = name === "~" || name.startsWith("~/") ? join(home, name.slice(1)) : name;
  return normalize(isAbsolutePath(expanded) ? expanded : join(cwd, expanded));
}

function fileBlock(name: string, parts: MessageParts): string {
  const path = pathOf(name, parts);
  return `<file name="${path}">\n${withoutLastNewline(readText(path, name, parts.files))}\n</file>`;
}

function readText(path: string, name: string, files: NamedFiles): string {
  const bytes = readBytes(path, name, files);
  if (imageIn(bytes)) return "(a picture, attached)";
  if (bytes.subarray(0, 8192).includes(0)) {
    const why = `${path} is a binary file`;
    throw new UserError({ what: `Cannot use @${name}`, why, fix: "Name text files and pictures only" });
  }
  return new TextDecoder().decode(bytes);
}

function readBytes(path: string, name: string, files: NamedFiles): Uint8Array<ArrayBuffer> {
  const what = `Cannot use @${name}`;
  try {
    return files.read(files.find(path, { access: "read", typed: true }), MAX_BYTES);
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (error instanceof Deno.errors.IsADirectory) {
      throw new UserError({ what, why: `${path} is a folder`, fix: "Name the files in it one by one" });
    }
    if (error instanceof FileTooLarge) {
      throw new UserError({
        what,
        why: `${path} has ${error.size} bytes`,
        fix: "Leave it to the agent's read tool, or cut it",
      });
    }
    const why = error instanceof Deno.errors.NotFound ? `there is no file ${path}` : messageOf(error);
    throw new UserError({ what, why, fix: "Check the path; put -- before the message if the @ belongs to it" });
  }
}

function withoutLastNewline(text: string): string {
  return text.replace(/\r?\n$/, "");
}

/** How the kinds of picture that models take begin. */
const BEGINNINGS: readonly { readonly mimeType: string; readonly begins: (bytes: Uint8Array) => boolean }[] = [
  { mimeType: "image/png", begins: (bytes) => ascii(bytes, 1, 4) === "PNG" && bytes[0] === 0x89 },
  { mimeType: "image/jpeg", begins: (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff },
  { mimeType: "image/gif", begins: (bytes) => /^GIF8[79]a$/.test(ascii(bytes, 0, 6)) },
  { mimeType: "image/webp", begins: (bytes) => ascii(bytes, 0, 4) === "RIFF" && ascii(bytes, 8, 12) === "WEBP" },
];

/** A file's bytes as a picture for the model, by what they are and not by the name; undefined for anything else. */
export function imageIn(bytes: Uint8Array): ImageContent | undefined {
  const kind = BEGINNINGS.find(({ begins }) => begins(bytes));
  return kind && { type: "image", data: Buffer.from(bytes).toString("base64"), mimeType: kind.mimeType };
}

function ascii(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}
