import { counted } from "../../core/support/text.ts";
import { leftByReason, shownSteps, type UndoOutcome, type UndoRequest } from "../../core/changes.ts";
import { UserError } from "../../core/error.ts";
import { ago } from "../blocks/amounts.ts";
import type { CommandContext } from "./command.ts";

/** Files that a preview names. */
const SHOWN = 40;
const VERBS = { restore: "restore", remove: "remove", mode: "set the mode of" } as const;

/** `/undo`: files as they were before a message; says what it would do and asks first. */
export async function undoCommand(context: CommandContext): Promise<void> {
  const { engine, world, pick } = context;
  const cutOff = await cutOffApply(context);
  if (cutOff !== undefined) return await confirm(context, cutOff, {});
  const points = await engine.undoPoints();
  if (points.every(({ files, outside = 0 }) => files + outside === 0)) {
    throw new UserError({
      what: "There is nothing to undo",
      why: "nothing of this session has changed a file, or changes are not recorded",
      fix: "See docs/undo.md",
    });
  }
  // Going back to before a message that changed nothing is going back to before the next one that did.
  const choices = points.filter(({ files, outside = 0 }) => files + outside > 0).map((
    { number, text, time, files, outside, isUndone },
  ) => ({
    label: text,
    detail: `${counted(files, "file")}${outside === undefined ? "" : ` (${outside} more by somebody else)`}, ${
      ago(world.now() - Date.parse(time))
    }${isUndone ? ", undone" : ""}`,
    value: number,
  }));
  const start = points.findLastIndex(({ kind, isUndone }) => kind === "prompt" && !isUndone);
  const to = await pick("Files as they were before", choices, { start: Math.max(0, start) });
  if (to === undefined) return;
  await confirm(context, await engine.undo({ to, dryRun: true }), { to });
}

/** What taking back a patch that was applied in part would do; undefined where there is none. */
async function cutOffApply({ engine }: CommandContext): Promise<UndoOutcome | undefined> {
  try {
    const preview = await engine.undo({ dryRun: true });
    return preview.point.kind === "apply" ? preview : undefined;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

const CUT_OFF = "The application of a patch was cut off in the middle: undo takes that back first, and nothing else";

/** Shows what would be done, asks, and does it. */
async function confirm(context: CommandContext, preview: UndoOutcome, request: UndoRequest): Promise<void> {
  const { engine, pick, say } = context;
  if (preview.point.kind === "apply") say(CUT_OFF, "warning");
  if (preview.steps.length === 0 && preview.left.length === 0) {
    return say("All files in the write scope are as they were then");
  }
  showSteps(context, preview);
  const forcible = preview.left.filter(({ isForcible }) => isForcible).length;
  if (preview.steps.length === 0 && forcible === 0) {
    return say(
      engine.trial() ? "Nothing can be put back while the trial goes on; /trial ends it" : "Nothing can be put back",
    );
  }
  const how = await pick("Put them back?", [
    { label: "No", value: "no" as const },
    ...(preview.steps.length > 0 ? [{ label: `Yes: ${filesIn(preview)}`, value: "yes" as const }] : []),
    ...(forcible > 0
      ? [{ label: `Also overwrite ${counted(forcible, "file")} that somebody else changed`, value: "force" as const }]
      : []),
  ]);
  if (how === undefined || how === "no") return say("Nothing was put back");
  await putBack(context, { ...request, ...(how === "force" ? { force: true } : {}) });
}

/** `/redo`: takes the last undo back; shows what it would do and asks first. */
export async function redoCommand(context: CommandContext): Promise<void> {
  const preview = await context.engine.undo({ redo: true, dryRun: true });
  await confirm(context, preview, { redo: true });
}

/** Puts files back and says what came of it. */
export async function putBack({ engine, say }: CommandContext, request: UndoRequest): Promise<void> {
  const outcome = await engine.undo(request);
  const { steps, left } = outcome;
  say(steps.length > 0 ? `Put back: ${filesIn(outcome)}` : "Nothing was put back");
  for (const { why, paths } of leftByReason(left)) {
    const more = paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : "";
    const [first = ""] = paths;
    say(
      paths.length === 1
        ? `${first} is left as it is: ${why}`
        : `Each of ${paths.length} files is left as it is: ${why}: ${paths.slice(0, SHOWN).join(", ")}${more}`,
      "warning",
    );
  }
}

/**
 * Whether files are to be put back as they were at an entry that is gone to; asks only where some are not. Undefined: the
 * person left.
 */
export async function filesThere(context: CommandContext, entryId: string): Promise<boolean | undefined> {
  const { engine, pick } = context;
  let preview: UndoOutcome;
  try {
    if ((await engine.undoPoints()).length === 0) return false;
    preview = await engine.undo({ at: entryId, dryRun: true });
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
  if (preview.point.kind === "apply") context.say(CUT_OFF, "warning");
  if (preview.steps.length === 0 || preview.point.kind === "apply") return false;
  showSteps(context, preview);
  return await pick("The files", [
    { label: "Leave them as they are", value: false },
    { label: `Put back ${filesIn(preview)} as they were there`, value: true },
  ]);
}

function showSteps({ page }: CommandContext, { steps, left }: UndoOutcome): void {
  const more = (list: readonly unknown[]): string[] => list.length > SHOWN ? [`  and ${list.length - SHOWN} more`] : [];
  const shown = shownSteps(steps);
  page((theme) => [
    ...(shown.length > 0 ? [theme.strong("This would")] : []),
    ...shown.slice(0, SHOWN).map(({ action, path }) => `  ${VERBS[action]} ${theme.accent(path)}`),
    ...more(shown),
    ...(left.length > 0 ? [theme.strong(steps.length > 0 ? "and leave" : "This would leave as it is")] : []),
    ...leftByReason(left).flatMap(({ why, paths }) =>
      paths.length === 1
        ? [`  ${theme.accent(paths[0] ?? "")}: ${why}`]
        : [`  ${why}:`, ...paths.slice(0, SHOWN).map((path) => `    ${theme.accent(path)}`), ...more(paths)]
    ),
  ]);
}

/** How many files, and folders that are steps of their own. */
function filesIn({ steps }: Pick<UndoOutcome, "steps">): string {
  const shown = shownSteps(steps);
  const folders = shown.filter(({ thing }) => thing === "folder").length;
  const files = shown.length - folders;
  return [
    ...(files > 0 ? [counted(files, "file")] : []),
    ...(folders > 0 ? [counted(folders, "folder")] : []),
  ].join(" and ");
}
