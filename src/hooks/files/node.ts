// File functions of `node:fs` and `node:fs/promises` as an extension has them. Each sends a request to the host.
import { Buffer } from "node:buffer";
import type { FileEntry, FileStatus } from "../../core/extension_files.ts";
import {
  type AnyFunction,
  bytesIn,
  bytesOf,
  entriesIn,
  isSet,
  modeIn,
  optionIn,
  pathIn,
  pathOf,
  statusIn,
  textOf,
  unsupported,
} from "./deno.ts";
import type { FileChannel, FileQuestion, FileValue } from "./channel.ts";

/** A call as a sequence of questions: each `yield` gives one and receives its answer. */
type Steps = Generator<FileQuestion, unknown, FileValue>;

const COPYFILE_EXCL = 1;

/** Not the global type of the same meaning: `deno compile` by hand does not know it. */
type Encoding = NonNullable<Parameters<InstanceType<typeof Buffer>["toString"]>[0]>;

/** How each function is done, by its name in `node:fs/promises`. */
const FUNCTIONS: Readonly<Record<string, (...args: readonly unknown[]) => Steps>> = {
  *readFile(path, options) {
    return decoded(bytesIn(yield { call: "read", path: pathOf(path) }), options);
  },
  *writeFile(path, content, options) {
    yield written(path, content, options, "w");
  },
  *appendFile(path, content, options) {
    yield written(path, content, options, "a");
  },
  *mkdir(path, options) {
    const mode = typeof options === "number" ? { mode: options } : modeIn(options);
    const recursive = isSet(options, "recursive");
    return pathIn(yield { call: "mkdir", path: pathOf(path), recursive, ...mode });
  },
  *readdir(path, options) {
    const top = pathOf(path);
    const found: (readonly [parent: string, prefix: string, entry: FileEntry])[] = [];
    const directories: (readonly [path: string, prefix: string])[] = [[top, ""]];
    for (let next = directories.shift(); next; next = directories.shift()) {
      const [parent, prefix] = next;
      for (const entry of entriesIn(yield { call: "list", path: parent })) {
        found.push([parent, prefix, entry]);
        if (!isSet(options, "recursive") || entry.kind !== "directory") continue;
        directories.push([`${parent}/${entry.name}`, `${prefix}${entry.name}/`]);
      }
    }
    if (isSet(options, "withFileTypes")) return found.map(([parent, , entry]) => dirent(parent, entry));
    return found.map(([, prefix, { name }]) => prefix + name);
  },
  *stat(path, options) {
    return yield* status("stat", path, options);
  },
  *lstat(path, options) {
    return yield* status("lstat", path, options);
  },
  *rm(path, options) {
    const recursive = isSet(options, "recursive");
    try {
      // Without `recursive` it removes no directory, not even an empty one.
      yield { call: "remove", path: pathOf(path), recursive, ...(recursive ? {} : { only: "file" }) };
    } catch (error) {
      if (!isSet(options, "force") || codeOf(error) !== "ENOENT") throw error;
    }
  },
  *unlink(path) {
    yield { call: "remove", path: pathOf(path), recursive: false, only: "file" };
  },
  *rename(path, to) {
    yield { call: "rename", path: pathOf(path), to: pathOf(to) };
  },
  *copyFile(path, to, mode) {
    const exclusive = typeof mode === "number" && (mode & COPYFILE_EXCL) !== 0;
    yield { call: "copy", path: pathOf(path), to: pathOf(to), exclusive };
  },
  *realpath(path) {
    return pathIn(yield { call: "realPath", path: pathOf(path) });
  },
  *access(path) {
    yield { call: "stat", path: pathOf(path) };
  },
};

/** The members of `node:fs` and of `node:fs/promises`. `names`: all that the real modules have, for clear errors. */
export function nodeFiles(
  { ask, askNow }: FileChannel,
  constants: unknown,
  names: readonly string[],
): { readonly fs: Readonly<Record<string, unknown>>; readonly promises: Readonly<Record<string, unknown>> } {
  const promises: Record<string, AnyFunction> = {};
  const fs: Record<string, AnyFunction> = {};
  for (const [name, work] of Object.entries(FUNCTIONS)) {
    promises[name] = async (...args) => {
      const steps = work(...args);
      for (let step = steps.next();;) {
        if (step.done) return step.value;
        const answer = await ask(step.value).then((value) => ({ value }), (error: unknown) => ({ error }));
        step = "error" in answer ? steps.throw(nodeError(answer.error)) : steps.next(answer.value);
      }
    };
    fs[`${name}Sync`] = (...args) => {
      const steps = work(...args);
      for (let step = steps.next();;) {
        if (step.done) return step.value;
        step = answered(steps, step.value, askNow);
      }
    };
  }
  fs["existsSync"] = (path) => {
    try {
      fs["accessSync"]?.(path);
      return true;
    } catch {
      return false;
    }
  };
  const supported = [...Object.keys(fs), ...Object.keys(promises).map((name) => `promises.${name}`)].sort();
  const refuse = (name: string) => (): never => {
    throw unsupported(`node:fs ${name}`, supported);
  };
  const others = (known: object): Record<string, AnyFunction> =>
    Object.fromEntries(names.filter((name) => !Object.hasOwn(known, name)).map((name) => [name, refuse(name)]));
  const all = { ...others(promises), ...promises };
  return { fs: { ...others(fs), ...fs, constants, promises: all }, promises: { ...all, constants } };
}

