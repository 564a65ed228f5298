import { UserError } from "../../core/error.ts";
import { textOf } from "../../core/message.ts";
import { formatSize } from "../../core/support/text.ts";
import { cleanLine } from "../screen/foreign.ts";
import { saidText } from "../blocks/said.ts";
import { type Choice, shownOf } from "../widgets/picker.ts";
import type { CommandContext } from "./command.ts";
import { filesThere, putBack } from "./undo.ts";
import { hasLine, treeChoices } from "./tree.ts";

/** `/tree`: to another place in this session. */
export async function treeCommand(context: CommandContext): Promise<void> {
  const { engine, pick, write } = context;
  const store = engine.store();
  const choices = treeChoices(store.entries(), store.leaf());
  if (choices.length === 0) {
    throw new UserError({
      what: "There is no other place yet",
      why: "nothing was said in this session",
      fix: "Say something, or /resume another session",
    });
  }
  const start = choices.findIndex((choice) => shownOf(choice.detail).startsWith("here"));
  const id = await pick("Go to", choices, { start: Math.max(0, start) });
  if (id === undefined) return;
  const how = await pick("The branch that you leave", [
    { label: "Leave it as it is", value: false },
    { label: "Put a summary of it here", value: true },
  ]);
  if (how === undefined) return;
  const files = await filesThere(context, id);
  if (files === undefined) return;
  const gone = await engine.navigate(id, { summarize: how });
  if (gone && files) await putBack(context, { at: id });
  if (gone && gone.text !== "") write(gone.text);
}

/** `/fork`: a new session from an earlier message. */
export async function forkCommand({ engine, pick, write }: CommandContext): Promise<void> {
  const said = engine.store().pathTo().flatMap((entry): Choice<string>[] =>
    entry.type === "message" && entry.message.role === "user"
      ? [{ label: saidText(textOf(entry.message.content)), value: entry.id }]
      : []
  );
  if (said.length === 0) {
    throw new UserError({
      what: "There is nothing to fork",
      why: "you have said nothing here yet",
      fix: "Say something",
    });
  }
  const id = await pick("Fork before this message", said, { start: said.length - 1 });
  if (id === undefined) return;
  const forked = await engine.fork(id);
  if (forked) write(forked.text);
}

/** `/name TEXT` */
export function nameCommand({ engine, say }: CommandContext, args: string): void {
  if (args === "") return say(`This session's name: ${engine.state().sessionName ?? "none"}. /name TEXT gives it one`);
  engine.setName(args);
}

/** `/label [TEXT]`: names the newest message, or takes its name away. */
export function labelCommand({ engine, say }: CommandContext, args: string): void {
  const last = engine.store().pathTo().findLast((entry) => entry.type === "message" && hasLine(entry));
  if (!last) return say("There is no message to label yet", "warning");
  engine.setLabel(last.id, args === "" ? undefined : args);
  say(args === "" ? "The newest message has no label now" : `The newest message is labelled “${cleanLine(args)}”`);
}

/** `/export [FILE]` */
export async function exportCommand({ world, say }: CommandContext, args: string): Promise<void> {
  say(`Written to ${await world.exportSession(args === "" ? undefined : args)}`);
}

/** Bytes that terminals take for their clipboard at a time; some take no more. */
const MOST_COPIED = 74_000;

/** `/copy`: the newest answer into the terminal's clipboard. */
export function copyCommand({ engine, copy, say }: CommandContext): void {
  const answer = engine.messages().findLast((message) =>
    message.role === "assistant" && textOf(message.content).trim() !== ""
  );
  const text = answer?.role === "assistant" ? textOf(answer.content).trim() : "";
  const cannot = (why: string, fix: string): UserError => new UserError({ what: "Cannot copy the answer", why, fix });
  if (text === "") throw cannot("there is none yet", "Say something");
  if (!copy) throw cannot("plain lines have no clipboard", "Select it in the terminal");
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > MOST_COPIED) {
    throw cannot(`it has ${formatSize(bytes)}, and terminals take less`, "Write it: /export FILE.md");
  }
  copy(text);
  // Nothing comes back: the terminal, or tmux before it, may have been told to take none.
  say(`Given to the terminal's clipboard: ${formatSize(bytes)}. In tmux this needs set -g set-clipboard on`);
}

/** `/clear`: a new session. */
export async function clearCommand({ engine }: CommandContext): Promise<void> {
  await engine.newSession();
}

/** `/compact [FOCUS]` */
export async function compactCommand({ engine }: CommandContext, args: string): Promise<void> {
  await engine.compact(args === "" ? undefined : args);
}

/** `/reload` */
export async function reloadCommand({ engine, say }: CommandContext): Promise<void> {
  await engine.reload();
  say(
    "Settings, context files, skills, templates and extensions were read anew; model, servers, keys and what tools may do " +
      "are those of the start",
  );
}
