import type { UndoOutcome, UndoPoint, UndoRequest } from "../../core/changes.ts";
import { UserError } from "../../core/error.ts";
import { oneLine, visibleJson } from "../../session/view/visible_text.ts";
import { type Config, configure } from "../../config/config.ts";
import { readWorld } from "../../config/host_environment.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { openStoredChanges } from "../../engine/changes/undo_session.ts";
import { warn, write } from "./sessions.ts";

const LONGEST_PATH = 400;

/** `sandpiper undo`: puts files back as they were before a message of a session; asks nothing. 1: some were left. */
export async function undoCommand(invocation: Invocation): Promise<number> {
  const { values, words: [which = "latest", ...more] } = invocation;
  if (more.length > 0) throw misuse();
  const config = configure(invocation, readWorld());
  const stored = openStoredChanges(config, which);
  try {
    for (const notice of stored.notices) warn(config, notice);
    const { session, points } = stored;
    if (values["list"]) {
      return write(values["json"] ? [visibleJson({ session, points }, 2), "\n"] : listLines(session, points));
    }
    const outcome = await stored.undo(requestOf(values, points));
    write(values["json"] ? [visibleJson({ session, ...outcome }, 2), "\n"] : outcomeLines(outcome));
    // An undo is a point of its own, the newest one.
    const isTaken = outcome.isDone && outcome.steps.length > 0 && !values["json"];
    if (isTaken) write([`To take this back: sandpiper undo ${oneLine(session, 128)} --to ${points.length + 1}\n`]);
    for (const { path, why, isForcible } of outcome.left) {
      const force = isForcible ? "; --force overwrites it" : "";
      warnAlways(
        config,
        `${oneLine(path, LONGEST_PATH)} ${outcome.isDone ? "is" : "would be"} left as it is: ${why}${force}`,
      );
    }
    return outcome.left.length > 0 ? 1 : 0;
  } finally {
    await stored.close();
  }
}

function requestOf(values: Invocation["values"], points: readonly UndoPoint[]): UndoRequest {
  const to = values["to"];
  return {
    ...(typeof to === "string" ? { to: pointNamed(to, points) } : {}),
    ...(values["dry-run"] ? { dryRun: true } : {}),
    ...(values["force"] ? { force: true } : {}),
  };
}

/** A point's number, or the entry of its message. */
function pointNamed(word: string, points: readonly UndoPoint[]): number | string {
  const isEntry = points.some(({ entryId }) => entryId === word);
  return !isEntry && /^\d+$/.test(word) ? Number(word) : word;
}

/** The points of a session, one a line. */
function* listLines(session: string, points: readonly UndoPoint[]): Generator<string> {
  yield `session ${oneLine(session, 128)}\n`;
  if (points.length === 0) yield "No changes of it were kept\n";
  const width = String(points.length).length;
  for (const { number, text, time, files, isUndone } of points) {
    const count = files === 1 ? "1 file" : `${files} files`;
    const state = isUndone ? ", undone" : "";
    yield `${String(number).padStart(width)}  ${time.slice(0, 16).replace("T", " ")}  ${count}${state}  ${
      oneLine(text, 120)
    }\n`;
  }
}

/** What was done, or would be, one file a line. */
function* outcomeLines({ point, steps, left, isDone }: UndoOutcome): Generator<string> {
  const what = point.kind === "undo" ? "Before files were put back" : `Before "${oneLine(point.text, 120)}"`;
  if (steps.length === 0) {
    yield `${what}: ${left.length > 0 ? "nothing was put back" : "all files are as they were then"}\n`;
    return;
  }
  yield `${what}:\n`;
  const verbs = isDone
    ? { restore: "restored", remove: "removed", mode: "mode" }
    : { restore: "would restore", remove: "would remove", mode: "would set the mode of" };
  for (const { path, action } of steps) yield `  ${verbs[action]} ${oneLine(path, LONGEST_PATH)}\n`;
}

/** What was not done is said even where warnings are not wanted: the exit code alone would not tell which. */
function warnAlways(config: Config, notice: string): void {
  warn(
    { ...config, invocation: { ...config.invocation, values: { ...config.invocation.values, quiet: false } } },
    notice,
  );
}

function misuse(): UserError {
  return new UserError({
    what: "Cannot tell what to undo",
    why: "it takes one session",
    fix: "sandpiper undo [ID] [--to N] [--list] [--dry-run] [--force]",
  });
}
