import { join } from "@std/path";
import { isObject } from "../../core/json.ts";
import { attempt } from "../../core/support/attempt.ts";
import { endLeftovers } from "../../sandbox/process/leftovers.ts";
import { identityOf, isAlive, type ProcessIdentity, processNamespace, readProc } from "../../sandbox/system/procfs.ts";
import { removeAbandoned } from "../../sandbox/system/temporary_folder.ts";

/** What a session records about its processes, so that a later session can clean up after a crash. */
interface SessionRecord extends ProcessIdentity {
  readonly session: string;
  readonly boot: string;
}

/** Of another boot, or of another machine that shares the home. */
const FOREIGN_RECORD_MS = 7 * 24 * 3600 * 1000;

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
 * Ends what sessions left behind whose process is gone, and removes their records and their temporary folders in
 * `temporary`.
 */
export function tidyUp(root: string | undefined, temporary: string): void {
  if (identityOf(Deno.pid) === undefined) return;
  if (root !== undefined) tidyRecords(join(root, "running"), bootOf());
  removeAbandoned(temporary);
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

/** The machine's boot together with the namespace in which numbers of processes count. */
export function bootOf(): string {
  return `${readProc("/proc/sys/kernel/random/boot_id")?.trim()} ${processNamespace()}`;
}

function namesIn(folder: string): string[] {
  return attempt(() => [...Deno.readDirSync(folder)].map(({ name }) => name)) ?? [];
}

function removeQuietly(path: string): void {
  attempt(() => Deno.removeSync(path)); // It is gone already.
}
