import * as z from "zod/mini";
import type { CommandView, Engine, EngineState } from "../../core/engine.ts";
import { UserError } from "../../core/error.ts";
import { textOf, toolCallsOf } from "../../core/message.ts";
import type { SessionEntry } from "../../core/session.ts";
import { sessionTree } from "../../session/tree.ts";
import { command, plain } from "./command.ts";

/** Commands that only look. */
export const LOOK_COMMANDS = {
  get_state: plain(({ engine, models }) => ({ ...stateOf(engine.state()), model: models.full(engine.state().model) })),
  get_messages: plain(({ engine }) => ({ messages: engine.messages() })),
  get_entries: command(z.object({ since: z.optional(z.string()) }), ({ since }, { engine }) => ({
    entries: entriesAfter(engine, since),
    leafId: engine.store().leaf(),
  })),
  get_tree: plain(({ engine }) => ({ tree: sessionTree(engine.store().entries()), leafId: engine.store().leaf() })),
  get_fork_messages: plain(({ engine }) => ({
    messages: engine.store().pathTo().flatMap((entry) =>
      entry.type === "message" && entry.message.role === "user"
        ? [{ entryId: entry.id, text: textOf(entry.message.content) }]
        : []
    ),
  })),
  get_last_assistant_text: plain(({ engine }) => {
    const last = engine.messages().findLast((message) =>
      message.role === "assistant" && toolCallsOf(message).length === 0
    );
    return { text: last?.role === "assistant" ? textOf(last.content) : null };
  }),
  get_session_stats: plain(({ engine }) => statsOf(engine)),
  get_undo_points: plain(async ({ engine }) => ({ points: await engine.undoPoints() })),
  get_trial: plain(async ({ engine }) => {
    const trial = engine.trial();
    return trial === undefined ? { trial: null } : { trial, ...await engine.trialChanges() };
  }),
  get_commands: plain(({ engine }) => ({ commands: engine.commands().map((view) => commandOf(view, engine)) })),
  get_tools: plain(({ engine }) => ({ tools: engine.tools() })),
  get_prompt: plain(({ engine }) => engine.compiled()),
};

/** All of a session's entries, or those after one that the client has seen. */
function entriesAfter(engine: Engine, since: string | undefined): readonly SessionEntry[] {
  const entries = engine.store().entries();
  if (since === undefined) return entries;
  const at = entries.findIndex(({ id }) => id === since);
  if (at === -1) throw noEntry(since);
  return entries.slice(at + 1);
}

/** pi's names for what it also has; ours beside them. */
function stateOf(state: EngineState): Readonly<Record<string, unknown>> {
  const { thinking, steering, followUp, policy, context, autoCompaction, autoRetry, totals: _, ...rest } = state;
  return {
    ...rest,
    thinkingLevel: thinking,
    autoCompactionEnabled: autoCompaction,
    autoRetryEnabled: autoRetry,
    pendingMessageCount: steering.length + followUp.length,
    queue: { steering, followUp },
    contextUsage: context,
    sandbox: policy.sandbox,
  };
}

function statsOf(engine: Engine): Readonly<Record<string, unknown>> {
  const { sessionId, sessionFile, totals, messageCount, context } = engine.state();
  const { input, output, cacheRead, cacheWrite, cost, ...counts } = totals;
  const { tokens, contextWindow } = context;
  return {
    ...(sessionFile ? { sessionFile } : {}),
    sessionId,
    ...counts,
    toolResults: engine.messages().filter((message) => message.role === "toolResult").length,
    totalMessages: messageCount,
    tokens: { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite },
    cost,
    contextUsage: { tokens, contextWindow, percent: contextWindow > 0 ? tokens * 100 / contextWindow : null },
  };
}

/** `source` and `sourceInfo` are pi's: what brought the command, and from where. */
function commandOf(view: CommandView, engine: Engine): Readonly<Record<string, unknown>> {
  const { kind, ...rest } = view;
  const source = kind === "template" ? "prompt" : kind;
  const { cwd } = engine.state();
  const scope = view.path === undefined ? "temporary" : view.path.startsWith(`${cwd}/`) ? "project" : "user";
  const path = view.path ?? `<${source}:${view.name}>`;
  return { ...rest, source, sourceInfo: { path, source: "local", scope, origin: "top-level" } };
}

function noEntry(id: string): UserError {
  return new UserError({
    what: `There is no entry "${id.slice(0, 100)}"`,
    why: "the session does not hold it",
    fix: "Take one from get_tree, or leave since out for all of them",
  });
}
