import { isObject } from "../../core/json.ts";
import type { Manifest, ManifestSection } from "../../core/compiled_prompt.ts";

/** How two prompts differ; sizes, digests and names, never text (R354). */
export interface ManifestDiff {
  /** In the order of the later prompt, those that are gone last. */
  readonly sections: readonly SectionChange[];
  /** The sections that both have stand in another order. */
  readonly isReordered: boolean;
  /** Halves whose text is not the same. */
  readonly halves: readonly ("stable" | "dynamic")[];
  readonly tools: { readonly added: readonly string[]; readonly removed: readonly string[]; readonly isOther: boolean };
  /** Everything else, by its place in the manifest: `policy.write.list`, `history.decision`. */
  readonly fields: readonly FieldChange[];
}

export interface SectionChange {
  readonly id: string;
  readonly before?: ManifestSection;
  readonly after?: ManifestSection;
}

/** Values as JSON; absent where there is none. */
export interface FieldChange {
  readonly field: string;
  readonly before?: string;
  readonly after?: string;
}

/** Fields that are compared by their leaves. `round` and `trigger` differ nearly always and say which is which. */
const FIELDS = ["compiler", "profile", "policy", "history", "hooks", "diagnostics"] as const;

/** What is not the same in two manifests. */
export function diffManifests(before: Manifest, after: Manifest): ManifestDiff {
  return {
    sections: diffSections(before.sections, after.sections),
    isReordered: isReordered(before.sections, after.sections),
    halves: (["stable", "dynamic"] as const).filter((half) => before.fingerprints[half] !== after.fingerprints[half]),
    tools: {
      added: after.tools.names.filter((name) => !before.tools.names.includes(name)),
      removed: before.tools.names.filter((name) => !after.tools.names.includes(name)),
      isOther: before.tools.fingerprint !== after.tools.fingerprint,
    },
    fields: FIELDS.flatMap((field) => diffValues(field, before[field], after[field])),
  };
}

function diffSections(before: readonly ManifestSection[], after: readonly ManifestSection[]): readonly SectionChange[] {
  const old = new Map(before.map((section) => [section.id, section]));
  const ids = new Set(after.map(({ id }) => id));
  return [
    ...after.flatMap((section) => {
      const known = old.get(section.id);
      if (known === undefined) return [{ id: section.id, after: section }];
      return JSON.stringify(known) === JSON.stringify(section)
        ? []
        : [{ id: section.id, before: known, after: section }];
    }),
    ...before.filter(({ id }) => !ids.has(id)).map((section) => ({ id: section.id, before: section })),
  ];
}

function isReordered(before: readonly ManifestSection[], after: readonly ManifestSection[]): boolean {
  const common = (one: readonly ManifestSection[], other: readonly ManifestSection[]): string => {
    const ids = new Set(other.map(({ id }) => id));
    return JSON.stringify(one.map(({ id }) => id).filter((id) => ids.has(id)));
  };
  return common(before, after) !== common(after, before);
}

/** Objects are compared key by key, lists and everything else as a whole. */
function diffValues(field: string, before: unknown, after: unknown): readonly FieldChange[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => diffValues(`${field}.${key}`, before[key], after[key]));
  }
  return [{
    field,
    ...(before === undefined ? {} : { before: JSON.stringify(before) }),
    ...(after === undefined ? {} : { after: JSON.stringify(after) }),
  }];
}
