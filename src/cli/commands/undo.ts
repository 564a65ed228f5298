import { programName } from "../../core/version.ts";
import { leftByReason, shownSteps, type UndoOutcome, type UndoPoint, type UndoRequest } from "../../core/changes.ts";
import { UserError } from "../../core/error.ts";
import { counted, visibleJson } from "../../core/support/text.ts";
import { localTime, oneLine } from "../../session/view/visible_text.ts";
import { type Config, configure } from "../../config/config.ts";
import { readWorld } from "../../config/host_environment.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { undoApply } from "../../engine/trial/apply_patch.ts";
import { takenBackLines } from "../output/taken_back.ts";
import { writeAll } from "../output/write_all.ts";
import {
  openStoredChanges,
  type OtherChanges,
  otherChanges,
  recoverWorkspace,
  storedPoints,
} from "../../engine/changes/undo_session.ts";
import { warn, write } from "./sessions.ts";

const LONGEST_PATH = 400;

/** `sandpiper undo`: puts files back as they were before a message of a session; asks nothing. 1: some were left. */
export async function undoCommand(invocation: Invocation): Promise<number> {
  const { values, words: [which = "latest", ...more] } = invocation;
  if (more.length > 0 || (values["redo"] && values["to"] !== undefined)) throw misuse();
  const config = configure(invocation, readWorld());
  for (const problem of await recoverWorkspace(config)) warn(config, problem);
  if (values["list"]) return listCommand(config, which, values["json"] === true);
  // The newest change of all: what was asked for is looked at again when the files are whole.
  const dryRun = values["dry-run"] === true;
  const cutOff = undoApply(config, { dryRun });
  if (cutOff !== undefined) {
    const { steps, left } = cutOff;
    const paths = (list: readonly { readonly path: string }[]): string[] => list.map(({ path }) => path);
    if (!dryRun) {
      const back = { isComplete: false, restored: paths(steps), left: paths(left) };
      for (const line of takenBackLines(back)) writeAll(Deno.stderr, line);
    }
    if (values["json"]) write([visibleJson(cutOff, 2), "\n"]);
    else write(dryRun ? [...outcomeLines(cutOff), "Nothing else would be undone\n"] : ["Nothing else was undone\n"]);
    if (dryRun) warnLeft(config, cutOff);
    return left.length > 0 ? 1 : 0;
  }
  const stored = await openStoredChanges(config, which);
  try {
    for (const notice of stored.notices) warn(config, notice);
    const { session, points } = stored;
    const request = requestOf(values, points);
    if (which === "latest" && request.to === undefined && !request.redo) refuseNothing(config, session, points);
    const outcome = await stored.undo(request);
    write(values["json"] ? [visibleJson({ session, ...outcome }, 2), "\n"] : outcomeLines(outcome));
    // An undo is a point of its own, the newest one.
    const isTaken = outcome.isDone && outcome.steps.length > 0 && !values["json"];
    if (isTaken) {
      const back = request.redo ? `--to ${points.length + 1}` : "--redo";
      write([`To take this back: ${programName()} undo ${oneLine(session, 128)} ${back}\n`]);
    }
    // What was restored is a point of its own: the point of these files has to be named.
    const point = request.redo ? "--redo" : `--to ${outcome.point.number}`;
    const again = isTaken ? `${programName()} undo ${oneLine(session, 128)} ${point} --force` : "--force";
    warnLeft(config, outcome, again);
    return outcome.left.length > 0 ? 1 : 0;
  } finally {
    await stored.close();
  }
}

/** Lists what can be gone back to, of an open session, too. */
function listCommand(config: Config, which: string, isJson: boolean): number {
  const { session, points, notices } = storedPoints(config, which);
  for (const notice of notices) warn(config, notice);
  if (isJson) return write([visibleJson({ session, points }, 2), "\n"]);
  const other = points.length === 0 ? otherChanges(config, session) : undefined;
  const more = other === undefined
    ? []
    : [`${otherText(other)}: ${programName()} undo ${oneLine(other.session, 128)} --list\n`];
  return write([...listLines(session, points), ...more]);
}

/** Says where there is something to undo, if not in the newest session. Throws UserError. */
function refuseNothing(config: Config, session: string, points: readonly UndoPoint[]): void {
  if (points.some(({ kind, isUndone }) => kind === "prompt" && !isUndone)) return;
  const other = otherChanges(config, session);
  if (other === undefined) return;
  throw new UserError({
    what: "There is nothing to undo in the newest session",
    why: points.length === 0
      ? `${oneLine(session, 128)} changed no file, or nothing of it was kept`
      : `everything of ${oneLine(session, 128)} is undone already`,
    fix: `${otherText(other)}: sandpiper undo ${oneLine(other.session, 128)}`,
  });
}

function otherText({ time, files }: OtherChanges): string {
  return `An older session changed ${filesText(files)} (${localTime(time)})`;
}

function requestOf(values: Invocation["values"], points: readonly UndoPoint[]): UndoRequest {
  const to = values["to"];
  return {
    ...(typeof to === "string" ? { to: pointNamed(to, points) } : {}),
    ...(values["redo"] ? { redo: true } : {}),
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
  for (const { number, text, time, files, outside, isUndone } of points) {
    const count = filesText(files, outside);
    const state = isUndone ? ", undone" : "";
    yield `${String(number).padStart(width)}  ${localTime(time)}  ${count}${state}  ${oneLine(text, 120)}\n`;
  }
}

/** How many files changed at a point, and how many of somebody else's doing, which undo leaves alone. */
function filesText(files: number, outside = 0): string {
  const own = counted(files, "file");
  return outside === 0 ? own : `${own} (${outside} more by somebody else)`;
}

/** What was done, or would be, one file a line, and one folder of which no file is named. */
function* outcomeLines({ point, steps, left, isDone }: UndoOutcome): Generator<string> {
  const what = point.kind === "prompt"
    ? `Before "${oneLine(point.text, 120)}"`
    : point.kind === "undo"
    ? "Before files were put back"
    : "Before a patch was applied in part";
  if (steps.length === 0) {
    yield `${what}: ${
      left.length > 0 ? "nothing was put back" : "all files in the write scope are as they were then"
    }\n`;
    return;
  }
  yield `${what}:\n`;
  const verbs = isDone
    ? { restore: "restored", remove: "removed", mode: "mode" }
    : { restore: "would restore", remove: "would remove", mode: "would set the mode of" };
  for (const { path, action } of shownSteps(steps)) yield `  ${verbs[action]} ${oneLine(path, LONGEST_PATH)}\n`;
}

/**
 * What was not done is said even where warnings are not wanted: the exit code alone would not tell which.
 *
 * @param again what overwrites files that others changed
 */
function warnLeft(config: Config, { left, isDone }: UndoOutcome, again = "--force"): void {
  const { invocation } = config;
  const always = { ...config, invocation: { ...invocation, values: { ...invocation.values, quiet: false } } };
  for (const { why, isForcible, paths } of leftByReason(left)) {
    const names = paths.map((path) => oneLine(path, LONGEST_PATH));
    const [what, list] = names.length === 1
      ? [names[0], ""]
      : [`each of ${names.length} files`, `\n  ${names.join("\n  ")}`];
    const force = isForcible ? `; ${again} overwrites it` : "";
    warn(always, `${what} ${isDone ? "is" : "would be"} left as it is: ${why}${force}${list}`);
  }
}

function misuse(): UserError {
  return new UserError({
    what: "Cannot tell what to undo",
    why: "it takes one session, and --to or --redo",
    fix: "sandpiper undo [ID] [--to N | --redo] [--list] [--dry-run] [--force]",
  });
}
