import { ownerOfTemporary } from "../../core/support/replace_file.ts";
import { attempt } from "../../core/support/attempt.ts";
import { identityOf, isAlive, type ProcessIdentity, processNamespace } from "./procfs.ts";
import { removeDirectory } from "./remove_directory.ts";

/** A folder among the temporary ones that does not outlive this process, unless it is killed. */
export interface TemporaryFolder {
  /** Absolute, links resolved. */
  readonly path: string;
  /** Safe to call twice; never throws. */
  readonly remove: () => void;
}

/** Commands that are being ended may still write while their folder is removed. */
const ATTEMPTS = 3;

const OWNED_NAME = /^sandpiper-(\d+)-(\d+)-(\d+)-/;

/**
 * Makes a private folder (0700). It is removed at `Deno.exit`, too: a second signal ends the process without waiting for
 * whoever would have removed it. Its name says which process owns it, so that a later start can remove it after a kill.
 *
 * @param dir its parent; the system's temporary folder if undefined
 * @param purpose part of its name: lower-case letters
 */
export function temporaryFolder(
  { dir, purpose }: { readonly dir?: string; readonly purpose?: string } = {},
): TemporaryFolder {
  const prefix = ownerPrefix() + (purpose === undefined ? "" : `${purpose}-`);
  const path = Deno.realPathSync(Deno.makeTempDirSync({ prefix, ...(dir === undefined ? {} : { dir }) }));
  let isRemoved = false;
  const remove = (): void => {
    if (isRemoved) return;
    isRemoved = true;
    globalThis.removeEventListener("unload", remove);
    for (let attempt = 0; attempt < ATTEMPTS && !removeDirectory(path); attempt++);
  };
  globalThis.addEventListener("unload", remove);
  return { path, remove };
}

let known: string | undefined;

/** Prefix of this process's temporary folders and files: namespace of its number, number, time of its start. */
export function ownerPrefix(): string {
  if (known !== undefined) return known;
  const own = identityOf(Deno.pid);
  return known = own === undefined ? "sandpiper-" : `sandpiper-${processNamespace()}-${own.pid}-${own.start}-`;
}

/** Whether a name is that of a temporary file (see `temporaryName`) whose owner has ended. */
export function isLeftTemporary(name: string): boolean {
  const prefix = ownerOfTemporary(name);
  return prefix !== undefined && isOwnerGone(prefix);
}

/** Whether a name begins with the prefix of an owner that has ended. */
export function isOwnerGone(name: string): boolean {
  const owner = ownerIn(name);
  return owner !== undefined && !isAlive(owner);
}

/** Removes private temporary folders of this user right below `parent` whose process is gone. Never throws. */
export function removeAbandoned(parent: string): void {
  for (const { name } of attempt(() => [...Deno.readDirSync(parent)]) ?? []) {
    const owner = ownerIn(name);
    if (owner === undefined || isAlive(owner)) continue;
    const path = `${parent}/${name}`;
    const status = attempt(() => Deno.lstatSync(path));
    if (!status?.isDirectory || status.uid !== Deno.uid() || ((status.mode ?? 0) & 0o77) !== 0) continue;
    removeDirectory(path);
  }
}

/** The process that a temporary folder's name gives as its owner; undefined for another name or another namespace. */
function ownerIn(name: string): ProcessIdentity | undefined {
  const [, namespace, pid, start] = OWNED_NAME.exec(name) ?? [];
  // In a container that shares the folder, process numbers belong to another namespace: whether the process is alive cannot
  // be known here.
  return pid === undefined || namespace !== processNamespace() ? undefined : { pid: Number(pid), start: Number(start) };
}