function answered(steps: Steps, question: FileQuestion, askNow: FileChannel["askNow"]): IteratorResult<FileQuestion> {
  let value: FileValue;
  try {
    value = askNow(question);
  } catch (error) {
    return steps.throw(nodeError(error));
  }
  return steps.next(value);
}

const CODES: readonly (readonly [new (message?: string) => Error, code: string])[] = [
  [Deno.errors.NotFound, "ENOENT"],
  [Deno.errors.AlreadyExists, "EEXIST"],
  [Deno.errors.IsADirectory, "EISDIR"],
  [Deno.errors.NotADirectory, "ENOTDIR"],
  [Deno.errors.NotCapable, "EACCES"],
  [Deno.errors.PermissionDenied, "EACCES"],
  [Deno.errors.FilesystemLoop, "ELOOP"],
];

/** An error as node's own are: with a `code`, which its message begins with. */
function nodeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = CODES.find(([Class]) => error instanceof Class)?.[1] ?? codeOf(error);
  return code === undefined ? error : Object.assign(new Error(`${code}: ${error.message}`, { cause: error }), { code });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

function encodingIn(options: unknown): unknown {
  return typeof options === "string" ? options : optionIn(options, "encoding");
}

function decoded(bytes: Uint8Array<ArrayBuffer>, options: unknown): unknown {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const encoding = encodingIn(options);
  return typeof encoding === "string" && encoding !== "buffer"
    ? buffer.toString(encoding as Encoding) // `toString` throws for one that does not exist
    : buffer;
}

/** The modes of opening that write a whole file. */
const FLAGS: Readonly<Record<string, { readonly append: boolean; readonly create: string }>> = {
  w: { append: false, create: "missing" },
  wx: { append: false, create: "always" },
  a: { append: true, create: "missing" },
  ax: { append: true, create: "always" },
};

function written(path: unknown, content: unknown, options: unknown, usual: string): FileQuestion {
  const flag = String(optionIn(options, "flag") ?? usual);
  const opened = FLAGS[flag];
  if (!opened) throw new TypeError(`a file is written with the flag w, wx, a or ax, and not with ${flag}`);
  const encoding = encodingIn(options) ?? "utf8";
  const isText = typeof content === "string" && encoding !== "utf8" && encoding !== "utf-8";
  // As above.
  const bytes = isText ? bytesOf(Buffer.from(content, encoding as Encoding)) : contentOf(content);
  return { call: "write", path: pathOf(path), bytes, ...opened, ...modeIn(options) };
}

function contentOf(content: unknown): string {
  return ArrayBuffer.isView(content) ? bytesOf(content) : textOf(content);
}

function* status(call: "stat" | "lstat", path: unknown, options: unknown): Steps {
  if (isSet(options, "bigint")) throw new TypeError("a status has numbers, and no bigint");
  try {
    return stats(statusIn(yield { call, path: pathOf(path) }));
  } catch (error) {
    if (optionIn(options, "throwIfNoEntry") === false && codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

const kinds = (kind: FileStatus["kind"]): Record<string, () => boolean> => ({
  isFile: () => kind === "file",
  isDirectory: () => kind === "directory",
  isSymbolicLink: () => kind === "link",
  ...Object.fromEntries(
    ["isFIFO", "isSocket", "isBlockDevice", "isCharacterDevice"].map((name) => [name, () => false]),
  ),
});

function stats({ kind, mtime, atime, ctime, birthtime, ...numbers }: FileStatus): Record<string, unknown> {
  const times = { mtime, atime, ctime, birthtime };
  return {
    ...numbers,
    ...Object.fromEntries(
      Object.entries(times).flatMap(([name, time]) => [
        [`${name}Ms`, time ?? 0],
        [name, new Date(time ?? 0)],
      ]),
    ),
    ...kinds(kind),
  };
}

function dirent(parentPath: string, { name, kind }: FileEntry): Record<string, unknown> {
  return { name, parentPath, path: parentPath, ...kinds(kind) };
}
