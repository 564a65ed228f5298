import * as fs from "node:fs";
import { dirname } from "@std/path";
import { ToolError } from "../../core/error.ts";
import { CONFINED_LEVELS, covers, type Policy, whyNamesStay } from "../../core/policy.ts";
import { attempt } from "../../core/support/attempt.ts";
import { ownerPrefixIn } from "../../core/support/replace_file.ts";
import { formatSize } from "../../core/support/text.ts";
import type { FileInfo, Files, FolderEntry } from "../../core/tool.ts";
import { shownPath } from "../../../tools/text/shown_path.ts";
import { atomicWrite, overwrite } from "./atomic_write.ts";
import type { BulkLink } from "./bulk_link.ts";
import { type Access, denial } from "./denial.ts";
import { codeOf, fileFailure } from "./failure.ts";
import { createReadEach } from "./each.ts";
import { createFileLock } from "./lock.ts";
import { resolvePath } from "./path.ts";
import { type Place, placeOf } from "./place.ts";
import { fileScope } from "./scope.ts";
import { makeFolders } from "./make_folders.ts";
import { missingFile } from "./missing_file.ts";
import { listFolder, openRegular } from "./opened_file.ts";

/** Most bytes of one `read`; larger files are read in pieces. */
const MAX_READ_BYTES = 256 * 1024 * 1024;

/**
 * The tools' way to files under a policy.
 *
 * Every call checks the path as asked for, resolves all links, checks where it leads, opens that, and proves that the
 * opened file is the one that was checked. `checkPaths: false` leaves the scope checks to Deno and the kernel, so that
 * tests can show that those refuse on their own (R452, R454).
 */
export function openFiles(
  policy: Policy,
  { checkPaths = true, bulk }: { readonly checkPaths?: boolean; readonly bulk?: BulkLink } = {},
): Files {
  const scope = fileScope(policy);
  const locked = createFileLock();
  const owner = ownerPrefixIn(policy.tmp);
  const shown = (path: string): string => shownPath(path, policy.root);

  const enter = (access: Access, path: string): Place => {
    if (!checkPaths) return placeOf(path);
    scope.check(access, path);
    const place = placeOf(path);
    scope.check(access, path, place.real);
    return place;
  };

  const guard = <T>(access: Access, path: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      if (codeOf(error) === "ENOENT") throw missingFile(path, policy, error);
      throw fileFailure(error, access, path, policy);
    }
  };

  const info = (path: string): FileInfo =>
    guard("read", path, () => {
      const found = fs.lstatSync(enter("read", path).real);
      const kind = found.isFile() ? "file" : found.isDirectory() ? "directory" : "other";
      return { kind, size: found.size, mtimeMs: found.mtimeMs, mode: found.mode };
    });

  /** What may not be seen is not there. */
  const exists = (path: string): boolean => attempt(() => info(path)) !== undefined;

  /** A hard link shows no path to where it leads. Where no kernel decides by place, it could be a file from outside. */
  const refuseHardLink = (access: Access, path: string, { nlink }: fs.Stats): void => {
    if (policy.sandbox !== "permissions" || nlink <= 1 || !checkPaths) return;
    throw new ToolError(
      `Denied: ${access} ${shown(path)}: it has ${nlink} hard links and may belong to a place outside. ` +
        "Only the user can allow it, with a kernel sandbox (--sandbox kernel) or by making it a file of its own",
    );
  };

  const readPlace = (path: string, real: string, offset: number, length: number): Uint8Array<ArrayBuffer> => {
    const { fd, info } = openRegular(real, "read", CONFINED_LEVELS.has(policy.sandbox) ? 1 : undefined);
    try {
      refuseHardLink("read", path, info);
      const wanted = Math.max(0, Math.min(info.size - offset, length));
      if (wanted > MAX_READ_BYTES) {
        throw new ToolError(`${shown(path)} is too large to be taken whole (${formatSize(info.size)})`);
      }
      return readFully(fd, offset, wanted);
    } finally {
      fs.closeSync(fd);
    }
  };

  const read = (path: string, offset = 0, length = Infinity): Uint8Array<ArrayBuffer> =>
    guard("read", path, () => readPlace(path, enter("read", path).real, offset, length));

  const readEach = createReadEach({
    policy,
    scope: checkPaths ? scope : undefined,
    inFolder: (folder, work) => guard("read", folder, () => work(enter("read", folder).real)),
    readPlace,
    bulk,
  });

  /** Writes into the file itself, so that its other names would change too: it must have none. */
  const writeAlone = (path: string, real: string, bytes: Uint8Array<ArrayBuffer>): void => {
    const { fd, info } = openRegular(real, "write");
    try {
      if (info.nlink > 1) {
        const rule = `it has ${info.nlink} hard links, and names in its folder cannot be changed`;
        throw denial("write", path, rule, `${dirname(real)}/`, policy);
      }
      overwrite(fd, bytes, info.size);
    } finally {
      fs.closeSync(fd);
    }
  };

  const write = (path: string, bytes: Uint8Array<ArrayBuffer>): void =>
    guard("write", path, () => {
      if (bytes.length > policy.limits.fileBytes) {
        const why = `${formatSize(bytes.length)} exceeds the limit of ${formatSize(policy.limits.fileBytes)} a file`;
        throw new ToolError(`Cannot write ${shown(path)}: ${why}`);
      }
      const { real, exists } = enter("write", path);
      const alone = checkPaths && !covers(policy.write, dirname(real));
      if (!exists && alone) {
        const rule = "a new file changes its folder, which is outside the write scope";
        throw denial("write", path, rule, `${dirname(real)}/`, policy);
      }
      if (!exists) return makeFolders(dirname(real), () => atomicWrite(real, bytes, undefined, owner));
      if (alone || whyNamesStay(dirname(real), policy) !== undefined) return writeAlone(path, real, bytes);
      // Opened for writing although a new file takes its place: a file that is set read-only stays as it is.
      const { fd, info } = openRegular(real, "write");
      fs.closeSync(fd);
      refuseHardLink("write", path, info);
      atomicWrite(real, bytes, info, owner);
    });

  const list = (path: string): FolderEntry[] =>
    guard("read", path, () => {
      if (checkPaths) scope.check("read", path);
      // Without a link on the way it has the whole answer, and judges for itself.
      const entries = bulk?.list(path);
      if (entries) return entries;
      const { real } = enter("read", path);
      if (!Deno.lstatSync(real).isDirectory) throw new ToolError(`${shown(path)} is not a folder`);
      return listFolder(real);
    });

  /** The name under which calls on one file meet: two links to a file are one file. */
  const lockKey = (path: string): string =>
    // Not even a look at what is out of scope; the work itself will be told why.
    checkPaths && !covers(policy.read, path) ? path : attempt(() => placeOf(path).real) ?? path;

  return {
    resolve: (path) => resolvePath(path, { root: policy.root, home: policy.home, exists }),
    info,
    exists,
    read,
    readEach,
    write,
    list,
    lock: (path, mode, work) => locked(lockKey(path), mode, work),
  };
}

function readFully(fd: number, offset: number, wanted: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(wanted);
  let done = 0;
  while (done < wanted) {
    const got = fs.readSync(fd, bytes, done, wanted - done, offset + done);
    if (got === 0) break;
    done += got;
  }
  // Shorter when the file shrank meanwhile.
  return done === wanted ? bytes : bytes.slice(0, done);
}
