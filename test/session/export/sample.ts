// Sessions made with the real store, for every readable form of them.
import type { SessionEntry, SessionHeader } from "../../../src/core/session.ts";
import type { AssistantMessage } from "../../../src/core/message.ts";
import { loadSession } from "../../../src/session/load.ts";
import { createSession } from "../../../src/session/store.ts";
import { type SessionView, viewSession } from "../../../src/session/view/view.ts";
import { reply, said, START, user, type World } from "../world.ts";

export const TOTALS = {
  input: 1200,
  output: 34,
  cacheRead: 0,
  cacheWrite: 0,
  cost: 0.01234,
  toolCalls: 1,
  userMessages: 2,
  assistantMessages: 2,
};

/** A picture of one pixel. */
export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+M8AAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

/** Every kind of entry, each text of it `text`; with a left branch. Gives the file. */
export function everyKind(world: World, text: string): string {
  const session = createSession({ cwd: `/w/${text}`, folder: world.folder }, world);
  const first = session.append(said(user(text)));
  session.append(said(reply(text)));
  session.append(said(user(`left ${text}`)));
  session.branch(first.id);
  session.append({ type: "model_change", provider: text, modelId: text });
  session.append({ type: "thinking_level_change", thinkingLevel: text });
  session.append(said(calling(text)));
  session.append({
    type: "message",
    message: {
      role: "toolResult",
      toolCallId: "c1",
      toolName: text,
      content: [{ type: "text", text }, { type: "image", mimeType: "image/png", data: PIXEL }, {
        type: "image",
        mimeType: text,
        data: text,
      }],
      isError: true,
      timestamp: START,
    },
  });
  session.append({
    type: "message",
    message: {
      role: "bashExecution",
      command: text,
      output: text,
      exitCode: 0,
      cancelled: false,
      truncated: false,
      timestamp: START,
    },
  });
  session.append({ type: "custom_message", customType: text, content: text, display: false });
  session.append({ type: "custom", customType: text, data: { text } });
  session.append({ type: "compaction", summary: text, firstKeptEntryId: first.id, tokensBefore: 9 });
  session.append({ type: "branch_summary", summary: text, fromId: text });
  session.append({ type: "context_edit", targetId: first.id, replacement: { content: text } });
  session.append({ type: "label", targetId: first.id, label: text });
  session.append({ type: "session_info", name: text });
  session.append(said(reply(text, { stopReason: "error", errorMessage: text, model: text, provider: text })));
  session.close();
  return session.path!;
}

function calling(text: string): AssistantMessage {
  return {
    ...reply(text),
    content: [
      { type: "thinking", thinking: text },
      { type: "text", text },
      { type: "toolCall", id: "c1", name: text, arguments: { command: text, more: { [text]: text } } },
      { type: "toolCall", id: "c2", name: text, arguments: {}, refused: { reason: text, raw: text } },
    ],
    stopReason: "toolUse",
  };
}

export function viewOf(path: string, allBranches = false): SessionView {
  return viewSession(loadSession(path), TOTALS, allBranches);
}

/** A view of entries that were never in a file. */
export function viewEntries(entries: readonly SessionEntry[], allBranches = false): SessionView {
  const header: SessionHeader = {
    type: "session",
    version: 3,
    id: "s",
    timestamp: "2026-03-07T08:00:00.000Z",
    cwd: "/w",
  };
  return viewSession({ header, entries, byId: new Map(entries.map((one) => [one.id, one])) }, TOTALS, allBranches);
}
