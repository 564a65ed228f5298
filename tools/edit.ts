import type * as z from "zod/mini";
import { ToolError } from "../src/core/error.ts";
import { formatSize } from "../src/core/support/text.ts";
import { textResult, type Tool } from "../src/core/tool.ts";
import { editArgs, prepareEdit } from "./editing/arguments.ts";
import { editDiff } from "./editing/diff.ts";
import { matchEdits, type Replacement } from "./editing/match.ts";
import { wideEncoding } from "./text/file_type.ts";
import { decodeLossless, encodeLossless } from "./text/lossless_text.ts";
import { shownPath } from "./text/shown_path.ts";

/** Largest file that is edited; text takes several times its size while it is worked on. */
const MAX_EDIT_BYTES = 64 * 1024 * 1024;

/**
 * Replaces texts in a file; all of them or none. Every byte that is not replaced stays as it is: line ends, byte order
 * mark, bytes that are no UTF-8. Requirements R453, R483, R484, R486.
 */
export const edit: Tool<z.infer<ReturnType<typeof editArgs>>> = {
  name: "edit",
  description: "Replace exact texts in a file. Each oldText must occur once in the original file and not overlap " +
    "another; merge nearby changes.",
  args: editArgs,
  promptSnippet: "Edit files by replacing exact text",
  needs: ["read", "write"],
  readOnly: false,
  place: "runner",
  prepare: prepareEdit,
  run({ path, edits }, { files, policy, signal }) {
    const file = files.resolve(path);
    return files.lock(file, "write", async () => {
      if (signal.aborted) throw new ToolError("Operation aborted");
      const shown = shownPath(file, policy.root);
      const { size } = files.info(file);
      if (size > MAX_EDIT_BYTES) {
        const why = `${formatSize(size)} is more than ${formatSize(MAX_EDIT_BYTES)}`;
        throw new ToolError(`Cannot edit ${shown}: ${why}. Use a command such as sed`);
      }
      const bytes = files.read(file);
      if (wideEncoding(bytes)) {
        throw new ToolError(`Cannot edit ${shown}: it is UTF-16 text, and edit works on UTF-8. Convert it first`);
      }
      const raw = decodeLossless(bytes);
      const replacements = matchEdits(raw, edits, shown);
      files.write(file, encodeLossless(replaceAll(raw, replacements)));
      const count = edits.length;
      return textResult(
        `Successfully replaced ${count} block${count === 1 ? "" : "s"} in ${shown}.`,
        { ...await editDiff(raw, replacements) },
      );
    });
  },
};

function replaceAll(raw: string, replacements: readonly Replacement[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, text } of replacements) {
    parts.push(raw.slice(from, start), text);
    from = end;
  }
  return parts.join("") + raw.slice(from);
}
