/**
 * Reads a page that is written as strictly as ours, tag by tag: anything that a browser could take for more than text
 * and is not in exactly this form is an error.
 */
export interface Page {
  /** Tags with their attributes in order, `/name` for an end. */
  readonly tags: readonly string[];
  /** The texts between them, entities resolved. */
  readonly texts: readonly string[];
}

const TAG = /^<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*)>/;
const ENTITY = /&(amp|lt|gt|quot|#39);/g;
const VOID = new Set(["meta", "img", "hr", "br", "input"]);
const CHARACTERS: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

export function readPage(html: string): Page {
  const doctype = "<!DOCTYPE html>\n";
  if (!html.startsWith(doctype)) throw new Error("no doctype");
  const tags: string[] = [];
  const texts: string[] = [];
  const open: string[] = [];
  for (let at = doctype.length; at < html.length;) {
    if (html[at] === "<") {
      const [whole = "", slash, name = "", attributes = ""] = TAG.exec(html.slice(at, at + 4096)) ?? [];
      if (whole === "") throw new Error(`no tag of ours: ${html.slice(at, at + 80)}`);
      tags.push(`${slash}${name}${attributes}`);
      at += whole.length;
      if (slash === "/") {
        const last = open.pop();
        if (last !== name) throw new Error(`</${name}> ends <${last}>`);
      } else if (!VOID.has(name)) open.push(name);
      // They hold no content.
      if ((name === "style" || name === "script") && slash === "") at = html.indexOf(`</${name}>`, at);
    } else {
      const next = html.indexOf("<", at);
      const text = html.slice(at, next < 0 ? undefined : next);
      if (/[>"]/.test(text) || /&/.test(text.replace(ENTITY, ""))) throw new Error(`not escaped: ${text}`);
      texts.push(text.replace(ENTITY, (_whole, name: string) => CHARACTERS[name] ?? ""));
      at = next < 0 ? html.length : next;
    }
  }
  if (open.length > 0) throw new Error(`never closed: ${open}`);
  return { tags, texts };
}
