import { textOf } from "../../core/message.ts";
import type { SessionEntry } from "../../core/session.ts";
import { cleanLine } from "../screen/foreign.ts";
import { saidText } from "../blocks/said.ts";
import type { Choice } from "../widgets/picker.ts";

/** Characters of a message that a line shows. */
const SHOWN = 120;

/** The messages of a session as lines, branches indented where they part; the value is the entry's id. */
export function treeChoices(entries: readonly SessionEntry[], leaf: string | null): readonly Choice<string>[] {
  const labels = new Map<string, string | undefined>();
  const children = new Map<string | null, SessionEntry[]>();
  for (const entry of entries) {
    if (entry.type === "label") labels.set(entry.targetId, entry.label);
    children.set(entry.parentId, [...children.get(entry.parentId) ?? [], entry]);
  }
  const here = leafMessage(entries, leaf);
  const lines: Choice<string>[] = [];
  // A long session is as deep as it has entries, so no recursion.
  const waiting: { readonly entry: SessionEntry; readonly depth: number }[] = (children.get(null) ?? [])
    .map((entry) => ({ entry, depth: 0 })).reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { entry, depth } = next;
    const text = lineOf(entry);
    if (text !== undefined) {
      const label = labels.get(entry.id);
      const detail = [entry.id === here ? "here" : "", label ?? ""].filter((part) => part !== "").join(" · ");
      const indent = depth > 0 ? `${"│ ".repeat(Math.min(depth, 8))}` : "";
      lines.push({ label: indent + text, value: entry.id, ...(detail === "" ? {} : { detail }) });
    }
    const below = children.get(entry.id) ?? [];
    const branches = below.filter((child) => child.type !== "label");
    const deeper = branches.length > 1 ? depth + 1 : depth;
    waiting.push(...below.map((child) => ({ entry: child, depth: deeper })).reverse());
  }
  return lines;
}

/** Whether `/tree` shows an entry. */
export function hasLine(entry: SessionEntry): boolean {
  return lineOf(entry) !== undefined;
}

/** The entry with a line of its own that the leaf stands at or below. */
function leafMessage(entries: readonly SessionEntry[], leaf: string | null): string | undefined {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  let entry = leaf === null ? undefined : byId.get(leaf);
  while (entry && lineOf(entry) === undefined) entry = entry.parentId === null ? undefined : byId.get(entry.parentId);
  return entry?.id;
}

function lineOf(entry: SessionEntry): string | undefined {
  switch (entry.type) {
    case "message": {
      const { message } = entry;
      if (message.role === "user") return `❯ ${short(saidText(textOf(message.content)))}`;
      if (message.role === "bashExecution") return `$ ${short(message.command)}`;
      if (message.role !== "assistant") return undefined;
      const text = short(textOf(message.content));
      return text === "" ? undefined : `  ${text}`;
    }
    case "compaction":
      return "  ⋯ shortened";
    case "branch_summary":
      return "  ⋯ summary of a branch";
    default:
      return undefined;
  }
}

function short(text: string): string {
  return cleanLine(text.slice(0, SHOWN * 2)).slice(0, SHOWN);
}
