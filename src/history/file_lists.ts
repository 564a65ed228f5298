import { normalize } from "@std/path";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { type AgentMessage, toolCallsOf } from "../core/message.ts";
import { stripControls } from "../core/support/text.ts";
import { tagged } from "./tagged.ts";

/** Files that a conversation touched; no path is in both lists, each is sorted. */
export interface FileLists {
  readonly readFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
}

/** No files. */
export const NO_FILES: FileLists = { readFiles: [], modifiedFiles: [] };

/**
 * The files that read, write and edit calls named, and those of an earlier summary (R283–R287). A call that failed has
 * read or changed nothing.
 */
export function fileLists(messages: readonly AgentMessage[], earlier: FileLists = NO_FILES): FileLists {
  const read = new Set(earlier.readFiles);
  const modified = new Set(earlier.modifiedFiles);
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const failed = failedAfter(messages, index);
    for (const { id, name, arguments: { path } } of toolCallsOf(message)) {
      if (failed.has(id) || typeof path !== "string" || path === "") continue;
      if (name === "read") read.add(listed(path));
      else if (name === "write" || name === "edit") modified.add(listed(path));
    }
  }
  return {
    readFiles: [...read].filter((path) => !modified.has(path)).toSorted(),
    modifiedFiles: [...modified].toSorted(),
  };
}

/** Calls of the message at `index` whose results say that they failed; ids may come again later in a conversation. */
function failedAfter(messages: readonly AgentMessage[], index: number): ReadonlySet<string> {
  const failed = new Set<string>();
  for (let at = index + 1; messages[at] !== undefined && messages[at]?.role !== "assistant"; at++) {
    const message = messages[at];
    if (message?.role === "toolResult" && message.isError) failed.add(message.toolCallId);
  }
  return failed;
}

/** What a summary ends with; empty when no file was touched. */
export function fileListsText({ readFiles, modifiedFiles }: FileLists): string {
  return [
    ...(readFiles.length > 0 ? [tagged("read-files", readFiles.join("\n"))] : []),
    ...(modifiedFiles.length > 0 ? [tagged("modified-files", modifiedFiles.join("\n"))] : []),
  ].join("\n\n");
}

/** The lists that an earlier compaction stored; none where another program or a hook stored something else. */
export function readFileLists(details: JsonObject | undefined): FileLists {
  return { readFiles: strings(details?.readFiles), modifiedFiles: strings(details?.modifiedFiles) };
}

/** The texts of a JSON list; anything else is left out. */
export function strings(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** One spelling for a path, on one line. */
function listed(path: string): string {
  return normalize(stripControls(path).replaceAll("\n", "␤")).replace(/^\.\//, "");
}
