import { join } from "@std/path";
import type { ContextFile, Diagnostic, MemorySnapshot } from "../../core/prompt.ts";
import { type BootstrapPlaces, readWithin } from "./bootstrap_file.ts";
import { cutBlock, textAfterBlock } from "./front_matter.ts";
import { failureOf, readText } from "./read_text.ts";

/** Where the user's notes from earlier sessions lie, and what day it is. */
export interface MemoryOptions extends Pick<BootstrapPlaces, "userFolder" | "canRead"> {
  /** Milliseconds since the epoch; folders of days are named in the machine's own zone. */
  readonly now: number;
  /** Whether the tools can open a path: only then is the model told of it. */
  readonly canOpen: (path: string) => boolean;
  /** False: nothing is looked for (R402). */
  readonly enabled: boolean;
}

/** What is remembered, and what could not be read. */
export interface GatheredMemory {
  readonly memory?: MemorySnapshot;
  /** The file of lasting facts, when it was looked for. */
  readonly file?: ContextFile;
  readonly diagnostics: readonly Diagnostic[];
}

/** Folders that are opened, today's among them; notes that are read; bytes of each, and names looked at in a folder. */
const DAYS = 7;
const NOTES = 50;
const NOTE_BYTES = 16 * 1024;
const NAMES = 1_000;

const section = "memory_summaries";

/**
 * Lasting facts, the list of `memory/index.md`, and one line for each `memory/YYYY-MM-DD/NAME.md` of the last days
 * (R401, R403). Only of the user's own folder: a project must not tell the model what it remembers. Never throws.
 */
export function gatherMemory({ userFolder, now, canRead, canOpen, enabled }: MemoryOptions): GatheredMemory {
  if (!enabled || userFolder === undefined) return { diagnostics: [] };
  const folder = join(userFolder, "memory");
  const index = join(folder, "index.md");
  const file = readWithin(index, undefined, { canRead });
  const diagnostics: Diagnostic[] = [];
  const report = (path: string, { status, note }: { readonly status: string; readonly note?: string }): void => {
    if (status === "missing") return;
    const code = status === "denied" ? "permission_denied" : "file_read_error";
    diagnostics.push({ code, message: note ?? "It cannot be read", file: path, section });
  };
  if (file.status !== "loaded") report(index, { status: file.status, ...(file.message ? { note: file.message } : {}) });
  const recent: { date: string; summary: string; path?: string }[] = [];
  const days = lastDays(now);
  for (const date of days) {
    const day = join(folder, date);
    for (const name of namesIn(day, canRead, report)) {
      if (recent.length >= NOTES) break;
      const path = join(day, name);
      const read = readText(path, NOTE_BYTES);
      const summary = read.status === "loaded" ? summaryOf(read.text) : undefined;
      if (read.status !== "loaded") report(path, read);
      else if (summary !== undefined) recent.push({ date, summary, ...(canOpen(path) ? { path } : {}) });
    }
  }
  const longTerm = textAfterBlock(file.text ?? "").split("\n").flatMap((line) => /^[-*] +(.*\S)/.exec(line)?.[1] ?? []);
  if (longTerm.length + recent.length === 0 && diagnostics.length === 0) {
    const message = `There are no notes. Write lasting ones into ${index}, each on a line that begins with "- "`;
    diagnostics.push({ code: "missing_file", message, file: index, section });
  }
  return { memory: { today: days[0] ?? "", longTerm, recent, maxItems: NOTES, days: DAYS }, file, diagnostics };
}

/** `YYYY-MM-DD`, newest first. */
function lastDays(now: number): readonly string[] {
  const today = new Date(now);
  return Array.from({ length: DAYS }, (_, back) => {
    const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - back);
    const two = (part: number): string => String(part).padStart(2, "0");
    return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
  });
}

/** Names of notes, those that come last in the alphabet first: sessions are named by their time. */
function namesIn(
  folder: string,
  canRead: (path: string) => boolean,
  report: (path: string, failure: { readonly status: string; readonly note?: string }) => void,
): readonly string[] {
  if (!canRead(folder)) return [];
  const names: string[] = [];
  try {
    let seen = 0;
    for (const { name } of Deno.readDirSync(folder)) {
      if (++seen > NAMES) break;
      if (name.endsWith(".md") && !name.startsWith(".")) names.push(name);
    }
  } catch (error) {
    report(folder, failureOf(error));
  }
  return names.sort().reverse();
}

/** The field `summary`, else the first line that is no heading, without the mark of a list. */
function summaryOf(text: string): string | undefined {
  const field = /^summary:[ \t]*(["']?)(.*?)\1[ \t]*$/m.exec(cutBlock(text) ?? "")?.[2];
  if (field) return field;
  const first = textAfterBlock(text).split("\n").find((line) => line.trim() !== "" && !line.startsWith("#"));
  return first?.replace(/^[-*] +/, "");
}
