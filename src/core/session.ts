import type { JsonObject } from "./json.ts";
import type { AgentMessage, ImageContent, TextContent, Usage } from "./message.ts";

/** First line of a session file. Entry shapes are those of pi's format 3, so that its sessions open here. */
export interface SessionHeader {
  readonly type: "session";
  /** Of the entry shapes. */
  readonly version: 3;
  /** Of this program's own additions; absent in a file that another program wrote. */
  readonly sandpiper?: 1;
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
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
}

export interface MessageEntry extends EntryBase {
  readonly type: "message";
  readonly message: AgentMessage;
}

export interface ModelChangeEntry extends EntryBase {
  readonly type: "model_change";
  readonly provider: string;
  readonly modelId: string;
}

export interface ThinkingLevelEntry extends EntryBase {
  readonly type: "thinking_level_change";
  readonly thinkingLevel: string;
}

/** From here on the summary stands for everything before `firstKeptEntryId`. */
export interface CompactionEntry extends EntryBase {
  readonly type: "compaction";
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  readonly details?: JsonObject;
  readonly fromHook?: boolean;
  readonly usage?: Usage;
}

/** Stands for the branch that ended at `fromId`. */
export interface BranchSummaryEntry extends EntryBase {
  readonly type: "branch_summary";
  readonly fromId: string;
  readonly summary: string;
  readonly details?: JsonObject;
  readonly fromHook?: boolean;
  readonly usage?: Usage;
}

/** Data beside the conversation: manifests (`manifest`), rolling summaries (`rolling_summary`), an extension's own. */
export interface CustomEntry extends EntryBase {
  readonly type: "custom";
  readonly customType: string;
  readonly data?: unknown;
}

export interface CustomMessageEntry extends EntryBase {
  readonly type: "custom_message";
  readonly customType: string;
  readonly content: string | readonly (TextContent | ImageContent)[];
  readonly display: boolean;
  readonly details?: JsonObject;
}

/** Names an entry; without `label` it takes the name away. */
export interface LabelEntry extends EntryBase {
  readonly type: "label";
  readonly targetId: string;
  readonly label?: string;
}

/** The session's name. */
export interface SessionInfoEntry extends EntryBase {
  readonly type: "session_info";
  readonly name: string;
}

/** Changes what the model gets of an earlier entry: nothing, or another content. */
export interface ContextEditEntry extends EntryBase {
  readonly type: "context_edit";
  readonly targetId: string;
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
  readonly header: SessionHeader;
  /** Absent for a session that is not kept. */
  readonly path: string | undefined;
  /** All entries in the order of the file. */
  entries(): readonly SessionEntry[];
  entry(id: string): SessionEntry | undefined;
  leaf(): string | null;
  /** From the first entry to `id` (the leaf when it is left out). */
  pathTo(id?: string | null): readonly SessionEntry[];
  /** Adds a child of the leaf and makes it the leaf. */
  append(entry: NewEntry): SessionEntry;
  /** Makes another entry the leaf (null: before the first); nothing is written. */
  branch(id: string | null): void;
  /** Waits until everything so far is on the disk. */
  sync(): void;
  /** Gives the file back to others. Safe to call twice. */
  close(): void;
}

/** What of a session the next request is made from. */
export interface SessionContext {
  readonly messages: readonly AgentMessage[];
  /** Entry of each message, same order: a compaction says where it cuts by entry. */
  readonly entryIds: readonly string[];
  readonly model?: { readonly provider: string; readonly modelId: string };
  readonly thinkingLevel?: string;
}
