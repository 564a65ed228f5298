/** One call of a file function of an extension. Paths are absolute or start at the workspace, and are not normalized. */
export type FileRequest =
  | { readonly call: "read" | "stat" | "lstat" | "list" | "realPath"; readonly path: string }
  | {
    readonly call: "write";
    readonly path: string;
    readonly bytes: Uint8Array<ArrayBuffer>;
    /** Adds the bytes at the end of the file. */
    readonly append: boolean;
    /** Whether a missing file is created: it must exist, may exist, or must not exist. */
    readonly create: "never" | "missing" | "always";
    /** Permission bits of a new file. */
    readonly mode?: number;
  }
  | { readonly call: "mkdir"; readonly path: string; readonly recursive: boolean; readonly mode?: number }
  | { readonly call: "remove"; readonly path: string; readonly recursive: boolean; readonly only?: "file" }
  | { readonly call: "rename" | "copy"; readonly path: string; readonly to: string; readonly exclusive?: boolean };

/** Status of a file: times in milliseconds since 1970. */
export interface FileStatus {
  readonly kind: "file" | "directory" | "link" | "other";
  readonly size: number;
  readonly mtime: number | null;
  readonly atime: number | null;
  readonly ctime: number | null;
  readonly birthtime: number | null;
  readonly dev: number;
  readonly ino: number | null;
  readonly mode: number | null;
  readonly nlink: number | null;
  readonly uid: number | null;
  readonly gid: number | null;
}

/** An entry of a directory. */
export interface FileEntry {
  readonly name: string;
  readonly kind: FileStatus["kind"];
}

/** What a call returns: bytes of `read`, status of `stat` and `lstat`, entries of `list`, a path of `realPath` and `mkdir`. */
export type FileAnswer = Uint8Array<ArrayBuffer> | FileStatus | readonly FileEntry[] | string | undefined;

/**
 * Runs file functions of one extension in the program's process, within what the user granted and the policy leaves.
 * Throws what the same function of Deno throws; `NotCapable` for what was not granted or is denied.
 */
export type ExtensionFiles = (request: FileRequest) => FileAnswer;

/** Most bytes that one call reads or writes. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024;
