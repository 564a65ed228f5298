import { dirname, join, normalize } from "@std/path";
import MarkdownIt from "markdown-it";
import { isThere } from "../../../src/core/support/on_disk.ts";
import { highlightHtml } from "../../../src/session/html/highlight.ts";

/** A page of the documentation as HTML. */
export interface Page {
  /** From the root of the repository. */
  readonly path: string;
  readonly title: string;
  readonly html: string;
}

/** Pages, and what is wrong with their links: page, link and why, one sentence each. */
export interface Pages {
  readonly pages: readonly Page[];
  readonly problems: readonly string[];
}

/** A link of a page that is not a web address. */
interface Link {
  readonly page: string;
  readonly href: string;
  readonly target: string;
  readonly anchor: string | undefined;
}

/** The paths of all pages: what a reader begins with, what is in docs, what contributors read. */
export function pagePaths(root: string): readonly string[] {
  const inFolder = (folder: string): string[] =>
    [...Deno.readDirSync(join(root, folder))].map(({ name }) => name).filter((name) => name.endsWith(".md")).sort()
      .map((name) => `${folder}/${name}`);
  return [
    "README.md",
    ...inFolder("docs"),
    "ARCHITECTURE.md",
    "AGENTS.md",
    "CHANGELOG.md",
    ...inFolder("dev"),
    ...inFolder("dev/decisions"),
  ];
}

/**
 * Reads pages. Ids are `PATH` and `PATH#HEADING`, so that links between pages are links within one document; a link to a
 * file that is no page is shown as text. Nothing of a page is taken as HTML, and its comments are left out.
 */
export function readPages(root: string): Pages {
  const paths = new Set(pagePaths(root));
  const ids = new Set<string>();
  const links: Link[] = [];
  const pages = [...paths].map((path) => {
    const markdown = withoutComments(Deno.readTextFileSync(join(root, path)));
    const { title, html } = render({ root, path, paths, ids, links }, markdown);
    ids.add(path);
    return { path, title, html };
  });
  const problems = links.flatMap(({ page, href, target, anchor }) => {
    if (paths.has(target)) {
      const isThere = anchor === undefined || ids.has(`${target}#${anchor}`);
      return isThere ? [] : [`${page}: the link "${href}" leads to no heading`];
    }
    return isThere(join(root, target)) ? [] : [`${page}: the link "${href}" leads to nothing`];
  });
  return { pages, problems };
}

/** What a heading is called in links to it, as Git hosts make it; a second one of the name gets `-1`. */
export function slugOf(heading: string): string {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-");
}

interface Rendering {
  readonly root: string;
  readonly path: string;
  readonly paths: ReadonlySet<string>;
  readonly ids: Set<string>;
  readonly links: Link[];
}

function render(of: Rendering, markdown: string): { readonly title: string; readonly html: string } {
  const { root, path, paths, ids, links } = of;
  const md = new MarkdownIt({ html: false, linkify: false, highlight: highlightHtml });
  const tokens = md.parse(markdown, {});
  let title: string | undefined;
  for (const [at, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const text = (tokens[at + 1]?.children ?? []).map(({ content }) => content).join("");
      title ??= text;
      const slug = slugOf(text);
      let id = `${path}#${slug}`;
      for (let again = 1; ids.has(id); again++) id = `${path}#${slug}-${again}`;
      ids.add(id);
      token.attrSet("id", id);
    }
    for (const child of token.children ?? []) {
      if (child.type === "link_open") {
        const href = String(child.attrGet("href") ?? "");
        if (/^[a-z]+:/i.test(href)) {
          child.attrSet("rel", "noreferrer");
          continue;
        }
        const [file = "", anchor] = decodeURI(href).split("#");
        const target = file === "" ? path : normalize(join(dirname(path), file)).replace(/\/$/, "");
        links.push({ page: path, href, target, anchor });
        if (paths.has(target)) child.attrSet("href", `#${target}${anchor === undefined ? "" : `#${anchor}`}`);
        // A file of the repository that is no page: its name says what it is.
        else child.attrs = [["class", "file"], ["title", target]];
      }
      if (child.type === "image") {
        const file = join(root, dirname(path), String(child.attrGet("src") ?? ""));
        const type = file.endsWith(".svg") ? "image/svg+xml" : "image/png";
        child.attrSet("src", `data:${type};base64,${Deno.readFileSync(file).toBase64()}`);
      }
    }
  }
  return { title: title ?? path, html: md.renderer.render(tokens, md.options, {}) };
}

/** Comments are for programs; those in blocks of code are code. */
function withoutComments(markdown: string): string {
  return markdown.replace(/^(\s*```)[^]*?^\1\s*$|<!--[^]*?-->\n?/gm, (all) => all.startsWith("<!--") ? "" : all);
}
