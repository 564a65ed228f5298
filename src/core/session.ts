import type { CompactionResult } from "./event.ts";
import {
  type AgentMessage,
  type CustomMessage,
  type ImageContent,
  type TextContent,
  textOf,
  toolCallsOf,
  type Usage,
} from "./message.ts";

/** First line of a session file. Entry shapes are those of pi's format 3, so that its sessions open here. */
export interface SessionHeader {
  /** Marks the line. */
  readonly type: "session";
  /** Of the entry shapes. */
  readonly version: 3;
  /** Of this program's own additions; absent in a file that another program wrote. */
  readonly sandpiper?: 1;
  /** Id of the session. */
  readonly id: string;
  /** ISO 8601. */
  readonly timestamp: string;
  /** The workspace: absolute. */
  readonly cwd: string;
  /** File of the session that this one was forked from. */
  readonly parentSession?: string;
}

/** What every entry has: 8 hex digits, the entry it follows (null for the first), ISO 8601. */
export interface EntryBase {
  /** 8 hex digits, unique in the session. */
  readonly id: string;
  /** The entry that it follows; null for the first. */
  readonly parentId: string | null;
  /** ISO 8601. */
  readonly timestamp: string;
}

/** An entry of one kind. */
export interface EntryOf<Type extends string> extends EntryBase {
  /** Kind of the entry. */
  readonly type: Type;
}

/** A message of the conversation. */
export interface MessageEntry extends EntryOf<"message"> {
  /** The message. */
  readonly message: AgentMessage;
}

/** Another model from here on. */
export interface ModelChangeEntry extends EntryOf<"model_change"> {
  /** Provider of the model. */
  readonly provider: string;
  /** The model as its provider calls it. */
  readonly modelId: string;
}

/** Another thinking level from here on. */
export interface ThinkingLevelEntry extends EntryOf<"thinking_level_change"> {
  /** The new level. */
  readonly thinkingLevel: string;
}

/** From here on the summary stands for everything before `firstKeptEntryId`. */
export interface CompactionEntry extends EntryOf<"compaction">, CompactionResult {
  /** Whether an extension wrote it. */
  readonly fromHook?: boolean;
  /** Tokens of the request that made it. */
  readonly usage?: Usage;
}

/** Stands for the branch that ended at `fromId`. */
export interface BranchSummaryEntry
  extends EntryOf<"branch_summary">, Pick<CompactionEntry, "summary" | "details" | "fromHook" | "usage"> {
  /** Entry at which the branch that was left ended. */
  readonly fromId: string;
}

/** `customType` of the entries of a rolling history: its summaries, and what asking for one has cost. */
export const ROLLING_SUMMARY = "rolling_summary";

/** Data beside the conversation: manifests (`manifest`), rolling summaries (`rolling_summary`), an extension's own. */
export interface CustomEntry extends EntryOf<"custom"> {
  /** Name of the kind, chosen by whoever wrote it. */
  readonly customType: string;
  /** JSON. */
  readonly data?: unknown;
}

/** A message that an extension put into the conversation. */
export interface CustomMessageEntry extends EntryOf<"custom_message">, Omit<CustomMessage, "role" | "timestamp"> {
}

/** Names an entry; without `label` it takes the name away. */
export interface LabelEntry extends EntryOf<"label"> {
  /** The entry that is meant. */
  readonly targetId: string;
  /** The name. */
  readonly label?: string;
}

/** The session's name. */
export interface SessionInfoEntry extends EntryOf<"session_info"> {
  /** The name. */
  readonly name: string;
}

/** Changes what the model gets of an earlier entry: nothing, or another content. */
export interface ContextEditEntry extends EntryOf<"context_edit"> {
  /** The entry that is meant. */
  readonly targetId: string;
  /** Null: the model gets nothing of it. */
  readonly replacement: null | { readonly content: string | readonly (TextContent | ImageContent)[] };
}

