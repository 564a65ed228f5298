import { counted } from "../../core/support/text.ts";
import { UserError } from "../../core/error.ts";
import { ago } from "../blocks/amounts.ts";
import { cleanLine } from "../screen/foreign.ts";
import type { Choice } from "../widgets/picker.ts";
import type { CommandContext, Pick, SessionLine, SessionShelf } from "./command.ts";

/** What a person does in the list of sessions. */
type Deed =
  | { readonly kind: "open" | "delete" | "rename"; readonly line: SessionLine }
  | { readonly kind: "search"; readonly text: string };

/** `/resume [ID]` */
export async function resumeCommand({ engine, world, pick, say }: CommandContext, args: string): Promise<void> {
  const which = args || await chooseSession(world, pick, (text) => say(text, "error"), true);
  if (which !== undefined) await engine.switchSession(which);
}

/**
 * Lets the person choose a session, search in what was said, name and delete; undefined when they left. Throws UserError
 * where there is none. `fail` hears why something could not be done; the list stays. `isOpen`: a session is, which the
 * list leaves out.
 */
export async function chooseSession(
  shelf: SessionShelf,
  pick: Pick,
  fail: (text: string) => void,
  isOpen = false,
): Promise<string | undefined> {
  let searched: string | undefined;
  for (let isFirst = true;; isFirst = false) {
    const lines = searched === undefined ? await shelf.sessions() : await shelf.searchSessions(searched);
    if (isFirst && lines.length === 0) throw noSession(isOpen);
    const title = searched === undefined
      ? "Resume a session"
      : `Sessions with “${cleanLine(searched)}”${lines.length === 0 ? ": none" : ""}`;
    const deed = await pick<Deed>(title, lines.map((line) => choiceOf(line, shelf.now())), {
      typed: { as: "search in what was said", value: (text) => ({ kind: "search", text: text.trim() }) },
      ...(searched === undefined ? {} : { escape: "shows all sessions" }),
      actions: [
        { key: "ctrl+r", does: "name", value: (deed) => changed(deed, "rename") },
        { key: "ctrl+d", does: "delete", value: (deed) => changed(deed, "delete") },
      ],
    });
    if (deed === undefined) {
      // Esc leaves what was found before it leaves the list.
      if (searched === undefined) return undefined;
      searched = undefined;
      continue;
    }
    if (deed.kind === "open") return deed.line.which;
    if (deed.kind === "search") {
      searched = deed.text;
      continue;
    }
    try {
      if (deed.kind === "delete") await askToDelete(shelf, pick, deed.line);
      else await askForName(shelf, pick, deed.line);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      fail(`${error.message}. ${error.fix}`);
    }
  }
}

function choiceOf(line: SessionLine, now: number): Choice<Deed> {
  const { messageCount, modified, found } = line;
  const count = counted(messageCount, "message");
  const title = titleOf(line);
  return {
    // What was found in the name stands there already.
    label: found === undefined || found === `name: ${title}` ? title : `${title}: ${found}`,
    detail: `${count}, ${ago(now - modified)}`,
    value: { kind: "open", line },
  };
}

/** What is typed stands for a search, of which nothing can be deleted. */
function changed(deed: Deed, kind: "delete" | "rename"): Deed | undefined {
  return "line" in deed ? { kind, line: deed.line } : undefined;
}

async function askToDelete(shelf: SessionShelf, pick: Pick, line: SessionLine): Promise<void> {
  const isSure = await pick(`Delete “${titleOf(line)}”, with its audit, its sub-agents and what undo kept of it?`, [
    { label: "No", value: false },
    { label: "Yes, delete it", value: true },
  ]);
  if (isSure) await shelf.deleteSession(line.which);
}

async function askForName(shelf: SessionShelf, pick: Pick, line: SessionLine): Promise<void> {
  const name = await pick<string>(`A name for “${titleOf(line)}”`, [], {
    typed: { as: "its name from now on", value: (text) => text.trim() },
    field: "name",
  });
  if (name !== undefined) await shelf.renameSession(line.which, name);
}

function titleOf({ name, firstMessage }: SessionLine): string {
  return name ?? (firstMessage || "(nothing said yet)");
}

function noSession(isOpen: boolean): UserError {
  return new UserError({
    what: "There is nothing to resume",
    why: isOpen ? "this workspace has no other session" : "this workspace has no session",
    fix: isOpen ? "Go on here" : "Leave --resume out, or name another workspace with -C DIR",
  });
}
