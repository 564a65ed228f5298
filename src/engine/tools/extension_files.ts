// Opens the files of extensions in this process: Deno's permissions check names only, and a command can put a link at any name
// in the workspace. Loaded with the first extension that was granted files.
import { dirname, join, normalize, resolve } from "@std/path";
import type { ExtensionFiles, FileAnswer, FileEntry, FileRequest, FileStatus } from "../../core/extension_files.ts";
import { MAX_FILE_BYTES } from "../../core/extension_files.ts";
import type { ExtensionPermissions } from "../../core/hook.ts";
import type { Access, NamedFile, NamedFiles } from "../../core/named_files.ts";
import { isInside, type Policy, whyNoGrant, whyNotRenamed } from "../../core/policy.ts";
import { formatSize } from "../../core/support/text.ts";
import { createNamedFiles } from "../../sandbox/names/named_files.ts";

/** Most bytes of a file that is copied. */
const MAX_COPY_BYTES = 64 * 1024 * 1024;

/** What the files of extensions are opened with. */
export interface ExtensionFilesOptions {
  /** The policy of this moment: what it denies or protects is closed to extensions too. */
  readonly policy: () => Policy;
  /** Directories that tools can write, as of now; absolute. */
  readonly roots: () => readonly string[];
  /** Where relative paths start: absolute. */
  readonly cwd: string;
  /** The user's home: absolute. */
  readonly home: string;
}

/** Opens the files that an extension was granted. */
export function extensionFiles(
  granted: ExtensionPermissions,
  { policy, roots, cwd, home }: ExtensionFilesOptions,
): ExtensionFiles {
  const absolute = (path: string): string => {
    const full = path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : resolve(cwd, path);
    return normalize(full).replace(/(?<=.)\/+$/, "");
  };
  const entries = { read: (granted.read ?? []).map(absolute), write: (granted.write ?? []).map(absolute) };

  const named = (path: string, access: Access): string => {
    const full = absolute(path);
    if (entries[access].some((entry) => isInside(full, entry))) return full;
    throw new Deno.errors.NotCapable(
      `this extension has no permission to ${access} "${full}". It asks for it with permissions = { ${access}: [PATH] }, ` +
        "and the user grants it",
    );
  };
  const open = (current: Policy): Opening => {
    const whyClosed = (access: Access, real: string): string | undefined => whyNoGrant(access, real, current);
    const any = createNamedFiles({ roots: roots(), whyDenied: whyClosed });
    const find = (path: string): string => any.find(path, { access: "read", typed: true }).real;
    const top = find(cwd);
    // What was granted in the workspace is not moved elsewhere by a link; what lies outside can be a link of the user's own.
    const realEntry = (entry: string): string =>
      isInside(entry, cwd) ? join(top, entry.slice(cwd.length)) : find(entry);
    const whyDenied = (access: Access, real: string): string | undefined =>
      entries[access].some((entry) => isInside(real, realEntry(entry)))
        ? whyClosed(access, real)
        : `this extension has no permission to ${access} it`;
    const files = createNamedFiles({ roots: roots(), whyDenied });
    return {
      files,
      any,
      at: (path, access) => files.find(named(path, access), { access, typed: false }),
      nameAt: (path, access) => files.find(named(path, access), { access, typed: false, follow: false }),
      whyFixed: (real) => whyNotRenamed(real, current),
    };
  };
  let opened: { readonly current: Policy; readonly opening: Opening } | undefined;
  return (request) => {
    const current = policy();
    if (opened?.current !== current) opened = { current, opening: open(current) };
    return run(request, opened.opening);
  };
}

interface Opening {
  /** Within what was granted. */
  readonly files: NamedFiles;
  /** Wherever the policy denies nothing. */
  readonly any: NamedFiles;
  /** The file that a path leads to. */
  readonly at: (path: string, access: Access) => NamedFile;
  /** What stands at a path itself, also a link. */
  readonly nameAt: (path: string, access: Access) => NamedFile;
  /** Why a real path keeps its name, as a clause; undefined if it can be renamed. */
  readonly whyFixed: (real: string) => string | undefined;
}

