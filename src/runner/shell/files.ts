import { dirname, join, normalize } from "@std/path";
import type { FsStat, IFileSystem } from "just-bash";
import { Buffer } from "node:buffer";
import type * as fs from "node:fs";
import { startPace } from "../../../tools/search/pace.ts";
import { ToolError } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";
import type { Policy } from "../../core/policy.ts";
import type { Files } from "../../core/tool.ts";
import type { Access, Denied } from "../files/denial.ts";
import { explainShellFailure, shellFailure } from "./failure.ts";
import { NO_LINKS, type ShellFileCalls, shellFileCalls } from "./file_calls.ts";
import { FULL_DEVICE, ownFiles } from "./own_files.ts";

/** What the shell's disk is made of. */
export interface ShellFilesOptions {
  readonly policy: Policy;
  readonly files: Files;
  /** Names of the shell's commands. */
  readonly commands: ReadonlySet<string>;
  /** Hears what the model should be told about a refusal, and what was denied where a grant could help. */
  readonly onDenial: (note: string, denied?: Denied) => void;
  /** Hears what commands say wrongly, or not at all, of something that nobody refused. */
  readonly onNote: (note: string) => void;
}

/**
 * The disk as the in-process shell's commands see it: real paths, and every call through the guarded file calls.
 *
 * Denials look to commands like the system's own; what the model should know about them goes to `onDenial`.
 */
export function shellFiles({ policy, files, commands, onDenial, onNote }: ShellFilesOptions): IFileSystem {
  const calls = shellFileCalls(policy, files);
  const own = ownFiles(commands, policy);
  const pace = startPace(Infinity);

  /** Runs a call; a turn of the event loop now and then lets an abort be heard. */
  const guard = async <T>(access: Access, operation: string, path: string, work: () => T): Promise<T> => {
    await pace.breathe();
    try {
      return work();
    } catch (error) {
      const { failure, note, denied } = explainShellFailure(error, { access, operation, path }, policy);
      if (note !== undefined) onDenial(note, denied);
      throw failure;
    }
  };
  const change = (operation: string, path: string, work: () => void): Promise<void> =>
    guard("write", operation, path, () => {
      // Commands write to devices by name; to anything else of the shell's own nobody can.
      if (!own.isDevice(path)) work();
    });
  const write = (path: string, work: () => void): Promise<void> =>
    change("open", path, () => {
      if (path === FULL_DEVICE) {
        onNote(`${FULL_DEVICE} refuses every write for want of space. That is what it is for; nothing was denied.`);
        throw shellFailure("ENOSPC", "write", path);
      }
      refuseNoFile(path, calls);
      work();
    });
  const read = (path: string): Promise<Uint8Array<ArrayBuffer>> =>
    guard("read", "open", path, () => {
      if (own.stat(path)?.isDirectory) throw shellFailure("EISDIR", "read", path);
      return own.stat(path) ? new Uint8Array() : readFile(path, files, calls);
    });
  const noLinks = (operation: string, path: string): Promise<never> => {
    onDenial(`Cannot make ${path}: ${NO_LINKS}`);
    return Promise.reject(shellFailure("EPERM", operation, path));
  };

  return {
    readFile: async (path, options) => textOf(await read(path), options),
    readFileBuffer: read,
    writeFile: (path, content, options) => write(path, () => files.write(path, bytesOf(content, options))),
    appendFile: (path, content, options) => write(path, () => calls.append(path, bytesOf(content, options))),
    exists: async (path) => {
      await pace.breathe();
      // What may not be seen is not there.
      return own.stat(path) !== undefined || attempt(() => calls.stat(path)) !== undefined;
    },
    stat: (path) => guard("read", "stat", path, () => own.stat(path) ?? statToRun(path, files, calls)),
    lstat: (path) => guard("read", "lstat", path, () => own.stat(path) ?? statOf(calls.lstat(path))),
    mkdir: (path, options) => change("mkdir", path, () => calls.makeFolder(path, options?.recursive ?? false)),
    readdir: async (path) => (await entries(path)).map(({ name }) => name),
    readdirWithFileTypes: (path) => entries(path),
    rm: (path, options) =>
      change("rm", path, () => {
        const isThere = attempt(() => calls.lstat(path)) !== undefined;
        if (isThere || !options?.force) calls.remove(path, options?.recursive ?? false);
      }),
    cp: (from, to, options) => change("cp", to, () => calls.copy(from, to, options?.recursive ?? false)),
    mv: (from, to) => change("rename", to, () => calls.move(from, to)),
    resolvePath: (base, path) => resolved(base, path),
    getAllPaths: () => [],
    chmod: (path, mode) => change("chmod", path, () => calls.setMode(path, mode)),
    symlink: (_target, path) => noLinks("symlink", path),
    link: (_existing, path) => noLinks("link", path),
    readlink: (path) => guard("read", "readlink", path, () => calls.readLink(path)),
    realpath: (path) => guard("read", "realpath", path, () => own.stat(path) ? path : calls.realPath(path)),
    utimes: (path, accessed, modified) => change("utime", path, () => calls.setTimes(path, accessed, modified)),
  };

  function entries(path: string): Promise<Entry[]> {
    return guard("read", "scandir", path, () => {
      const names = own.names(path);
      return names?.map((name) => ({ name, ...FILE })) ?? listed(path, files, calls);
    });
  }
}

