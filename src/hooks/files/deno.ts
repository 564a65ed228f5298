// File functions of `Deno` as an extension has them. Each sends a request to the host.
import type { FileEntry, FileStatus } from "../../core/extension_files.ts";
import type { FileChannel, FileQuestion, FileValue } from "./channel.ts";

/** A function of any arguments, as they come from code that nobody has checked. */
export type AnyFunction = (...args: readonly unknown[]) => unknown;

/** What a call asks, and how its answer is read. */
interface Prepared {
  readonly question: FileQuestion;
  readonly read: (value: FileValue) => unknown;
}

const nothing = (): void => {};

/** Functions that return a promise; each has a second form, with "Sync" in its name, that waits. */
const PAIRS: Readonly<Record<string, (...args: readonly unknown[]) => Prepared>> = {
  readFile: (path) => ({ question: { call: "read", path: pathOf(path) }, read: bytesIn }),
  readTextFile: (path) => ({ question: { call: "read", path: pathOf(path) }, read: textIn }),
  writeFile: (path, bytes, options) => ({ question: written(path, bytesOf(bytes), options), read: nothing }),
  writeTextFile: (path, text, options) => ({ question: written(path, textOf(text), options), read: nothing }),
  stat: (path) => ({ question: { call: "stat", path: pathOf(path) }, read: (value) => fileInfo(statusIn(value)) }),
  lstat: (path) => ({ question: { call: "lstat", path: pathOf(path) }, read: (value) => fileInfo(statusIn(value)) }),
  mkdir: (path, options) => ({
    question: { call: "mkdir", path: pathOf(path), recursive: isSet(options, "recursive"), ...modeIn(options) },
    read: nothing,
  }),
  remove: (path, options) => ({
    question: { call: "remove", path: pathOf(path), recursive: isSet(options, "recursive") },
    read: nothing,
  }),
  rename: (path, to) => ({ question: { call: "rename", path: pathOf(path), to: pathOf(to) }, read: nothing }),
  copyFile: (path, to) => ({ question: { call: "copy", path: pathOf(path), to: pathOf(to) }, read: nothing }),
  realPath: (path) => ({ question: { call: "realPath", path: pathOf(path) }, read: pathIn }),
};

/** Names of the functions that extensions have, for messages. */
const SUPPORTED = [...Object.keys(PAIRS), "readDir"].sort();

/** Functions of `Deno` that open files otherwise. Each fails and names those that extensions have. */
const REFUSED = [
  ...["open", "create", "link", "symlink", "readLink", "chmod", "chown", "truncate", "utime", "makeTempDir"],
  ...["makeTempFile", "watchFs"],
];

/** The file functions of `Deno`, by name. */
export function denoFiles({ ask, askNow }: FileChannel): Readonly<Record<string, AnyFunction>> {
  const functions: Record<string, AnyFunction> = {};
  for (const [name, prepare] of Object.entries(PAIRS)) {
    functions[name] = async (...args) => {
      const [path, content, ...rest] = args;
      // A stream is read to its end first: a file is written whole.
      const given = content instanceof ReadableStream ? [path, await collected(content), ...rest] : args;
      const { question, read } = prepare(...given);
      return read(await ask(question));
    };
    functions[`${name}Sync`] = (...args) => {
      const { question, read } = prepare(...args);
      return read(askNow(question));
    };
  }
  const list = (path: unknown): FileQuestion => ({ call: "list", path: pathOf(path) });
  functions["readDir"] = (path) => {
    const question = list(path);
    return (async function* () {
      yield* entriesIn(await ask(question)).map(dirEntry);
    })();
  };
  functions["readDirSync"] = (path) => entriesIn(askNow(list(path))).map(dirEntry).values();
  for (const name of REFUSED) {
    functions[name] = functions[`${name}Sync`] = () => {
      throw unsupported(`Deno.${name}`, SUPPORTED.map((supported) => `Deno.${supported}`));
    };
  }
  return functions;
}

