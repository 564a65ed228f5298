import { join } from "@std/path";
import { isObject } from "../../core/json.ts";
import { attempt } from "../../core/support/attempt.ts";
import { endLeftovers, identityOf, type ProcessIdentity } from "../../sandbox/process/leftovers.ts";
import { readProc, readProcLink } from "../../sandbox/system/procfs.ts";

/** What a session records about its processes, so that a later session can clean up after a crash. */
interface SessionRecord extends ProcessIdentity {
  readonly session: string;
  readonly boot: string;
}

/** Of another boot, or of another machine that shares the home. */
const FOREIGN_RECORD_MS = 7 * 24 * 3600 * 1000;

/** Names of the session's temporary folder: whose it is stands in it, for tools cannot rename it. */
const FOLDER_NAME = /^sandpiper-(\d+)-(\d+)-(\d+)-/;

/** Prefix of this process's temporary folders: namespace of its number, number, time of its start. */
export function folderPrefix(): string {
  const own = identityOf(Deno.pid);
  return own === undefined ? "sandpiper-" : `sandpiper-${namespaceOf()}-${own.pid}-${own.start}-`;
}

/** Writes the record of this process and tells how to remove it; a home that cannot be written gets none. */
export function recordSession(root: string | undefined, session: string): () => void {
  const own = identityOf(Deno.pid);
  if (root === undefined || own === undefined) return () => {};
  const boot = bootOf();
  const path = join(root, "running", `${session}.json`);
  try {
    Deno.mkdirSync(join(root, "running"), { recursive: true, mode: 0o700 });
    const record: SessionRecord = { session, boot, ...own };
    Deno.writeTextFileSync(path, JSON.stringify(record), { createNew: true, mode: 0o600 });
  } catch {
    return () => {};
  }
  return () => removeQuietly(path);
}

/**
 * Ends what sessions left behind whose process is gone, and removes their records and temporary folders; calls `before` with
 * each folder that is to be removed.
 */
export function tidyUp(root: string | undefined, temporary: string, before?: (path: string) => void): void {
  if (identityOf(Deno.pid) === undefined) return;
  if (root !== undefined) tidyRecords(join(root, "running"), bootOf());
  for (const name of namesIn(temporary)) {
    const [, namespace, pid, start] = FOLDER_NAME.exec(name) ?? [];
    // In a container that shares the folder, process numbers belong to another namespace: whether it is alive cannot be
    // known here.
    if (pid === undefined || namespace !== namespaceOf() || isAlive({ pid: Number(pid), start: Number(start) })) {
      continue;
    }
    const path = join(temporary, name);
    try {
      const { isDirectory, uid, mode } = Deno.lstatSync(path);
      if (!isDirectory || uid !== Deno.uid() || ((mode ?? 0) & 0o77) !== 0) continue;
      before?.(path);
      Deno.removeSync(path, { recursive: true });
    } catch {
      // Somebody else was faster, or a command made something unremovable: the machine's own cleaning takes it.
    }
  }
}

function tidyRecords(folder: string, boot: string): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const record = readRecord(path);
    if (record?.boot === boot) {
      if (isAlive(record)) continue;
      endLeftovers(record.session, record);
      removeQuietly(path);
      continue;
    }
    const modified = attempt(() => Deno.lstatSync(path).mtime?.getTime() ?? 0) ?? Date.now();
    if (Date.now() - modified > FOREIGN_RECORD_MS) removeQuietly(path);
  }
}

function readRecord(path: string): SessionRecord | undefined {
  const value: unknown = attempt(() => JSON.parse(Deno.readTextFileSync(path)));
  if (!isObject(value)) return undefined;
  const { session, boot, pid, start } = value;
  const whole = typeof session === "string" && typeof boot === "string" && Number.isSafeInteger(pid) &&
    Number.isSafeInteger(start);
  return whole ? { session, boot, pid: Number(pid), start: Number(start) } : undefined;
}

function isAlive({ pid, start }: ProcessIdentity): boolean {
  return identityOf(pid)?.start === start;
}

/** The machine's boot together with the namespace in which numbers of processes count. */
export function bootOf(): string {
  return `${readProc("/proc/sys/kernel/random/boot_id")?.trim()} ${namespaceOf()}`;
}

/** The inode of the namespace in which this process's number counts. */
function namespaceOf(): string {
  return /\d+/.exec(readProcLink("/proc/self/ns/pid") ?? "")?.[0] ?? "0";
}

function namesIn(folder: string): string[] {
  return attempt(() => [...Deno.readDirSync(folder)].map(({ name }) => name)) ?? [];
}

function removeQuietly(path: string): void {
  attempt(() => Deno.removeSync(path)); // It is gone already.
}
