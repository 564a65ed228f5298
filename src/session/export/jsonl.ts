import type { SessionEntry, SessionHeader } from "../../core/session.ts";
import { entryLine } from "../entry_shape.ts";
import { forkedSession } from "../fork.ts";
import type { StoreOptions } from "../store.ts";

/**
 * A session as a file of format 3, line by line: the path to the leaf with the labels on it, or everything.
 *
 * What `sandpiper sessions import` and every reader of the format opens; its header is that of the session.
 */
export function* jsonlPieces(
  { header, entries }: { readonly header: SessionHeader; readonly entries: readonly SessionEntry[] },
  allBranches: boolean,
  options: Pick<StoreOptions, "now" | "random">,
): Generator<string> {
  yield JSON.stringify(header) + "\n";
  for (const entry of allBranches ? entries : pathWithLabels(header, entries, options)) yield entryLine(entry) + "\n";
}

/** What a fork begins with. */
function pathWithLabels(
  header: SessionHeader,
  entries: readonly SessionEntry[],
  options: Pick<StoreOptions, "now" | "random">,
): readonly SessionEntry[] {
  const source = { header, path: undefined, entries: () => entries, leaf: () => entries.at(-1)?.id ?? null };
  return forkedSession(source, {}, options).entries;
}
