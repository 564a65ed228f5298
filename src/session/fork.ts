import { UserError } from "../core/error.ts";
import type { LabelEntry, SessionEntry, SessionStore } from "../core/session.ts";
import { makeEntryId } from "./identifiers.ts";
import { createSession, memorySession, type NewSession, type StoreOptions } from "./store.ts";
import { loadSession } from "./load.ts";
import { labelsOf, pathIn } from "./tree.ts";

/** What a fork takes, and where it goes. */
export interface Fork {
  /** Up to this entry; up to the leaf when it is left out. */
  readonly entryId?: string;
  /** Leaves that entry itself out: the person writes it anew. */
  readonly isBefore?: boolean;
  /** Of the new session; undefined keeps it in memory. */
  readonly folder: string | undefined;
  /** Of the new session; that of the original when it is left out. */
  readonly cwd?: string;
  readonly id?: string;
}

/** The file of a session, or an open one. */
export type ForkSource = string | Pick<SessionStore, "header" | "path" | "entries" | "leaf">;

/**
 * A new session that begins with the path to one entry of another, with the labels on it (R326).
 *
 * The original, a file or an open session, is only read. Throws `UserError` when it is no session or has no such entry.
 */
export function forkSession(source: ForkSource, { folder, ...fork }: Fork, options: StoreOptions): SessionStore {
  const session = forkedSession(source, fork, options);
  return folder === undefined ? memorySession(session, options) : createSession({ ...session, folder }, options);
}

/** What a fork begins with; throws as `forkSession`. */
export function forkedSession(
  source: ForkSource,
  { entryId, isBefore = false, cwd, id }: Omit<Fork, "folder">,
  options: Pick<StoreOptions, "now" | "random" | "onNotice">,
): Omit<NewSession, "folder"> & { readonly entries: readonly SessionEntry[] } {
  const original = typeof source === "string" ? readSource(source, options) : source;
  const all = original.entries();
  const byId = new Map(all.map((entry) => [entry.id, entry]));
  const end = entryId ?? original.leaf();
  const last = end === null ? undefined : byId.get(end);
  if (end !== null && last === undefined) {
    throw new UserError({
      what: `Cannot fork at entry "${end}"`,
      why: "the session has no such entry",
      fix: `Take one from the tree: sandpiper sessions tree ${original.header.id}`,
    });
  }
  const path = pathIn(byId, isBefore ? last?.parentId ?? null : end);
  return {
    cwd: cwd ?? original.header.cwd,
    ...(id === undefined ? {} : { id }),
    ...(original.path === undefined ? {} : { parentSession: original.path }),
    entries: [...path, ...missingLabels(path, all, options)],
  };
}

function readSource(path: string, options: Pick<StoreOptions, "onNotice">): Exclude<ForkSource, string> {
  const { header, entries, notices } = loadSession(path);
  for (const notice of notices) options.onNotice?.(notice);
  return { header, path: Deno.realPathSync(path), entries: () => entries, leaf: () => entries.at(-1)?.id ?? null };
}

/** Labels were given wherever the leaf was: those of the path that were given elsewhere are given again. */
function missingLabels(
  path: readonly SessionEntry[],
  all: readonly SessionEntry[],
  { random }: Pick<StoreOptions, "random">,
): readonly LabelEntry[] {
  const wanted = labelsOf(all);
  const given = labelsOf(path);
  const taken = new Set(all.map((entry) => entry.id));
  const added: LabelEntry[] = [];
  for (const { id: targetId } of path) {
    const label = wanted.get(targetId);
    if (label === given.get(targetId)) continue;
    const id = makeEntryId(random, (id) => taken.has(id));
    taken.add(id);
    const before = added.at(-1) ?? path.at(-1);
    if (before === undefined) break;
    const { id: parentId, timestamp } = before;
    added.push({ type: "label", id, parentId, timestamp, targetId, ...(label === undefined ? {} : { label }) });
  }
  return added;
}
