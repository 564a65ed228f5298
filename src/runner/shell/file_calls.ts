// File calls that only the in-process shell makes: the file tools read, write and list, and do nothing else to a disk.
import { basename, dirname, join } from "@std/path";
import { ToolError } from "../../core/error.ts";
import { covers, type Policy } from "../../core/policy.ts";
import { formatSize } from "../../core/support/text.ts";
import type { Files } from "../../core/tool.ts";
import type { Access } from "../files/denial.ts";
import { codeOf } from "../files/failure.ts";
import { makeFolders } from "../files/make_folders.ts";
import { openRegular } from "../files/opened_file.ts";
import { type Place, placeOf } from "../files/place.ts";
import { fileScope } from "../files/scope.ts";
import { shellFailure } from "./failure.ts";
import { shownPath } from "../../../tools/text/shown_path.ts";
import * as fs from "node:fs";

/** Modes that tools may set: never set-user-id and its kind. */
const MODE_BITS = 0o777;

/** Deno makes a link only for who may read and write everything, for a link can lead anywhere. */
export const NO_LINKS = "the in-process shell makes no links";

/** Synchronous file calls on absolute paths; they throw a `ToolError` for a denial and the system's own error otherwise. */
export interface ShellFileCalls {
  /** Links followed. */
  stat(path: string): fs.Stats;
  lstat(path: string): fs.Stats;
  realPath(path: string): string;
  readLink(path: string): string;
  append(path: string, bytes: Uint8Array<ArrayBuffer>): void;
  makeFolder(path: string, withParents: boolean): void;
  /** A file, a link or an empty folder; with `recursive` a folder with all that is in it. */
  remove(path: string, recursive: boolean): void;
  move(from: string, to: string): void;
  /** A file; with `recursive` a folder with all that is in it. Links cannot be copied. */
  copy(from: string, to: string, recursive: boolean): void;
  setMode(path: string, mode: number): void;
  setTimes(path: string, accessed: Date, modified: Date): void;
}

/** The calls under a policy. A look and the act after it are two calls: only a kernel closes the moment between them. */
export function shellFileCalls(policy: Policy, files: Files): ShellFileCalls {
  const places = shellPlaces(policy);
  const existing = (path: string): string => {
    const { real, exists } = places.target("write", path);
    if (!exists) throw shellFailure("ENOENT", "open", path);
    return real;
  };

  /** Works on an open file that is known by one name alone. */
  const onFile = (path: string, access: Access, real: string, work: (fd: number, info: fs.Stats) => void): void => {
    const { fd, info } = openRegular(real, access);
    try {
      refuseHardLink(policy, path, info);
      work(fd, info);
    } finally {
      fs.closeSync(fd);
    }
  };

  const copy = (from: string, to: string, recursive: boolean): void => {
    const found = fs.lstatSync(places.target("read", from).real);
    if (!found.isDirectory()) {
      files.write(to, files.read(from));
      return Deno.chmodSync(places.target("write", to).real, found.mode & MODE_BITS);
    }
    if (!recursive) throw shellFailure("EISDIR", "cp", from);
    if (!isFolder(places.target("write", to).real)) makeFolders(places.target("write", to).real, () => {});
    for (const { name, isSymlink } of files.list(from)) {
      if (isSymlink) throw new ToolError(`Cannot copy ${shownPath(join(from, name))}: ${NO_LINKS}`);
      copy(join(from, name), join(to, name), recursive);
    }
  };

  return {
    copy,
    stat: (path) => fs.lstatSync(places.target("read", path).real),
    lstat: (path) => fs.lstatSync(places.name("read", path)),
    realPath(path) {
      const { real, exists } = places.target("read", path);
      if (!exists) throw shellFailure("ENOENT", "realpath", path);
      return real;
    },
    readLink: (path) => Deno.readLinkSync(places.name("read", path)),
    append(path, bytes) {
      const { real, exists } = places.target("write", path);
      if (!exists) return files.write(path, bytes);
      onFile(path, "write", real, (fd, { size }) => {
        const { fileBytes } = policy.limits;
        if (size + bytes.length > fileBytes) {
          throw new ToolError(`Cannot write ${shownPath(path)}: it would exceed ${formatSize(fileBytes)}`);
        }
        for (let done = 0; done < bytes.length;) {
          done += fs.writeSync(fd, bytes, done, bytes.length - done, size + done);
        }
      });
    },
    makeFolder(path, withParents) {
      const { real, exists } = places.target("write", path);
      if (exists) {
        if (withParents && fs.lstatSync(real).isDirectory()) return;
        throw shellFailure("EEXIST", "mkdir", path);
      }
      if (!withParents && !isFolder(dirname(real))) throw shellFailure("ENOENT", "mkdir", path);
      makeFolders(real, () => {});
    },
    remove: (path, recursive) => Deno.removeSync(places.tree(path), { recursive }),
    move(from, to) {
      const [source, target] = [places.tree(from), places.tree(to)];
      // A link in it would be where git writes its own data, and lead a git of the user out of the workspace.
      if (isFolder(source) && target.toLowerCase().split("/").includes(".git")) {
        throw new ToolError(
          `Cannot move a folder to ${shownPath(to)}: there git itself makes folders, and nobody else`,
        );
      }
      Deno.renameSync(source, target);
    },
    setMode(path, mode) {
      const real = existing(path);
      if (isFolder(real)) return Deno.chmodSync(real, mode & MODE_BITS);
      onFile(path, "read", real, (fd) => fs.fchmodSync(fd, mode & MODE_BITS));
    },
    setTimes(path, accessed, modified) {
      const real = existing(path);
      if (isFolder(real)) return Deno.utimeSync(real, accessed, modified);
      onFile(path, "read", real, (fd) => fs.futimesSync(fd, accessed, modified));
    },
  };
}

function isFolder(real: string): boolean {
  try {
    return fs.lstatSync(real).isDirectory();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** As in the file tools: where no kernel decides by place, a second name may belong to a place outside. */
function refuseHardLink(policy: Policy, path: string, { nlink }: fs.Stats): void {
  if (policy.sandbox !== "permissions" || nlink <= 1) return;
  throw new ToolError(`Denied: write ${shownPath(path)}: it has ${nlink} hard links and may belong to a place outside`);
}

/** Where the in-process shell's paths lead; each throws a denial for what the policy does not allow. */
function shellPlaces(policy: Policy) {
  const scope = fileScope(policy);
  /** The name itself: links above it are followed, it is not. */
  const name = (access: Access, path: string): string => {
    scope.check(access, path);
    const parent = dirname(path);
    // Nothing of a folder out of scope can be seen, not even where it leads; what lies in it is a scope's own entry, and
    // those are real.
    const real = covers(policy.read, parent) ? join(placeOf(parent).real, basename(path)) : path;
    scope.check(access, path, real);
    return real;
  };
  return {
    name,
    /** With all links followed. */
    target(access: Access, path: string): Place {
      scope.check(access, path);
      const place = placeOf(path);
      scope.check(access, path, place.real);
      return place;
    },
    /** A name that goes away or moves, together with whatever is in it. */
    tree(path: string): string {
      const real = name("write", path);
      scope.checkTree(path, real);
      return real;
    },
  };
}
