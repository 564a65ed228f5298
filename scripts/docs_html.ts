/**
 * Writes dist/docs.html: README.md, docs/ and what contributors read as one page, with a search. It needs no network and
 * works as a file. `--out FILE` writes elsewhere. Fails for a link that leads nowhere.
 */
import { parseArgs } from "@std/cli";
import { dirname, join, resolve } from "@std/path";
import { VERSION } from "../src/core/version.ts";
import { type Page, readPages } from "./docs/html/pages.ts";
import { SECTIONS } from "./docs/page_list.ts";

const root = resolve(import.meta.dirname ?? ".", "..");
const args = parseArgs(Deno.args.filter((word) => word !== "--"), { string: ["out"] });
const out = resolve(typeof args.out === "string" ? args.out : join(root, "dist", "docs.html"));

const { pages, problems } = readPages(root);
for (const problem of problems) console.error(problem);
const groups = grouped(pages);
const html = documentOf(groups);
await Deno.mkdir(dirname(out), { recursive: true });
await Deno.writeTextFile(out, html);
console.log(
  `${out}: ${pages.length} pages, ${(html.length / 1e6).toFixed(1)} MB, ${problems.length} links that lead nowhere`,
);
Deno.exit(problems.length > 0 ? 1 : 0);

interface Group {
  readonly title: string;
  readonly pages: readonly Page[];
}

function documentOf(groups: readonly Group[]): string {
  const part = (name: string): string => Deno.readTextFileSync(join(root, "scripts", "docs", "html", name));
  const bodies = groups.flatMap(({ pages }) => pages).map(({ path, html }) =>
    `<article id="${path}">\n${
      html.replaceAll("<table>", '<div class="table"><table>').replaceAll("</table>", "</table></div>")
    }</article>`
  );
  return [
    "<!DOCTYPE html>",
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    // Nothing is loaded, whatever a page says.
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">`,
    "<title>sandpiper</title>",
    `<style>\n${part("page.css")}</style></head><body>`,
    '<a class="skip" href="#main">To the text</a>',
    `<div class="side"><div class="top"><strong>sandpiper ${VERSION}</strong>`,
    '<button id="theme" aria-label="Dark or light">◐</button><button id="menu" aria-expanded="false">Menu</button></div>',
    '<input id="search" type="search" placeholder="Search  /" aria-label="Search" autocomplete="off" spellcheck="false">',
    '<div class="keys">/ search · ↑↓ Enter · Esc</div>',
    `<nav aria-label="Pages">${navigation(groups)}</nav></div>`,
    '<main id="main"><section id="found" aria-live="polite" hidden></section>',
    ...bodies,
    "</main>",
    `<script>\n${part("page.js")}</script></body></html>`,
    "",
  ].join("\n");
}

/** All pages in the order in which they are read. Throws for one that has no place in it. */
function grouped(pages: readonly Page[]): readonly Group[] {
  const rest = new Map(pages.map((page) => [page.path, page]));
  const take = (path: string): readonly Page[] => {
    const page = rest.get(path);
    rest.delete(path);
    return page ? [page] : [];
  };
  const usual = [
    { title: "", pages: [...take("README.md"), ...take("docs/index.md")] },
    ...SECTIONS.map(({ title, pages }) => ({ title, pages: pages.flatMap(({ name }) => take(`docs/${name}.md`)) })),
  ];
  const changing = ["ARCHITECTURE.md", "AGENTS.md", "CHANGELOG.md", "dev/requirements.md"].flatMap(take);
  const decisions = [...rest.values()].filter(({ path }) => path.startsWith("dev/decisions/"));
  for (const { path } of decisions) rest.delete(path);
  if (rest.size > 0) throw new Error(`SECTIONS has no place for ${[...rest.keys()].join(", ")}`);
  return [...usual, { title: "Contributors", pages: changing }, { title: "Decisions", pages: decisions }];
}

function navigation(groups: readonly Group[]): string {
  return groups.map(({ title, pages }) => {
    const items = pages.map(({ path, title }) => `<li><a href="#${path}">${escaped(title)}</a></li>`);
    return `${title === "" ? "" : `<h2>${title}</h2>`}<ul>${items.join("")}</ul>`;
  }).join("");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
