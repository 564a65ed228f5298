import { resolve } from "@std/path";
import type { MoveOptions } from "../../core/engine.ts";
import { UserError } from "../../core/error.ts";
import type { NamedFiles } from "../../core/named_files.ts";
import type { SessionStore } from "../../core/session.ts";
import { meterOf } from "../../engine/conversation.ts";
import { writeNew } from "../../session/export/write_new.ts";
import { viewSession } from "../../session/view/view.ts";
import { command, plain } from "./command.ts";
import * as z from "zod/mini";

/** A run belongs to its conversation: it ends before another one is taken up. */
const STOPS: MoveOptions = { whileBusy: "stop" };

/** Commands that change which conversation is at hand, or what is kept of it. */
export const SESSION_COMMANDS = {
  new_session: command(
    z.object({ parentSession: z.optional(z.string()) }),
    async ({ parentSession }, { engine }) => ({
      cancelled: !await engine.newSession({ ...STOPS, ...(parentSession ? { parentSession } : {}) }),
    }),
  ),
  switch_session: command(
    z.object({ sessionPath: z.string() }),
    async ({ sessionPath }, { engine }) => ({ cancelled: !await engine.switchSession(sessionPath, STOPS) }),
  ),
  fork: command(z.object({ entryId: z.string() }), async ({ entryId }, { engine }) => {
    const forked = await engine.fork(entryId, "before", STOPS);
    return { text: forked?.text ?? "", cancelled: forked === undefined };
  }),
  clone: plain(async ({ engine }) => {
    const leaf = engine.store().leaf();
    if (leaf === null) throw nothingToCopy();
    return { cancelled: !await engine.fork(leaf, "at", STOPS) };
  }),
  navigate_tree: command(
    z.object({
      targetId: z.string(),
      summarize: z.optional(z.boolean()),
      customInstructions: z.optional(z.string()),
    }),
    async ({ targetId, summarize = false, customInstructions: focus }, { engine }) => {
      const moved = await engine.navigate(targetId, { summarize, ...(focus ? { focus } : {}), ...STOPS });
      return { ...(moved?.text ? { editorText: moved.text } : {}), cancelled: moved === undefined };
    },
  ),
  undo: command(
    z.object({
      to: z.exactOptional(z.union([z.string(), z.number()])),
      at: z.exactOptional(z.string()),
      redo: z.exactOptional(z.boolean()),
      dryRun: z.exactOptional(z.boolean()),
      force: z.exactOptional(z.boolean()),
    }),
    (request, { engine }) => engine.undo(request),
  ),
  begin_trial: plain(({ engine }) => engine.beginTrial()),
  end_trial: command(
    z.object({ paths: z.exactOptional(z.array(z.string())), dryRun: z.exactOptional(z.boolean()) }),
    async (request, { engine }) => {
      const outcome = await engine.endTrial(request);
      const kept = outcome.isDone ? engine.trialResult()?.patch : undefined;
      return { ...outcome, ...(kept === undefined ? {} : { patch: kept }) };
    },
  ),
  set_session_name: command(z.object({ name: z.string() }), ({ name }, { engine }) => {
    if (name.trim() === "") {
      throw new UserError({ what: "The name was not taken", why: "it is empty", fix: "Give it some letters" });
    }
    engine.setName(name);
  }),
  set_label: command(
    z.object({ entryId: z.string(), label: z.optional(z.string()) }),
    ({ entryId, label }, { engine }) => engine.setLabel(entryId, label),
  ),
  export_html: command(
    z.object({ outputPath: z.optional(z.string()) }),
    async ({ outputPath }, { engine, files }) => {
      const { cwd, sessionId } = engine.state();
      const path = resolve(cwd, outputPath ?? `sandpiper-session-${sessionId}.html`);
      await exportHtml(files(), engine.store(), path);
      return { path };
    },
  ),
  reload: plain(({ engine }) => engine.reload()),
};

function nothingToCopy(): UserError {
  return new UserError({
    what: "The session was not copied",
    why: "there is nothing in it yet",
    fix: "Send new_session for another one",
  });
}

/** Writes the conversation at hand as a page. Throws UserError when the file exists or cannot be written. */
async function exportHtml(files: NamedFiles, store: SessionStore, path: string): Promise<void> {
  const { htmlPieces } = await import("../../session/html/html.ts");
  const all = store.entries();
  // A file's leaf is its last entry; somebody who went back in the tree sees what is before them.
  const entries = store.leaf() === all.at(-1)?.id ? all : store.pathTo();
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  writeNew(files, path, htmlPieces(viewSession({ header: store.header, entries, byId }, meterOf(all).sums(), false)));
}
