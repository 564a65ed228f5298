import { join } from "@std/path";

/**
 * A page with a block of it written anew: what stands between `<!-- NAME: … -->` and `<!-- end of NAME -->`.
 *
 * Throws where the page has no such block.
 */
export function withBlock(page: string, name: string, lines: readonly string[]): string {
  const [before, from, end] = new RegExp(`([^]*)(<!-- ${name}: [^\\n]*-->)[^]*?(<!-- end of ${name} -->)`).exec(page)
    ?.slice(1) ?? [];
  if (before === undefined) throw new Error(`a page has no block "${name}"`);
  const after = page.slice(page.indexOf(`<!-- end of ${name} -->`) + (end ?? "").length);
  return `${before}${from}\n\n${lines.join("\n")}\n\n${end}${after}`;
}

/** Links to all pages of docs, by their titles, as one line of prose. */
export function pageLinks(root: string): string {
  const names = [...Deno.readDirSync(join(root, "docs"))].map(({ name }) => name).filter((name) =>
    name.endsWith(".md")
  );
  const links = names.sort().map((name) => {
    const title = /^# (.*)$/m.exec(Deno.readTextFileSync(join(root, "docs", name)))?.[1] ?? name;
    return `[${title}](docs/${name})`;
  });
  return `All pages: ${links.join(" · ")}. As one page with a search: \`deno task docs-html\`.`;
}
