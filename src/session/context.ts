import { type AgentMessage, type AssistantMessage, belongsInConversation } from "../core/message.ts";
import { messagesOf, type SessionContext, type SessionEntry, type SessionStore } from "../core/session.ts";
import { pathIn } from "./tree.ts";

/**
 * What the next request is made from: the path from the first entry to the leaf, which in a list is the last one (R324).
 *
 * The latest compaction on the path stands for everything before its first kept entry. Calls that a crash left without
 * a result are given as they are stored.
 */
export function buildContext(source: Pick<SessionStore, "pathTo"> | readonly SessionEntry[]): SessionContext {
  const path = "pathTo" in source
    ? source.pathTo()
    : pathIn(new Map(source.map((entry) => [entry.id, entry])), source.at(-1)?.id ?? null);
  const messages: AgentMessage[] = [];
  const entryIds: string[] = [];
  for (const { entryId, message } of messagesOf(sentEntries(path), path)) {
    // Failed and empty replies are stored and never sent.
    if (message.role === "assistant" && !belongsInConversation(message)) continue;
    messages.push(message);
    entryIds.push(entryId);
  }
  return { messages, entryIds, ...settingsOf(path) };
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
