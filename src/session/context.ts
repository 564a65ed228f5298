import { type AgentMessage, type AssistantMessage, textOf, toolCallsOf } from "../core/message.ts";
import type { ContextEditEntry, SessionContext, SessionEntry, SessionStore } from "../core/session.ts";
import { pathIn } from "./tree.ts";

/** What stands for a removed tool result: its call still needs one. */
const REMOVED = "(removed from the context)";

/**
 * What the next request is made from: the path from the first entry to `leafId` (the leaf when it is left out) (R324).
 *
 * The latest compaction on the path stands for everything before its first kept entry. Calls that a crash left without
 * a result are given as they are stored.
 */
export function buildContext(
  source: Pick<SessionStore, "pathTo"> | readonly SessionEntry[],
  leafId?: string | null,
): SessionContext {
  const path = isList(source) ? pathOf(source, leafId) : source.pathTo(leafId);
  const edits = editsOf(path);
  const messages: AgentMessage[] = [];
  const entryIds: string[] = [];
  for (const entry of sentEntries(path)) {
    const stored = entryMessage(entry);
    const edit = edits.get(entry.id);
    const message = stored && edit ? edited(stored, edit) : stored;
    if (message === undefined || (message.role === "assistant" && !belongsInConversation(message))) continue;
    messages.push(message);
    entryIds.push(entry.id);
  }
  return { messages, entryIds, ...settingsOf(path) };
}

/** The message that an entry is in the conversation; undefined for those that are none. */
export function entryMessage(entry: SessionEntry): AgentMessage | undefined {
  switch (entry.type) {
    case "message":
      return entry.message;
    case "custom_message": {
      const { customType, content, display, details } = entry;
      return {
        role: "custom",
        customType,
        content,
        display,
        ...(details ? { details } : {}),
        timestamp: timeOf(entry),
      };
    }
    case "compaction":
      return {
        role: "compactionSummary",
        summary: entry.summary,
        tokensBefore: entry.tokensBefore,
        timestamp: timeOf(entry),
      };
    case "branch_summary":
      return { role: "branchSummary", summary: entry.summary, fromId: entry.fromId, timestamp: timeOf(entry) };
    default:
      return undefined;
  }
}

function timeOf({ timestamp }: SessionEntry): number {
  return Date.parse(timestamp);
}

function isList(source: Pick<SessionStore, "pathTo"> | readonly SessionEntry[]): source is readonly SessionEntry[] {
  return Array.isArray(source);
}

function pathOf(entries: readonly SessionEntry[], leafId: string | null | undefined): readonly SessionEntry[] {
  const leaf = leafId === undefined ? entries.at(-1)?.id ?? null : leafId;
  return pathIn(new Map(entries.map((entry) => [entry.id, entry])), leaf);
}

/** The latest compaction, what it kept, and what came after it. */
function sentEntries(path: readonly SessionEntry[]): readonly SessionEntry[] {
  const at = path.findLastIndex(({ type }) => type === "compaction");
  const compaction = path[at];
  if (compaction?.type !== "compaction") return path;
  const first = path.findIndex(({ id }) => id === compaction.firstKeptEntryId);
  const kept = first < 0 ? [] : path.slice(first, at).filter(({ type }) => type !== "compaction");
  return [compaction, ...kept, ...path.slice(at + 1)];
}

function editsOf(path: readonly SessionEntry[]): ReadonlyMap<string, ContextEditEntry> {
  return new Map(path.filter((entry) => entry.type === "context_edit").map((entry) => [entry.targetId, entry]));
}

/** Only what a person or an extension wrote, a reply's text and a result can be replaced. */
function edited(message: AgentMessage, { replacement }: ContextEditEntry): AgentMessage | undefined {
  const content = replacement?.content;
  switch (message.role) {
    case "user":
    case "custom":
      return content === undefined ? undefined : { ...message, content };
    case "assistant":
      if (content === undefined) return undefined;
      // The calls stay: their results would answer nothing.
      return { ...message, content: [{ type: "text", text: textOf(content) }, ...toolCallsOf(message)] };
    case "toolResult":
      return { ...message, content: partsOf(content ?? REMOVED) };
    default:
      return replacement === null ? undefined : message;
  }
}

function partsOf<P>(content: string | readonly P[]): readonly (P | { readonly type: "text"; readonly text: string })[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** The loop's own rule: failed and empty replies are stored and never sent, servers refuse them. */
function belongsInConversation(message: AssistantMessage): boolean {
  if (message.stopReason === "error") return false;
  return message.content.some((part) => part.type === "toolCall" || (part.type === "text" && /\S/.test(part.text)));
}

/** Model and thinking level as they were left: by the last change, or by the last reply (R335). */
function settingsOf(path: readonly SessionEntry[]): Pick<SessionContext, "model" | "thinkingLevel"> {
  let model: SessionContext["model"];
  let reply: AssistantMessage | undefined;
  let thinkingLevel: string | undefined;
  for (const entry of path) {
    if (entry.type === "model_change") model = { provider: entry.provider, modelId: entry.modelId };
    else if (entry.type === "thinking_level_change") thinkingLevel = entry.thinkingLevel;
    else if (entry.type === "message" && entry.message.role === "assistant" && entry.message.model !== "") {
      reply = entry.message;
      model = undefined;
    }
  }
  model ??= reply && { provider: reply.provider, modelId: reply.model };
  return { ...(model ? { model } : {}), ...(thinkingLevel === undefined ? {} : { thinkingLevel }) };
}
