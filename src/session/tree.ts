import type { SessionEntry } from "../core/session.ts";

/** An entry with what follows it, for showing a session as a tree. */
export interface SessionNode {
  readonly entry: SessionEntry;
  /** In the order of the file. */
  readonly children: readonly SessionNode[];
  /** The name that a person gave it. */
  readonly label?: string;
}

/** The session as trees: more than one when somebody went back before the first entry. */
export function sessionTree(entries: readonly SessionEntry[]): readonly SessionNode[] {
  const labels = labelsOf(entries);
  const roots: SessionNode[] = [];
  const childrenOf = new Map<string, SessionNode[]>();
  for (const entry of entries) {
    const children: SessionNode[] = [];
    const label = labels.get(entry.id);
    const node = { entry, children, ...(label === undefined ? {} : { label }) };
    childrenOf.set(entry.id, children);
    const siblings = entry.parentId === null ? roots : childrenOf.get(entry.parentId) ?? roots;
    siblings.push(node);
  }
  return roots;
}

/** The label of each entry that has one: the last one given counts, and one without text takes it away. */
export function labelsOf(entries: readonly SessionEntry[]): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  for (const entry of entries) {
    if (entry.type !== "label") continue;
    if (entry.label) labels.set(entry.targetId, entry.label);
    else labels.delete(entry.targetId);
  }
  return labels;
}

/** The session's name: the last one given; undefined when there is none or it was taken away. */
export function sessionName(entries: readonly SessionEntry[]): string | undefined {
  const last = entries.findLast((entry) => entry.type === "session_info");
  return last?.type === "session_info" ? last.name.trim() || undefined : undefined;
}

/** What the newest entry of a custom type holds, where that is an object; session files come from elsewhere, too. */
export function lastCustom(
  entries: readonly SessionEntry[],
  customType: string,
): Readonly<Record<string, unknown>> | undefined {
  const entry = entries.findLast((one) => one.type === "custom" && one.customType === customType);
  const data: unknown = entry?.type === "custom" ? entry.data : undefined;
  return typeof data === "object" && data !== null ? data as Readonly<Record<string, unknown>> : undefined; // an object
}

/** From the first entry to `id`; null is the place before the first. Throws for an id that is not there. */
export function pathIn(byId: ReadonlyMap<string, SessionEntry>, id: string | null): SessionEntry[] {
  const path: SessionEntry[] = [];
  for (let next = id; next !== null;) {
    const entry = byId.get(next);
    if (entry === undefined) throw new Error(`no entry ${next} in this session`);
    path.push(entry);
    next = entry.parentId;
  }
  return path.reverse();
}