/** One line of a session file after the header. Kinds from the future are kept in the file and ignored in the context. */
export type SessionEntry =
  | MessageEntry
  | ModelChangeEntry
  | ThinkingLevelEntry
  | CompactionEntry
  | BranchSummaryEntry
  | CustomEntry
  | CustomMessageEntry
  | LabelEntry
  | SessionInfoEntry
  | ContextEditEntry;

/** An entry before the store gives it its place. */
export type NewEntry<E extends SessionEntry = SessionEntry> = E extends unknown ? Omit<E, keyof EntryBase> : never;

/**
 * A session while it is open: a tree of entries of which one is the leaf; appending makes a child of the leaf.
 *
 * Nothing here throws for a disk that fails: the first failure is told once, and from then on the session lives in memory.
 */
export interface SessionStore {
  /** First line of its file. */
  readonly header: SessionHeader;
  /** Absent for a session that is not kept. */
  readonly path: string | undefined;
  /** All entries in the order of the file. */
  entries(): readonly SessionEntry[];
  /** One entry by its id. */
  entry(id: string): SessionEntry | undefined;
  /** Id of the leaf; null before the first entry. */
  leaf(): string | null;
  /** From the first entry to `id` (the leaf when it is left out). */
  pathTo(id?: string | null): readonly SessionEntry[];
  /** Adds a child of the leaf and makes it the leaf. */
  append(entry: NewEntry): SessionEntry;
  /** Makes another entry the leaf (null: before the first); nothing is written. */
  branch(id: string | null): void;
  /** Waits until everything so far is on the disk. */
  sync(): void;
  /** Has everything so far put on the disk without waiting for it. */
  syncSoon(): void;
  /** Gives the file back to others. Safe to call twice. */
  close(): void;
}

/** What of a session the next request is made from. */
export interface SessionContext {
  /** In the order in which they are sent. */
  readonly messages: readonly AgentMessage[];
  /** Entry of each message, same order: a compaction says where it cuts by entry. */
  readonly entryIds: readonly string[];
  /** The model that was used last. */
  readonly model?: { readonly provider: string; readonly modelId: string };
  /** The thinking level that was used last. */
  readonly thinkingLevel?: string;
}

/** The message that an entry is in the conversation; undefined for those that are none. */
export function entryMessage(entry: SessionEntry): AgentMessage | undefined {
  const timestamp = Date.parse(entry.timestamp);
  switch (entry.type) {
    case "message":
      return entry.message;
    case "custom_message": {
      const { customType, content, display, details } = entry;
      return { role: "custom", customType, content, display, ...(details ? { details } : {}), timestamp };
    }
    case "compaction":
      return {
        role: "compactionSummary",
        summary: entry.summary,
        tokensBefore: entry.tokensBefore,
        ...(entry.tokensAfter === undefined ? {} : { tokensAfter: entry.tokensAfter }),
        timestamp,
      };
    case "branch_summary":
      return { role: "branchSummary", summary: entry.summary, fromId: entry.fromId, timestamp };
    default:
      return undefined;
  }
}

/** The messages of entries, the edits on `path` applied; entries beside the conversation have none. */
export function messagesOf(
  entries: readonly SessionEntry[],
  path: readonly SessionEntry[] = entries,
): readonly { readonly entryId: string; readonly message: AgentMessage }[] {
  const edits = new Map(path.filter((entry) => entry.type === "context_edit").map((entry) => [entry.targetId, entry]));
  return entries.flatMap((entry) => {
    const stored = entryMessage(entry);
    const edit = edits.get(entry.id);
    const message = stored && edit ? edited(stored, edit) : stored;
    return message === undefined ? [] : [{ entryId: entry.id, message }];
  });
}

/** What stands for a removed tool result: its call still needs one. */
const REMOVED = "(removed from the context)";

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

/** What the person said in an entry; empty for any other. */
export function userWords(entry: SessionEntry | undefined): string {
  return entry?.type === "message" && entry.message.role === "user" ? textOf(entry.message.content) : "";
}
