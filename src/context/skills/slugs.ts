/**
 * Gives each thing a slug made from its name: lower-case letters, digits and hyphens, no two alike.
 *
 * Fit names keep theirs, whatever the others are called; the rest are numbered in the order given.
 */
export function withSlugs<T extends { readonly name: string }>(named: readonly T[]): (T & { readonly slug: string })[] {
  const slugs = named.map(({ name }) => slugOf(name));
  const taken = new Set(named.map(({ name }) => name).filter((name, i) => slugs[i] === name));
  return named.map((one, i) => {
    const base = slugs[i] ?? "";
    if (base === one.name) return { ...one, slug: base };
    let slug = base;
    for (let n = 2; taken.has(slug); n++) slug = `${base}-${n}`;
    taken.add(slug);
    return { ...one, slug };
  });
}

function slugOf(name: string): string {
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) return name; // nearly always
  return name.normalize("NFKC").toLowerCase().replace(/[^\p{Ll}\p{Lo}\p{Nd}]+/gu, "-").replace(/^-+|-+$/g, "") ||
    "skill";
}
