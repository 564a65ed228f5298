// Loaded with the first page of HTML: no other call needs the parser.
import Turndown, { type TurndownNode } from "turndown";

/** What is no text for a reader. */
const UNREAD = [
  ..."script title style noscript template svg iframe object embed canvas video audio map dialog".split(" "),
  ..."select button input textarea".split(" "),
];

/** Longer addresses are for machines. */
const LONGEST_HREF = 300;
/** Elements inside of each other: the parser's time grows with the square, and its stack with them. */
const DEEPEST = 2_000;

/**
 * A page as Markdown: its title, then the one `main` or `article` where that is most of it, else all of the body, without
 * what a reader does not see. Addresses are absolute.
 *
 * A page that the parser cannot take is given with its tags taken out.
 */
export function toMarkdown(html: string, url: string): string {
  if (isDeep(html)) return withoutTags(html);
  try {
    return converted(html, url);
  } catch (error) {
    // Below the limit the stack may still be too small.
    if (error instanceof RangeError) return withoutTags(html);
    throw error;
  }
}

function converted(html: string, url: string): string {
  const service = new Turndown({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
    hr: "---",
  });
  service.remove(UNREAD);
  service.addRule("hidden", { filter: (node) => isHidden(node), replacement: () => "" });
  service.addRule("link", {
    filter: (node) => node.nodeName === "A",
    replacement(content, node) {
      const text = content.trim().replace(/\s*\n\s*/g, " ");
      const href = absolute(node.getAttribute?.("href"), url);
      if (text === "" || href === undefined) return text;
      return `[${text}](${href})`;
    },
  });
  service.addRule("image", {
    filter: (node) => node.nodeName === "IMG",
    replacement(_content, node) {
      const alt = (node.getAttribute?.("alt") ?? "").trim().replace(/\s+/g, " ");
      return alt === "" ? "" : `[image: ${alt}]`;
    },
  });
  service.addRule("row", {
    filter: (node) => node.nodeName === "TR",
    replacement(content, node) {
      const line = `|${content}`;
      const cells = Array.from(node.childNodes).filter(({ nodeName }) => nodeName === "TH" || nodeName === "TD");
      return isFirstRow(node) ? `\n${line}\n|${" --- |".repeat(cells.length)}` : `\n${line}`;
    },
  });
  service.addRule("cell", {
    filter: (node) => node.nodeName === "TH" || node.nodeName === "TD",
    replacement: (content) => ` ${content.trim().replace(/\|/g, "\\|").replace(/\s*\n\s*/g, " ")} |`,
  });
  service.addRule("table", {
    filter: (node) => ["TABLE", "THEAD", "TBODY", "TFOOT"].includes(node.nodeName),
    replacement: (content, node) => node.nodeName === "TABLE" ? `\n\n${content.trim()}\n\n` : content,
  });
  const title = titleOf(html);
  const text = service.turndown(mainPart(html)).replace(/[ \t]+$/gm, "").replace(/\n{3,}/g, "\n\n").trim();
  return title === undefined || text.startsWith(`# ${title}`) ? text : `# ${title}\n\n${text}`;
}

/** The part between the one `<main>` or `<article>` and its end, where it holds a good part of the page. */
function mainPart(html: string): string {
  for (const name of ["main", "article"]) {
    const opening = [...html.matchAll(new RegExp(`<${name}(?=[\\s>/])`, "gi"))];
    const end = html.toLowerCase().lastIndexOf(`</${name}`);
    const start = opening[0]?.index ?? -1;
    if (opening.length === 1 && end > start && end - start > html.length / 10) return `<body>${html.slice(start, end)}`;
  }
  return html;
}

function titleOf(html: string): string | undefined {
  const text = /<title\b[^>]*>([^<]*)/i.exec(html)?.[1] ?? "";
  const title = text.replace(/&amp;/g, "&").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&(?:quot|#34);/g, '"')
    .replace(/&(?:#39|#x27|apos);/gi, "'").replace(/\s+/g, " ").trim();
  return title === "" ? undefined : title;
}

/** What no reader of the page sees is for whoever reads its source: nothing that a model should be told. */
function isHidden(node: TurndownNode): boolean {
  if (node.getAttribute === undefined) return false;
  if (node.getAttribute("hidden") !== null || node.getAttribute("aria-hidden") === "true") return true;
  return /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px)?\s*(?:;|$))/i.test(
    node.getAttribute("style") ?? "",
  );
}

function isFirstRow(row: TurndownNode): boolean {
  const group = row.parentNode;
  if (!isFirst(row)) return false;
  return group === null || group.nodeName === "TABLE" || group.nodeName === "THEAD" || isFirst(group);
}

function isFirst(node: TurndownNode): boolean {
  const before = node.previousElementSibling?.nodeName;
  return before === undefined || before === "CAPTION" || before === "COLGROUP";
}

function absolute(href: string | null | undefined, base: string): string | undefined {
  if (!href || href.startsWith("#")) return undefined;
  const url = URL.parse(href, base);
  if (url === null || !/^(?:https?|mailto):$/.test(url.protocol) || url.href.length > LONGEST_HREF) return undefined;
  return url.href.replace(/[()\s]/g, (found) => encodeURIComponent(found).replace("(", "%28").replace(")", "%29"));
}

/** Counts what is opened and not closed; what needs no end counts too, so that a page can only seem deeper than it is. */
function isDeep(html: string): boolean {
  let depth = 0;
  for (const [tag, isEnd] of html.matchAll(/<(\/?)[a-z][^\s<>/]*/gi)) {
    if (isEnd) depth = Math.max(0, depth - 1);
    else if (!/^<(?:area|base|br|col|embed|hr|img|input|li|link|meta|option|p|source|td|th|tr|wbr)$/i.test(tag)) {
      depth++;
    }
    if (depth > DEEPEST) return true;
  }
  return false;
}

function withoutTags(html: string): string {
  return html.replace(/<(script|style)\b[^]*?(?:<\/\1|$)/gi, " ").replace(/<[^<>]*>/g, " ").replace(/[ \t]+/g, " ")
    .replace(/\s*\n\s*/g, "\n");
}
