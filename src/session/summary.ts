// A list of sessions must not cost what reading them all would: of a long file only both ends are looked at.
import { messageOf } from "../core/error.ts";
import { stripControls, takeCharacters } from "../core/support/text.ts";
import { promptTitle, textOf } from "../core/message.ts";
import { entryMessage } from "../core/session.ts";
import { readEntry } from "./entry_shape.ts";
import { explain, parseHeader } from "./header.ts";
import { parseObject } from "./shape.ts";

/** A session as a list shows it. */
export interface SessionSummary {
  readonly id: string;
  readonly path: string;
  readonly cwd: string;
  readonly name?: string;
  readonly created: Date;
  /** When its file was last written. */
  readonly modified: Date;
  /** Messages in all branches; of a file longer than 4 MiB only those in the parts that were looked at. */
  readonly messageCount: number;
  /** Whether `messageCount` is of the whole file. */
  readonly isWhole: boolean;
  /** One line of at most 200 characters, as `promptTitle` shows it; empty if the session has no prompt. */
  readonly firstMessage: string;
}

const HEAD_BYTES = 4 * 1024 * 1024;
const TAIL_BYTES = 64 * 1024;
/** A first message longer than this is not worth parsing for its first 200 characters. */
const LINE_UNITS = 1024 * 1024;
const FIRST_CHARACTERS = 200;

/** Hears of a file that is no session. */
export type OnSpoilt = (why: string, path: string) => void;

/**
 * Looks at a session file; undefined for one that is gone, empty or no regular file. `onSpoilt` hears why any other is no
 * session.
 */
export function summarize(path: string, onSpoilt: OnSpoilt = () => {}): SessionSummary | undefined {
  try {
    const { size, mtime, isFile } = Deno.statSync(path);
    if (!isFile || size === 0) return undefined;
    using file = Deno.openSync(path, { read: true });
    const head = readPart(file, 0, Math.min(size, HEAD_BYTES));
    const isWhole = size <= head.length;
    const lines = linesOf(head, isWhole);
    const { header } = parseHeader(lines.shift() ?? "", path);
    if (!isWhole) {
      const from = Math.max(head.length, size - TAIL_BYTES);
      lines.push(...linesOf(readPart(file, from, size - from), true).slice(1));
    }
    const created = new Date(header.timestamp);
    const name = nameIn(lines);
    return {
      id: header.id,
      path,
      cwd: header.cwd,
      ...(name ? { name } : {}),
      created,
      modified: mtime ?? created,
      messageCount: lines.reduce((count, line) => count + (line.startsWith('{"type":"message"') ? 1 : 0), 0),
      isWhole,
      firstMessage: firstMessageIn(lines),
    };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) onSpoilt(messageOf(explain(error, path)), path);
    return undefined;
  }
}

function readPart(file: Deno.FsFile, from: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  file.seekSync(from, Deno.SeekMode.Start);
  let filled = 0;
  while (filled < length) {
    const count = file.readSync(bytes.subarray(filled));
    if (count === null) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

function linesOf(bytes: Uint8Array, isEnd: boolean): string[] {
  const lines = new TextDecoder().decode(bytes).split("\n");
  if (!isEnd) lines.pop();
  return lines;
}

function nameIn(lines: readonly string[]): string | undefined {
  for (let i = lines.length - 1; i >= 0; i--) {
    const line = lines[i];
    if (!line?.startsWith('{"type":"session_info"')) continue;
    const name = parseObject(line)?.["name"];
    if (typeof name === "string") return oneLine(name);
  }
  return undefined;
}

function firstMessageIn(lines: readonly string[]): string {
  for (const line of lines) {
    if (!line.startsWith('{"type":"message"') || line.length > LINE_UNITS || !line.includes('"role":"user"')) continue;
    const fields = parseObject(line);
    if (fields === undefined) continue;
    const message = entryMessage(readEntry(fields, 0).entry);
    if (message?.role === "user") return oneLine(promptTitle(textOf(message.content)));
  }
  return "";
}

function oneLine(text: string): string {
  return takeCharacters(
    stripControls(takeCharacters(text, 4 * FIRST_CHARACTERS)).replace(/\s+/g, " ").trim(),
    FIRST_CHARACTERS,
  );
}
