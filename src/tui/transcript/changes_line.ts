import { counted } from "../../core/support/text.ts";
import type { ChangeSet, FileChange } from "../../core/changes.ts";
import { cleanLine } from "../screen/foreign.ts";

/** Files that are named; the others are counted. */
const NAMED = 8;

const SIGNS = { created: "+", changed: "~", deleted: "-", moved: ">", mode: "m" } as const;

/** What a run did to files, in one line with the way back; undefined for a run that changed none. */
export function changesLine({ of, files, linesAdded, linesRemoved, leftOut }: ChangeSet): string | undefined {
  if (of !== "run" || files.length === 0) return undefined;
  const many = `${counted(files.length, "file")} changed`;
  const lines = linesAdded + linesRemoved === 0
    ? ""
    : `, +${linesAdded} −${linesRemoved} ${linesAdded + linesRemoved === 1 ? "line" : "lines"}`;
  const names = files.slice(0, NAMED).map(nameOf).join(", ");
  const more = files.length > NAMED ? ` and ${files.length - NAMED} more` : "";
  const unseen = leftOut.length === 0 ? "" : `. Not all was seen: ${leftOut.map(({ why }) => why).join("; ")}`;
  return cleanLine(`${many}${lines}: ${names}${more}${unseen}. /undo puts ${files.length === 1 ? "it" : "them"} back`);
}

function nameOf({ kind, path, from }: FileChange): string {
  return from === undefined ? `${SIGNS[kind]} ${path}` : `${SIGNS[kind]} ${from} → ${path}`;
}
