import { escapeVisible } from "./escape_html.ts";
import { markdownBlocks } from "./markdown_blocks.ts";
import { markdownSpans } from "./markdown_inline.ts";
import { visible } from "./visible_text.ts";

/**
 * A model's Markdown as HTML: code, headings, lists and bold, and everything else as the text it is.
 *
 * No tag and no attribute comes from the text; there are no links and no pictures.
 */
export function proseHtml(markdown: string): string {
  return markdownBlocks(visible(markdown)).map((block) => {
    switch (block.kind) {
      case "code":
        return `<pre><code>${escapeVisible(block.text)}</code></pre>`;
      case "heading": {
        const tag = `h${Math.min(block.level + 2, 6)}`; // the page's own are h1 and h2
        return `<${tag}>${inline(block.text)}</${tag}>`;
      }
      case "list":
        return `<ul>${
          block.items.map(({ marker, depth, text }) =>
            `<li class="d${depth}">${marker === "-" ? "•" : escapeVisible(marker)} ${inline(text)}</li>`
          ).join("")
        }</ul>`;
      case "paragraph":
        return `<p>${inline(block.text)}</p>`;
    }
  }).join("\n");
}

function inline(text: string): string {
  return markdownSpans(text).map((span) => {
    const escaped = escapeVisible(span.text);
    if (span.kind === "text") return escaped;
    return span.kind === "code" ? `<code>${escaped}</code>` : `<strong>${escaped}</strong>`;
  }).join("");
}
