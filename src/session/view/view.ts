import { modelName } from "../../core/provider.ts";
import type { SessionTotals } from "../../core/engine.ts";
import type { SessionEntry, SessionHeader } from "../../core/session.ts";
import { labelsOf, pathIn, sessionName } from "../tree.ts";
import { type Item, transcriptOf } from "./transcript.ts";

/** A session as its readable forms show it. */
export interface SessionView {
  readonly header: SessionHeader;
  readonly name?: string;
  /** `provider/model` in the order of their first replies, of all branches. */
  readonly models: readonly string[];
  /** Time of the last entry, as it is stored. */
  readonly lastTime: string;
  /** Of all branches: left ones were paid for. */
  readonly totals: SessionTotals;
  /** The path to the leaf first; then, when they are asked for, the others in the order in which they end. */
  readonly branches: readonly BranchView[];
  /** How many branches are left out. */
  readonly leftOut: number;
}

/** A path, or what is left of it after the entries that are shown before. */
export interface BranchView {
  /** Entry that it continues; undefined for the path to the leaf and for another beginning. */
  readonly from?: string;
  readonly items: readonly Item[];
}

/** What of a loaded session its readable forms show; `totals` are those of all its entries. */
export function viewSession(
  { header, entries, byId }: {
    readonly header: SessionHeader;
    readonly entries: readonly SessionEntry[];
    readonly byId: ReadonlyMap<string, SessionEntry>;
  },
  totals: SessionTotals,
  allBranches: boolean,
): SessionView {
  const labels = labelsOf(entries);
  const name = sessionName(entries);
  const others = otherBranches(entries, byId);
  const shown = allBranches ? others : [];
  return {
    header,
    ...(name === undefined ? {} : { name }),
    models: modelsOf(entries),
    lastTime: entries.at(-1)?.timestamp ?? header.timestamp,
    totals,
    branches: [
      { items: transcriptOf(activePath(entries, byId), labels) },
      ...shown.map((branch) => {
        const from = branch[0]?.parentId ?? undefined;
        return { ...(from === undefined ? {} : { from }), items: transcriptOf(branch, labels) };
      }),
    ],
    leftOut: allBranches ? 0 : others.length,
  };
}

function activePath(
  entries: readonly SessionEntry[],
  byId: ReadonlyMap<string, SessionEntry>,
): readonly SessionEntry[] {
  return pathIn(byId, entries.at(-1)?.id ?? null);
}

/** Of each end but the leaf what no branch before it has; ends at which nothing was said are no branches. */
function otherBranches(
  entries: readonly SessionEntry[],
  byId: ReadonlyMap<string, SessionEntry>,
): readonly (readonly SessionEntry[])[] {
  const taken = new Set(activePath(entries, byId).map(({ id }) => id));
  const parents = new Set(entries.map(({ parentId }) => parentId));
  const branches: SessionEntry[][] = [];
  for (const end of entries) {
    if (parents.has(end.id) || taken.has(end.id)) continue;
    const branch: SessionEntry[] = [];
    for (let next: SessionEntry | undefined = end; next !== undefined && !taken.has(next.id);) {
      taken.add(next.id);
      branch.push(next);
      next = next.parentId === null ? undefined : byId.get(next.parentId);
    }
    if (branch.some(({ type }) => type === "message")) branches.push(branch.reverse());
  }
  return branches;
}

function modelsOf(entries: readonly SessionEntry[]): readonly string[] {
  const models = new Set<string>();
  for (const entry of entries) {
    if (entry.type !== "message" || entry.message.role !== "assistant" || entry.message.model === "") continue;
    const { provider, model: id } = entry.message;
    models.add(provider === "" ? id : modelName({ provider, id }));
  }
  return [...models];
}
