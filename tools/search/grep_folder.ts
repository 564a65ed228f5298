import { attempt } from "../../src/core/support/attempt.ts";
import type { ToolContext } from "../../src/core/tool.ts";
import { grepBytes, grepFile, type GrepState } from "./grep_file.ts";
import type { Pace } from "./pace.ts";
import type { GlobFilter } from "./path_filter.ts";
import { type Found, walk } from "./walk.ts";

/** Files read in one go: few enough that an abort is heard soon. */
const BATCH_FILES = 128;

/** Files up to this size are read in one go with their neighbours; larger ones by themselves, piece by piece. */
const BATCH_FILE_BYTES = 256 * 1024;

/** How many entries are met between two looks at the clock. */
const BREATH_ENTRIES = 64;

/** Neighbours in the order of the walk, all of one folder. */
interface Batch {
  readonly folder: string;
  readonly files: Found[];
}

/** Searches what a walk finds, in its order. False when the call was aborted. */
export async function grepFolder(
  root: string,
  filter: GlobFilter | undefined,
  state: GrepState,
  context: ToolContext,
  pace: Pace,
): Promise<boolean> {
  const { files, policy, signal } = context;
  const excluded = filter?.excludes ? filter.matches : undefined;
  const wanted = filter?.excludes ? undefined : filter?.matches;
  const prune = excluded ? { prune: (folder: Found) => excluded(folder.relative, folder.name) } : {};
  let batch: Batch = { folder: root, files: [] };
  let entries = 0;
  for (const found of walk(files, root, { workspace: policy.root, ...prune })) {
    if (found.isDirectory || entries++ % BREATH_ENTRIES === 0) {
      const breath = pace.breathe();
      if (breath) await breath;
      if (signal.aborted) return false;
    }
    if (found.isDirectory) state.isCut ||= pace.isOver();
    if (state.isCut || state.hasMore) return true;
    if (found.isDirectory || found.isSymlink || excluded?.(found.relative, found.name)) continue;
    if (wanted && !wanted(found.relative, found.name)) continue;
    if (found.folder !== batch.folder || batch.files.length >= BATCH_FILES) {
      grepBatch(batch, state, context);
      // Files that cannot hold a match are passed over without a look at the clock.
      state.isCut ||= pace.isOver();
      if (state.isCut || state.hasMore) return true;
      batch = { folder: found.folder, files: [] };
    }
    batch.files.push(found);
  }
  if (!state.hasMore) grepBatch(batch, state, context);
  return !signal.aborted;
}

function grepBatch({ folder, files: batch }: Batch, state: GrepState, { files }: ToolContext): void {
  if (batch.length === 0) return;
  const names = batch.map(({ name }) => name);
  let at = 0;
  const take = (name: string, bytes: Uint8Array<ArrayBuffer>): boolean => {
    while (batch[at] && batch[at]?.name !== name) at++;
    const found = batch[at];
    state.isCut ||= state.isOver();
    if (state.isCut || !found) return false;
    if (bytes.length < BATCH_FILE_BYTES) grepBytes(bytes, found.relative, state);
    else attempt(() => grepFile(files, found.path, found.relative, state));
    return !state.isCut && !state.hasMore;
  };
  // What may not be read, or is gone since its folder was listed, has no matches to show.
  attempt(() => files.readEach(folder, names, BATCH_FILE_BYTES, take, state.pattern.needle));
}
