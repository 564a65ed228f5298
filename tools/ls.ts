import type * as z from "zod/mini";
import { attempt } from "../src/core/support/attempt.ts";
import { errorResult, type Files, type FolderEntry, type Tool, type Zod } from "../src/core/tool.ts";
import { atLeastOne, FINDINGS_BYTES, findingsResult } from "./search/findings.ts";
import { shownPath } from "./text/shown_path.ts";

const ENTRIES = 500;

const args = (z: Zod) =>
  z.object({
    path: z.optional(z.string().check(z.describe("Folder to list (default: workspace)"))),
    limit: z.optional(z.number().check(z.describe(`Most entries (default: ${ENTRIES})`))),
  });

/** Lists a folder. Requirements R460, R486. */
export const ls: Tool<z.infer<ReturnType<typeof args>>> = {
  name: "ls",
  description:
    `List a folder in alphabetical order, folders with a slash, names with a leading dot included. At most ` +
    `${ENTRIES} entries or ${FINDINGS_BYTES / 1024}KB.`,
  args,
  promptSnippet: "List directory contents",
  needs: ["read"],
  readOnly: true,
  place: "runner",
  run(given, { files, signal }) {
    if (signal.aborted) return Promise.resolve(errorResult("Operation aborted"));
    const path = files.resolve(given.path ?? ".");
    if (files.info(path).kind !== "directory") return Promise.resolve(errorResult(`Not a directory: ${path}`));
    const limit = atLeastOne(given.limit, ENTRIES);
    const sorted = files.list(path).sort(byName());
    const lines = sorted.slice(0, limit).map((entry) =>
      shownPath(entry.name) + (leadsToFolder(files, path, entry) ? "/" : "")
    );
    const limited = sorted.length > limit;
    return Promise.resolve(findingsResult({
      lines,
      empty: "(empty directory)",
      notices: limited ? [`${limit} entries limit reached. Use limit=${limit * 2} for more`] : [],
      details: limited ? { entryLimitReached: limit } : {},
    }));
  },
};

/** Case counts only between names that are otherwise equal, so that the order is always the same. */
function byName(): (a: FolderEntry, b: FolderEntry) => number {
  const collator = new Intl.Collator("en", { sensitivity: "base" });
  return (a, b) => collator.compare(a.name, b.name) || (a.name < b.name ? -1 : 1);
}

/** A link whose target is missing or out of reach is shown by its name alone. */
function leadsToFolder(files: Files, folder: string, entry: FolderEntry): boolean {
  if (!entry.isSymlink) return entry.isDirectory;
  return attempt(() => files.info(`${folder}/${entry.name}`).kind === "directory") ?? false;
}
