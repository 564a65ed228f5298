import { type Fields, isObject } from "./shape.ts";

/**
 * Brings entries of formats 1 and 2, one after the other in the order of the file, into the shape of format 3, in place.
 *
 * Format 1 was a list: entries had no ids, and a compaction named the first kept one by its line, the header being line
 * 0. Ids are made from the line's number, so that every reading of a file gives the same ones. Up to format 2 the
 * messages of extensions had another role.
 */
export function createMigration(version: 1 | 2 | 3): (entry: Fields) => void {
  let line = 0;
  return (entry) => {
    line++;
    if (version === 1) {
      entry["id"] = idOfLine(line);
      entry["parentId"] = line === 1 ? null : idOfLine(line - 1);
      const kept = entry["firstKeptEntryIndex"];
      if (typeof kept === "number" && kept >= 1) entry["firstKeptEntryId"] = idOfLine(kept);
      delete entry["firstKeptEntryIndex"];
    }
    const { message } = entry;
    if (version < 3 && isObject(message) && message["role"] === "hookMessage") message["role"] = "custom";
  };
}

function idOfLine(line: number): string {
  return line.toString(16).padStart(8, "0");
}
