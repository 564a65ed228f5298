import { dirname } from "@std/path";
import type { TrustDecision } from "../core/compiled_prompt.ts";
import { messageOf } from "../core/error.ts";
import { isObject } from "../core/json.ts";
import { replaceFile } from "../core/support/replace_file.ts";

/** One recorded answer: this folder, with exactly this content, is or is not trusted. */
export interface TrustRecord {
  readonly folder: string;
  readonly digest: string;
  readonly trusted: boolean;
}

/** What the decision is made from. */
export interface TrustQuestion {
  /** `--trust` or `--no-trust`, when one was given. */
  readonly flag?: boolean | undefined;
  readonly folder: string;
  /** Of what the project would load; undefined when it has nothing of the kind, null when it cannot be digested. */
  readonly digest: string | null | undefined;
  readonly records: readonly TrustRecord[];
}

/**
 * Decides about trust: the flag, else an answer recorded for this folder and this very content, else no.
 *
 * Content that changed since the answer is as unknown as if nobody had looked at it.
 */
export function decideTrust(question: TrustQuestion): TrustDecision {
  const { flag, folder, digest, records } = question;
  if (flag !== undefined) return { trusted: flag, reason: "flag" };
  if (digest === undefined) return { trusted: false, reason: "nothing_to_trust" };
  const record = records.findLast((one) => one.folder === folder);
  if (!record) return { trusted: false, reason: "unknown" };
  if (digest === null || record.digest !== digest) return { trusted: false, reason: "changed" };
  return { trusted: record.trusted, reason: "recorded" };
}

/** The recorded answers, and why they could not be read. A file that makes no sense grants nothing. */
export function readTrust(path: string): { readonly records: readonly TrustRecord[]; readonly problem?: string } {
  try {
    const value: unknown = JSON.parse(Deno.readTextFileSync(path));
    const list = isObject(value) ? value.records : undefined;
    if (!Array.isArray(list) || !list.every(isRecord)) {
      return { records: [], problem: "it does not hold trust records" };
    }
    return { records: list.map(({ folder, digest, trusted }) => ({ folder, digest, trusted })) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { records: [] };
    return { records: [], problem: messageOf(error) };
  }
}

/**
 * Records an answer in place of an earlier one for the same folder; written whole or not at all, for the user's eyes
 * only (folder 0700, file 0600). Throws what the disk throws.
 */
export function recordTrust(path: string, record: TrustRecord): void {
  const kept = readTrust(path).records.filter((one) => one.folder !== record.folder);
  Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  replaceFile(path, JSON.stringify({ version: 1, records: [...kept, record] }, null, 2) + "\n", "private");
}

function isRecord(value: unknown): value is TrustRecord {
  return isObject(value) && typeof value.folder === "string" && typeof value.digest === "string" &&
    typeof value.trusted === "boolean";
}
