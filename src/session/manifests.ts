// Most rounds of a session send the same prompt: a manifest is stored whole once, then as what differs from the last one.
import { isObject } from "../core/json.ts";
import type { Manifest, ManifestSection } from "../core/compiled_prompt.ts";
import type { CustomEntry, NewEntry, SessionEntry } from "../core/session.ts";

/** The custom type of manifest entries. */
const MANIFEST = "manifest";

/** What an entry holds: a whole manifest, or the keys that differ from those of the entry `since`. */
type StoredManifest =
  | { readonly manifest: Manifest }
  | {
    readonly since: string;
    readonly changed: Partial<Omit<Manifest, "sections">>;
    /** Ids in the order of the prompt, when that differs, and the sections that are new or other. */
    readonly order?: readonly string[];
    readonly sections?: readonly ManifestSection[];
  };

/** A manifest of a session, with its entry. */
export interface KeptManifest {
  readonly entryId: string;
  readonly timestamp: string;
  readonly manifest: Manifest;
}

/** The entry for a manifest that follows another one. */
export function manifestEntry(
  manifest: Manifest,
  last: { readonly entryId: string; readonly manifest: Manifest } | undefined,
): NewEntry<CustomEntry> {
  const data: StoredManifest = last ? { since: last.entryId, ...difference(last.manifest, manifest) } : { manifest };
  return { type: "custom", customType: MANIFEST, data };
}

/** The manifests among entries in their order; one whose forerunner is not there or whose data is damaged is left out. */
export function manifestsOf(entries: readonly SessionEntry[]): readonly KeptManifest[] {
  const whole = new Map<string, Manifest>();
  const found: KeptManifest[] = [];
  for (const entry of entries) {
    if (entry.type !== "custom" || entry.customType !== MANIFEST) continue;
    const manifest = restore(entry.data, whole);
    if (manifest === undefined) continue;
    whole.set(entry.id, manifest);
    found.push({ entryId: entry.id, timestamp: entry.timestamp, manifest });
  }
  return found;
}

function difference(before: Manifest, after: Manifest): Omit<Extract<StoredManifest, { since: string }>, "since"> {
  const { sections: oldSections, ...old } = before;
  const { sections, ...now } = after;
  const changed = Object.fromEntries(
    Object.entries(now).filter(([key, value]) => !same(value, old[key as keyof typeof old])), // both are manifests
  );
  const known = new Map(oldSections.map((section) => [section.id, section]));
  const others = sections.filter((section) => !same(section, known.get(section.id)));
  const order = sections.map(({ id }) => id);
  return {
    changed,
    ...(same(order, oldSections.map(({ id }) => id)) ? {} : { order }),
    ...(others.length === 0 ? {} : { sections: others }),
  };
}

function restore(data: unknown, whole: ReadonlyMap<string, Manifest>): Manifest | undefined {
  if (!isObject(data)) return undefined;
  if ("manifest" in data) return looksWhole(data["manifest"]) ? data["manifest"] : undefined;
  const base = typeof data["since"] === "string" ? whole.get(data["since"]) : undefined;
  if (!base || !isObject(data["changed"])) return undefined;
  const given = Array.isArray(data["sections"]) ? data["sections"].filter(isSection) : [];
  const byId = new Map([...base.sections, ...given].map((section) => [section.id, section]));
  const order = Array.isArray(data["order"]) ? data["order"].map(String) : base.sections.map(({ id }) => id);
  const sections = order.flatMap((id) => byId.get(id) ?? []);
  const restored = { ...base, ...data["changed"], sections };
  return looksWhole(restored) ? restored : undefined;
}

function same(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function isSection(value: unknown): value is ManifestSection {
  return isObject(value) && typeof value["id"] === "string" && typeof value["sha256"] === "string";
}

/** Enough to be shown and compared: a file that somebody edited must not break the command that looks at it. */
function looksWhole(value: unknown): value is Manifest {
  return isObject(value) && Array.isArray(value["sections"]) && value["sections"].every(isSection) &&
    isObject(value["fingerprints"]) && typeof value["round"] === "number" && isObject(value["tools"]) &&
    Array.isArray(value["diagnostics"]) && isObject(value["history"]);
}