function run(request: FileRequest, { files, any, at, nameAt, whyFixed }: Opening): FileAnswer {
  const { call, path } = request;
  switch (call) {
    case "read":
      return files.read(at(path, "read"), MAX_FILE_BYTES);
    case "stat":
      return statusOf(files, at(path, "read"));
    case "lstat":
      return statusOf(files, nameAt(path, "read"));
    case "realPath": {
      const file = at(path, "read");
      statusOf(files, file);
      return file.real;
    }
    case "list":
      return files.list(at(path, "read")).map((entry): FileEntry => ({ name: entry.name, kind: kindOf(entry) }));
    case "write":
      write(files, at(path, "write"), request);
      return undefined;
    case "mkdir":
      return makeDirectory(any, at(path, "write"), request);
    case "remove": {
      const file = nameAt(path, "write");
      const isDirectory = statusOf(files, file).kind === "directory";
      if (isDirectory && request.only === "file") throw new Deno.errors.IsADirectory(`${file.path} is a directory`);
      if (isDirectory && request.recursive) removeTree(files, file);
      else files.remove(file);
      return undefined;
    }
    case "rename": {
      nameAt(path, "read");
      const from = nameAt(path, "write");
      const why = whyFixed(from.real);
      if (why !== undefined) throw new Deno.errors.NotCapable(`${from.path} cannot be renamed: ${why}`);
      files.rename(from, nameAt(request.to, "write"));
      return undefined;
    }
    case "copy":
      copy(files, at(path, "read"), at(request.to, "write"), request.exclusive === true);
      return undefined;
  }
}

function write(files: NamedFiles, file: NamedFile, request: Extract<FileRequest, { readonly call: "write" }>): void {
  const { bytes, append, create, mode = 0o644 } = request;
  const old = infoOf(files, file);
  if (old === undefined && create === "never") throw missing(file);
  if (old !== undefined && !old.isFile) {
    const Failure = old.isDirectory ? Deno.errors.IsADirectory : Deno.errors.NotSupported;
    throw new Failure(`${file.path} is not a regular file`);
  }
  if (create === "always" || append) {
    using opened = create === "always" ? files.create(file, mode) : files.append(file, mode);
    for (let done = 0; done < bytes.length;) done += opened.writeSync(bytes.subarray(done));
  } else files.replace(file, bytes, old === undefined ? mode : undefined);
}

/** Creates a directory, and with `recursive` those around it; gives the first that was created. */
function makeDirectory(
  any: NamedFiles,
  directory: NamedFile,
  { recursive, mode = 0o777 }: Extract<FileRequest, { readonly call: "mkdir" }>,
): string | undefined {
  const old = infoOf(any, directory);
  if (old !== undefined) {
    if (recursive && old.isDirectory) return undefined;
    throw new Deno.errors.AlreadyExists(`${directory.path} exists already`);
  }
  const missingParents: NamedFile[] = [];
  for (let at = dirname(directory.real); recursive; at = dirname(at)) {
    const parent = any.find(at, { access: "write", typed: true });
    if (infoOf(any, parent) !== undefined) break;
    missingParents.unshift(any.find(at, { access: "write", typed: false }));
  }
  for (const parent of [...missingParents, directory]) any.makeDirectory(parent, mode & ~Deno.umask());
  return (missingParents[0] ?? directory).real;
}

function removeTree(files: NamedFiles, directory: NamedFile): void {
  for (const { name, isDirectory } of files.list(directory)) {
    const inner = files.find(join(directory.real, name), { access: "write", typed: false, follow: false });
    if (isDirectory) removeTree(files, inner);
    else files.remove(inner);
  }
  files.remove(directory);
}

function copy(files: NamedFiles, from: NamedFile, to: NamedFile, exclusive: boolean): void {
  using source = files.open(from);
  const { size, mode } = source.statSync();
  if (size > MAX_COPY_BYTES) {
    throw new RangeError(`${from.path} has ${formatSize(size)}, and at most ${formatSize(MAX_COPY_BYTES)} are copied`);
  }
  const fill = (target: Deno.FsFile): void => {
    const part = new Uint8Array(1 << 18);
    for (let count = source.readSync(part); count !== null; count = source.readSync(part)) {
      for (let done = 0; done < count;) done += target.writeSync(part.subarray(done, count));
    }
  };
  if (!exclusive) return files.replace(to, fill, (mode ?? 0o644) & 0o777);
  using target = files.create(to, (mode ?? 0o644) & 0o777);
  fill(target);
}

/** Undefined if nothing is there, and no directory either in which it could be. */
function infoOf(files: NamedFiles, file: NamedFile): Deno.FileInfo | undefined {
  try {
    return files.status(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function statusOf(files: NamedFiles, file: NamedFile): FileStatus {
  const info = infoOf(files, file);
  if (info === undefined) throw missing(file);
  const { size, dev, ino, mode, nlink, uid, gid } = info;
  const time = (date: Date | null): number | null => date?.getTime() ?? null;
  return {
    kind: kindOf(info),
    ...{ size, dev, ino, mode, nlink, uid, gid },
    ...{ mtime: time(info.mtime), atime: time(info.atime), ctime: time(info.ctime), birthtime: time(info.birthtime) },
  };
}

function kindOf(entry: Pick<Deno.FileInfo, "isFile" | "isDirectory" | "isSymlink">): FileStatus["kind"] {
  return entry.isFile ? "file" : entry.isDirectory ? "directory" : entry.isSymlink ? "link" : "other";
}

function missing(file: NamedFile): Error {
  return Object.assign(new Deno.errors.NotFound(`there is no ${file.path}`), { code: "ENOENT" });
}
