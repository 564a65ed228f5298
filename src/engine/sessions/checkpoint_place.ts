import { dirname, join } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import { isSessionId } from "../../session/identifiers.ts";
import type { Config } from "../../config/config.ts";

/** What holds for the journal of changes. */
export interface CheckpointSettings {
  readonly maxBytes: number;
  readonly maxFileBytes: number;
  readonly days: number;
  /** How long the first call waits until what it can change is known and kept, milliseconds. */
  readonly waitMs: number;
}

const MB = 1024 ** 2;
/** What applies unless settings say otherwise. */
export const CHECKPOINT_DEFAULTS: CheckpointSettings = {
  maxBytes: 256 * MB,
  maxFileBytes: 8 * MB,
  days: 14,
  waitMs: 10_000,
};

/** Deeper directories, and files beyond this number, are not scanned; of more bytes of git's objects no lines are counted. */
export const JOURNAL_LIMITS = { depth: 128, entries: 500_000, lineBytes: 32 * 1024 ** 2 };

/** The settings with their defaults; undefined where the journal is off. */
export function checkpointSettings(
  { settings: { checkpoints } }: Pick<Config, "settings">,
): CheckpointSettings | undefined {
  if (checkpoints === false) return undefined;
  return typeof checkpoints === "object" ? { ...CHECKPOINT_DEFAULTS, ...checkpoints } : CHECKPOINT_DEFAULTS;
}

/** Where journals are, one folder a session; undefined where this process may not write. */
export function checkpointsFolder({ auditFolder }: Pick<Config, "auditFolder">): string | undefined {
  return auditFolder === undefined ? undefined : join(dirname(auditFolder), "checkpoints");
}

/** The files of a session's journal. */
export function journalPaths(
  folder: string,
  session: string,
): { readonly journal: string; readonly pack: string; readonly spill: string; readonly baseline: string } {
  if (!isSessionId(session)) throw new Error("the id of a session could lead elsewhere");
  return {
    journal: join(folder, session, "journal.jsonl"),
    pack: join(folder, session, "pack"),
    spill: join(folder, session, "undo"),
    baseline: join(folder, session, "baseline"),
  };
}

/** Whether a session that is open, or was interrupted, has its journal here. */
export function hasInterrupted(folder: string): boolean {
  const names = attempt(() => [...Deno.readDirSync(folder)]) ?? [];
  return names.some(({ name }) => attempt(() => Deno.lstatSync(join(folder, name, "baseline"))) !== undefined);
}

/** Removes journals that nobody wrote to for so many days. */
export function removeOld(folder: string, days: number, now: number): void {
  for (const { name, isDirectory } of attempt(() => [...Deno.readDirSync(folder)]) ?? []) {
    if (!isDirectory) continue;
    const times = ["journal.jsonl", "pack"].flatMap((file) => modified(join(folder, name, file)));
    const last = Math.max(...times, times.length === 0 ? modified(join(folder, name))[0] ?? now : 0);
    if (now - last <= days * 86_400_000) continue;
    attempt(() => Deno.removeSync(join(folder, name), { recursive: true })); // Another process removed it.
  }
}

function modified(path: string): number[] {
  return attempt(() => [Deno.lstatSync(path).mtime?.getTime() ?? 0]) ?? [];
}
