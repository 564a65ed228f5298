import { dirname } from "@std/path";
import { messageOf, UserError } from "./error.ts";

/** What a file or directory is opened for. */
export type Access = "read" | "write";

/**
 * A path after its links were followed and its target was checked. Only `NamedFiles.find` creates one.
 */
export interface NamedFile {
  /** As it was named, absolute and normalized. */
  readonly path: string;
  /** Where that leads. No part of it that tools can write was a link at the time of the check. */
  readonly real: string;
  /** What it was checked for. */
  readonly access: Access;
  /** The directory that tools can write and that holds it. Undefined if tools cannot write at `real`. */
  readonly root?: string;
}

/** How a path came to be known. */
export interface FindOptions {
  readonly access: Access;
  /**
   * True if the user typed this exact path, which then needs no permission of the policy. A path that the program or a file
   * composed, or the target of a link, was not typed.
   */
  readonly typed: boolean;
  /** False: the result is what stands at the path itself, also if that is a link. True unless told otherwise. */
  readonly follow?: boolean;
}

/**
 * Opens files and directories by names that tools may have influenced: an earlier command or a cloned repository can put a
 * link anywhere inside a directory that tools can write.
 *
 * `find` follows the links of a path once and rejects a link inside such a directory that leads out of it. The other functions
 * take its result, follow no link inside such a directory, and open a regular file or directory by a descriptor, so that nothing
 * is opened twice by name. They throw what the same function of Deno throws, with the real path in the message.
 */
export interface NamedFiles {
  /**
   * Follows and checks a path, which need not exist.
   *
   * @param path Absolute.
   * @throws LinkOutside (exit code 2) if a link leads out of the directory that tools can write.
   * @throws UserError (exit code 2) if the policy denies the target and the user did not type it.
   */
  find(path: string, options: FindOptions): NamedFile;
  /** Status of the file or directory, without following a link. Undefined if nothing is there. */
  status(file: NamedFile): Deno.FileInfo | undefined;
  /** Opens a regular file for reading and never waits: a pipe or device throws. `anyKind` applies where tools cannot write. */
  open(file: NamedFile, options?: { readonly anyKind?: boolean }): Deno.FsFile;
  /** The bytes of a regular file of at most `maxBytes`; throws FileTooLarge for a larger one. */
  read(file: NamedFile, maxBytes: number): Uint8Array<ArrayBuffer>;
  /** Entries of a directory, by name. */
  list(directory: NamedFile): readonly Deno.DirEntry[];
  /** Creates a regular file and opens it to read and append; throws AlreadyExists if the name is taken. */
  create(file: NamedFile, mode: number): Deno.FsFile;
  /** Opens an existing regular file to read and append. */
  update(file: NamedFile): Deno.FsFile;
  /** Opens a regular file to read and append, and creates it with `mode` if there is none. */
  append(file: NamedFile, mode: number): Deno.FsFile;
  /**
   * Writes a file in one step and to the disk: a reader sees the old content or the new. A link in its place is replaced. An
   * existing file keeps its mode unless one is given; a new file gets `mode`, or 0600.
   *
   * @param content The bytes, or a function that writes them to the open file and whose result is returned.
   */
  replace(file: NamedFile, content: Uint8Array, mode?: number): void;
  replace<T>(file: NamedFile, content: (file: Deno.FsFile) => T, mode?: number): T;
  /** Creates a directory in an existing one. Does nothing if there is one already. */
  makeDirectory(directory: NamedFile, mode: number): void;
  /** Removes a file, a link or an empty directory. */
  remove(file: NamedFile): void;
  /** Gives a file, link or directory another path, in place of what is there; throws as Deno.rename. */
  rename(from: NamedFile, to: NamedFile): void;
}

/** A link in a directory that tools can write leads out of that directory. */
export class LinkOutside extends UserError {
  /** The link: absolute, with the directories before it real. */
  readonly link: string;
  /** The text of the link. */
  readonly target: string;

  constructor(path: string, link: string, target: string, root: string) {
    const name = link === path ? "it" : `"${link}"`;
    super({
      what: `Cannot open "${path}"`,
      why: `${name} is a link to "${target}", which is outside of ${root}`,
      fix: "Name the target itself if you trust it, or replace the link",
    });
    this.link = link;
    this.target = target;
  }
}

/** A file is larger than its reader accepts. */
export class FileTooLarge extends Error {
  override readonly name = "FileTooLarge";
  /** Bytes. */
  readonly size: number;

  constructor(path: string, size: number, maxBytes: number) {
    super(`${path} has ${size} bytes, and at most ${maxBytes} are read`);
    this.size = size;
  }
}

/** Creates a directory and those around it, each inside the one before. Throws what `NamedFiles` throws. */
export function makeDirectories(files: NamedFiles, path: string, mode: number): NamedFile {
  const directory = files.find(path, { access: "write", typed: true });
  try {
    files.makeDirectory(directory, mode);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound) || dirname(path) === path) throw error;
    makeDirectories(files, dirname(path), mode);
    files.makeDirectory(directory, mode);
  }
  return directory;
}

/** Why a path that the program found must not be followed: a clause; undefined if no link leads where it must not. */
export function linkProblem(files: NamedFiles, path: string): string | undefined {
  try {
    files.find(path, { access: "read", typed: true });
    return undefined;
  } catch (error) {
    return error instanceof UserError ? error.why : messageOf(error);
  }
}