/** The error for a function that extensions do not have. */
export function unsupported(name: string, supported: readonly string[]): TypeError {
  return new TypeError(`${name}() is not available to extensions. These are: ${supported.join(", ")}`);
}

/** The path that a caller gave as a text or a file URL; throws TypeError for anything else, such as a number. */
export function pathOf(path: unknown): string {
  if (path instanceof URL) {
    if (path.protocol !== "file:") throw new TypeError("a URL of a file begins with file:");
    return decodeURIComponent(path.pathname);
  }
  if (typeof path !== "string") throw new TypeError("a path is a text or a URL");
  return path;
}

/** The bytes of an answer. */
export function bytesIn(value: FileValue): Uint8Array<ArrayBuffer> {
  return "bytes" in value ? Uint8Array.fromBase64(value.bytes) : new Uint8Array();
}

function textIn(value: FileValue): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesIn(value));
}

/** The status of an answer. */
export function statusIn(value: FileValue): FileStatus {
  // The host answers a question for a status with one.
  return (value as { readonly value: FileStatus }).value;
}

/** The entries of an answer. */
export function entriesIn(value: FileValue): readonly FileEntry[] {
  // As above.
  return (value as { readonly value: readonly FileEntry[] }).value;
}

/** The path of an answer; undefined if it has none. */
export function pathIn(value: FileValue): string | undefined {
  const path = "value" in value ? value.value : null;
  return typeof path === "string" ? path : undefined;
}

/** Base64 of bytes, or of the UTF-8 of a text. */
export function bytesOf(bytes: unknown): string {
  if (ArrayBuffer.isView(bytes)) return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength).toBase64();
  throw new TypeError("the content of a file is a Uint8Array");
}

/** Base64 of the UTF-8 of a text. */
export function textOf(text: unknown): string {
  return text instanceof Uint8Array ? text.toBase64() : new TextEncoder().encode(String(text)).toBase64();
}

function written(path: unknown, bytes: string, options: unknown): FileQuestion {
  const create = isSet(options, "createNew") ? "always" : optionIn(options, "create") === false ? "never" : "missing";
  return { call: "write", path: pathOf(path), bytes, append: isSet(options, "append"), create, ...modeIn(options) };
}

async function collected(stream: ReadableStream<unknown>): Promise<Uint8Array> {
  const parts: BlobPart[] = [];
  for await (const part of stream) {
    parts.push(part instanceof Uint8Array ? new Uint8Array(part) : String(part));
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** The value of an option that a caller gave. */
export function optionIn(options: unknown, name: string): unknown {
  if (typeof options !== "object" || options === null) return undefined;
  return (options as Readonly<Record<string, unknown>>)[name]; // an object, read by name
}

/** Whether an option is true. */
export function isSet(options: unknown, name: string): boolean {
  return optionIn(options, name) === true;
}

/** Permission bits among options. */
export function modeIn(options: unknown): { readonly mode?: number } {
  const mode = optionIn(options, "mode");
  return typeof mode === "number" ? { mode } : {};
}

const dateOf = (time: number | null): Date | null => time === null ? null : new Date(time);

function fileInfo({ kind, mtime, atime, ctime, birthtime, ...status }: FileStatus): Record<string, unknown> {
  return {
    ...{ isFile: kind === "file", isDirectory: kind === "directory", isSymlink: kind === "link" },
    ...status,
    ...{ mtime: dateOf(mtime), atime: dateOf(atime), ctime: dateOf(ctime), birthtime: dateOf(birthtime) },
    ...{ rdev: null, blksize: null, blocks: null, isBlockDevice: false, isCharDevice: false },
    ...{ isFifo: false, isSocket: false },
  };
}

function dirEntry({ name, kind }: FileEntry): Deno.DirEntry {
  return { name, isFile: kind === "file", isDirectory: kind === "directory", isSymlink: kind === "link" };
}
