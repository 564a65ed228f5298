import { resolve } from "@std/path";
import * as z from "zod/mini";
import type { Engine } from "../../core/engine.ts";
import { UserError } from "../../core/error.ts";
import { command, plain } from "./command.ts";
import { exportHtml } from "./export_html.ts";

/** Commands that change which conversation is at hand, or what is kept of it. */
export const SESSION_COMMANDS = {
  new_session: plain(async ({ engine }) => {
    await stopped(engine);
    return { cancelled: !await engine.newSession() };
  }),
  switch_session: command(z.object({ sessionPath: z.string() }), async ({ sessionPath }, { engine, checkSession }) => {
    checkSession(sessionPath);
    await stopped(engine);
    return { cancelled: !await engine.switchSession(sessionPath) };
  }),
  fork: command(z.object({ entryId: z.string() }), async ({ entryId }, { engine }) => {
    await stopped(engine, entryId);
    const forked = await engine.fork(entryId);
    return { text: forked?.text ?? "", cancelled: forked === undefined };
  }),
  clone: plain(async ({ engine }) => {
    await stopped(engine);
    const leaf = engine.store().leaf();
    if (leaf === null) throw nothingToCopy();
    return { cancelled: !await engine.fork(leaf, "at") };
  }),
  navigate_tree: command(
    z.object({
      targetId: z.string(),
      summarize: z.optional(z.boolean()),
      customInstructions: z.optional(z.string()),
    }),
    async ({ targetId, summarize = false, customInstructions: focus }, { engine }) => {
      await stopped(engine, targetId);
      const moved = await engine.navigate(targetId, { summarize, ...(focus ? { focus } : {}) });
      return { ...(moved?.text ? { editorText: moved.text } : {}), cancelled: moved === undefined };
    },
  ),
  set_session_name: command(z.object({ name: z.string() }), ({ name }, { engine }) => {
    if (name.trim() === "") throw noName();
    engine.setName(name);
  }),
  set_label: command(
    z.object({ entryId: z.string(), label: z.optional(z.string()) }),
    ({ entryId, label }, { engine }) => engine.setLabel(entryId, label),
  ),
  export_html: command(
    z.object({ outputPath: z.optional(z.string()) }),
    ({ outputPath }, { engine }) => {
      const { cwd, sessionId } = engine.state();
      const path = resolve(cwd, outputPath ?? `sandpiper-session-${sessionId}.html`);
      exportHtml(engine.store(), path);
      return { path };
    },
  ),
  reload: plain(({ engine }) => engine.reload()),
};

/** A run belongs to its conversation: it ends before another one is taken up, but not for a place that is not there. */
async function stopped(engine: Engine, entryId?: string): Promise<void> {
  if (!engine.state().isStreaming) return;
  if (entryId !== undefined && !engine.store().entry(entryId)) throw noEntry(entryId);
  await engine.abort();
}

function noEntry(id: string): UserError {
  return new UserError({
    what: `There is no entry "${id.slice(0, 100)}"`,
    why: "the session does not hold it",
    fix: "Take one from get_tree or get_fork_messages",
  });
}

function nothingToCopy(): UserError {
  return new UserError({
    what: "The session was not copied",
    why: "there is nothing in it yet",
    fix: "Send new_session for another one",
  });
}

function noName(): UserError {
  return new UserError({ what: "The name was not taken", why: "it is empty", fix: "Give it some letters" });
}