/** A name in a folder as the shell's commands take it. */
interface Entry {
  readonly name: string;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly isSymbolicLink: boolean;
}

const FILE = { isFile: true, isDirectory: false, isSymbolicLink: false };

function listed(path: string, files: Files, calls: ShellFileCalls): Entry[] {
  if (attempt(() => calls.stat(path))?.isDirectory() === false) throw shellFailure("ENOTDIR", "scandir", path);
  const all = files.list(path).map(({ name, isDirectory, isSymlink: isSymbolicLink }) => {
    return { name, isDirectory, isSymbolicLink, isFile: !isDirectory && !isSymbolicLink };
  });
  return all.sort((a, b) => a.name < b.name ? -1 : 1);
}

function readFile(path: string, files: Files, calls: ShellFileCalls): Uint8Array<ArrayBuffer> {
  try {
    return files.read(path);
  } catch (error) {
    if (error instanceof ToolError && isFolder(path, calls)) throw shellFailure("EISDIR", "read", path);
    throw error;
  }
}

/** A missing folder is a mistake that a script should hear of; the file tools would make it. */
function refuseNoFile(path: string, calls: ShellFileCalls): void {
  if (isFolder(path, calls)) throw shellFailure("EISDIR", "open", path);
  if (attempt(() => calls.stat(dirname(path))) === undefined && isMissing(dirname(path), calls)) {
    throw shellFailure("ENOENT", "open", path);
  }
}

function isMissing(path: string, calls: ShellFileCalls): boolean {
  try {
    calls.stat(path);
    return false;
  } catch (error) {
    return !(error instanceof ToolError);
  }
}

function isFolder(path: string, calls: ShellFileCalls): boolean {
  return attempt(() => calls.stat(path))?.isDirectory() ?? false;
}

/** The shell runs what has an execute bit as a script of its own: only what is one shows that bit. */
function statToRun(path: string, files: Files, calls: ShellFileCalls): FsStat {
  const found = statOf(calls.stat(path));
  if (!found.isFile || (found.mode & 0o111) === 0) return found;
  const head = attempt(() => files.read(path, 0, HEAD_BYTES));
  return head && isShellScript(head) ? found : { ...found, mode: found.mode & ~0o111 };
}

function statOf(found: fs.Stats): FsStat {
  return {
    isFile: found.isFile(),
    isDirectory: found.isDirectory(),
    isSymbolicLink: found.isSymbolicLink(),
    mode: found.mode & 0o7777,
    size: found.size,
    mtime: found.mtime,
    dev: found.dev,
    ino: found.ino,
  };
}

function resolved(base: string, path: string): string {
  const full = normalize(path.startsWith("/") ? path : join(base, path));
  return full.length > 1 && full.endsWith("/") ? full.slice(0, -1) : full;
}

/** Enough for the first line of any script. */
const HEAD_BYTES = 128;

/**
 * Whether a file with this beginning is a shell script: one that says so, or text that names no interpreter.
 *
 * The in-process shell takes every executable file for one, and would run Python or machine code as if it were.
 */
export function isShellScript(head: Uint8Array): boolean {
  if (head.includes(0)) return false;
  const [first = ""] = new TextDecoder().decode(head).split("\n", 1);
  return !first.startsWith("#!") || /^#!\s*\S*\/(?:env\s+(?:-S\s+)?)?(?:ba|da|a|k|z)?sh(?:\s|$)/.test(first);
}

/** Text encodings that the shell's commands name. */
type Encoding = "utf8" | "utf-8" | "ascii" | "binary" | "base64" | "hex" | "latin1";

/** An encoding, or options that may hold one, as file calls take them. */
export type EncodingOption = Encoding | { readonly encoding?: Encoding | null } | undefined;

/** Content as bytes; text is UTF-8 unless told otherwise. */
export function bytesOf(content: string | Uint8Array, option?: EncodingOption): Uint8Array<ArrayBuffer> {
  return typeof content === "string" ? Uint8Array.from(Buffer.from(content, nameOf(option))) : Uint8Array.from(content);
}

/** Bytes as text. */
export function textOf(bytes: Uint8Array<ArrayBuffer>, option?: EncodingOption): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(nameOf(option));
}

function nameOf(option: EncodingOption): Encoding {
  return (typeof option === "string" ? option : option?.encoding) ?? "utf8";
}
