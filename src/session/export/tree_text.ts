import type { SessionEntry } from "../../core/session.ts";
import { labelsOf } from "../tree.ts";
import { gistOf, type Item, transcriptOf } from "../view/transcript.ts";
import { oneLine } from "../view/visible_text.ts";

/** Characters of a message that a line shows. */
const GIST = 100;

interface Node {
  readonly item: Item;
  readonly children: Node[];
}

/**
 * A session as a tree, a line an entry: its id, what it is, its label, and where the session goes on.
 *
 * Lines that follow one another stand below one another; only where a session parts they move in. Data beside the
 * conversation is left out, what follows it follows the entry before it.
 */
export function* treeLines(entries: readonly SessionEntry[]): Generator<string> {
  const { roots, leaf } = visibleTree(entries);
  // A stack and no recursion: a chain may be a hundred thousand entries long.
  const stack: { readonly node: Node; readonly first: string; readonly rest: string }[] = [];
  const push = (nodes: readonly Node[], indent: string): void => {
    const only = nodes.length === 1;
    for (const [at, node] of [...nodes.entries()].reverse()) {
      const isLast = at === nodes.length - 1;
      const [first, rest] = only ? ["", ""] : isLast ? ["└─ ", "   "] : ["├─ ", "│  "];
      stack.push({ node, first: indent + first, rest: indent + rest });
    }
  };
  push(roots, "");
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node: { item, children }, first, rest } = next;
    yield `${first}${lineOf(item)}${item.entryId === leaf ? "  <- here" : ""}\n`;
    push(children, rest);
  }
}

/** Without what is no part of the conversation, what this program told the model included; the leaf is the last entry, or what is left before it. */
function visibleTree(
  entries: readonly SessionEntry[],
): { readonly roots: readonly Node[]; readonly leaf: string | undefined } {
  const told = transcriptOf(entries, labelsOf(entries)).filter(({ isRuntime, label }) => !isRuntime || label);
  const items = new Map(told.map((item) => [item.entryId, item]));
  const roots: Node[] = [];
  /** Of each entry the node that stands for it. */
  const nodes = new Map<string, Node | undefined>();
  for (const { id, parentId } of entries) {
    const parent = parentId === null ? undefined : nodes.get(parentId);
    const item = items.get(id);
    const node = item && { item, children: [] };
    nodes.set(id, node ?? parent);
    if (node) (parent?.children ?? roots).push(node);
  }
  const last = entries.at(-1);
  return { roots, leaf: last && nodes.get(last.id)?.item.entryId };
}

function lineOf({ entryId, kind, title, label, parts }: Item): string {
  const calls = parts.flatMap((part) => part.kind === "call" ? [`${part.tool} ${gistOf(part.args)}`.trim()] : []);
  const texts = parts.flatMap((part) =>
    part.kind === "prose" || part.kind === "plain" || part.kind === "output" ? [part.text] : []
  );
  // A long output is not joined to show its first line.
  const text = oneLine(texts.find((text) => text.trim() !== "") ?? "", GIST);
  const what = kind === "note"
    ? [oneLine(title, GIST)]
    : [`${oneLine(title, 60)}:`, text, ...calls.map((call) => `[${oneLine(call, 60)}]`)];
  const name = label === undefined ? [] : [`"${oneLine(label, 60)}"`];
  return [oneLine(entryId, 40), ...what, ...name].filter((word) => word !== "").join(" ");
}
