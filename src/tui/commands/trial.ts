import { UserError } from "../../core/error.ts";
import { counted } from "../../core/support/text.ts";
import type { LeftOut, PatchedFile, TrialChanges } from "../../core/changes.ts";
import { diffStyle } from "../blocks/diff_rows.ts";
import { cleanLine, cleanText } from "../screen/foreign.ts";
import type { CommandContext } from "./command.ts";

/** Lines of a diff that are shown; the rest is in the patch. */
const SHOWN = 400;
/** Longest line of it, UTF-16 units. */
const LONGEST = 500;

/** `/trial`: begins one; in one, shows what it changed and asks what is to become of it. */
export async function trialCommand(context: CommandContext, args: string): Promise<void> {
  const { engine, say } = context;
  if (args !== "") {
    throw new UserError({
      what: `Cannot do "/trial ${args}"`,
      why: "/trial takes no words",
      fix: engine.trial()
        ? "Write /trial alone: it shows the diff, applies it or ends the trial"
        : "Write /trial alone",
    });
  }
  if (engine.trial() === undefined) {
    const { cost, workspace } = await engine.beginTrial();
    const seconds = (cost.milliseconds / 1000).toFixed(1);
    say(
      `Trial: tools work on a private copy of ${cleanLine(workspace)} now (${cost.files.toLocaleString("en")} ${
        cost.files === 1 ? "file" : "files"
      }, ${seconds} s). The workspace stays as it is. /trial again shows what changed`,
    );
    return;
  }
  const changes = await engine.trialChanges();
  const { files } = changes;
  showChanges(context, changes);
  const taken = await choose(context, files);
  if (taken === undefined) return;
  const outcome = await engine.endTrial(taken === "all" ? {} : { paths: taken });
  const { takenBack } = outcome;
  if (takenBack !== undefined && !takenBack.isComplete) {
    say(
      `The application of a patch had been cut off in the middle. Put back before this: ${
        counted(takenBack.restored.length, "file")
      }`,
      "warning",
    );
    for (const path of takenBack.left.slice(0, 20)) {
      say(`${cleanLine(path)} is left as it is: somebody else changed it since`, "warning");
    }
  }
  if (outcome.isDone) {
    return say(
      taken.length === 0
        ? "The trial has ended, and the workspace is as it was"
        : `Taken into the workspace: ${counted(outcome.files.length, "file")}. The trial has ended`,
    );
  }
  say("Nothing was taken, and the trial goes on: these do not fit the workspace as it is now", "warning");
  for (const { path, why, hunk } of outcome.misfits.slice(0, 20)) {
    say(`${cleanLine(path)}${hunk ? `, ${cleanLine(hunk)}` : ""}: ${why}`, "warning");
  }
}

/** The paths that are to be taken; undefined: the trial goes on. */
async function choose(
  { pick, say }: CommandContext,
  files: readonly PatchedFile[],
): Promise<"all" | readonly string[] | undefined> {
  const how = await pick("The trial", [
    { label: "Go on with it", value: "on" as const },
    ...(files.length > 0 ? [{ label: `Take all: ${counted(files.length, "file")}`, value: "all" as const }] : []),
    ...(files.length > 1 ? [{ label: "Take some files", value: "some" as const }] : []),
    { label: "Take nothing and end it", detail: files.length > 0 ? "a patch is kept" : "", value: "none" as const },
  ]);
  if (how === undefined || how === "on") return undefined;
  if (how === "all") return "all";
  if (how === "none") return [];
  const wanted = new Set<string>();
  for (;;) {
    const chosen = await pick<string | null>(
      "Files to take",
      [
        {
          label: () =>
            wanted.size === 0 ? "Nothing is marked yet" : `Take ${counted(wanted.size, "file")} and end the trial`,
          detail: "of the rest a patch is kept",
          value: null,
        },
        ...files.map((file) => ({
          label: () => `${wanted.has(file.path) ? "[x]" : "[ ]"} ${file.path}`,
          detail: detailOf(file),
          value: file.path,
        })),
      ],
      {
        start: 1,
        enter: () => wanted.size === 0 ? "goes on with what is marked" : `takes ${counted(wanted.size, "file")}`,
        mark(path) {
          if (path !== null && !wanted.delete(path)) wanted.add(path);
          return path !== null;
        },
      },
    );
    if (chosen === undefined) return undefined;
    if (wanted.size > 0) return [...wanted];
    say("Nothing is marked: Space marks a file", "warning");
  }
}

function showChanges({ page }: CommandContext, { files, patch, leftOut }: TrialChanges): void {
  const lines = shownLines(patch);
  // The sign stays where it is.
  const text = (line: string): string => line.charAt(0) + cleanText(utf8(line.slice(1, LONGEST)));
  page((theme) => [
    theme.strong(
      files.length === 0 ? "The trial has changed nothing" : `The trial has changed ${counted(files.length, "file")}`,
    ),
    ...lines.slice(0, SHOWN).map((line) => diffStyle(line, theme)(text(line))),
    ...(lines.length > SHOWN ? [theme.dim("  and more, which is in the patch")] : []),
    ...(files.length > 0 ? [theme.strong("Files")] : []),
    ...files.map((file) => `  ${theme.accent(cleanLine(file.path))}  ${theme.dim(detailOf(file))}`),
    ...leftOut.map((one) => theme.warn(leftLine(one))),
  ]);
}

/** The lines of a patch that a person reads: no names of contents, no bytes of binary files. */
function shownLines(patch: string): string[] {
  const lines: string[] = [];
  let isBinary = false;
  for (let at = 0; at < patch.length && lines.length <= SHOWN;) {
    const end = patch.indexOf("\n", at);
    const line = patch.slice(at, end);
    at = end + 1;
    if (line.startsWith("diff --git ")) isBinary = false;
    if (isBinary || /^index [0-9a-f]+\.\./.test(line)) continue;
    isBinary = line === "GIT binary patch";
    lines.push(isBinary ? "a binary file" : line);
  }
  return lines;
}

/** The text that the bytes of a patch's line stand for. */
function utf8(line: string): string {
  return new TextDecoder().decode(Uint8Array.from(line, (char) => char.charCodeAt(0)));
}

function leftLine({ why, paths = [], count: many = 0 }: LeftOut): string {
  if (paths.length === 0) return `  ${why}`;
  return `  ${why}: ${paths.slice(0, 3).map(cleanLine).join(", ")}${many > 3 ? ` and ${many - 3} more` : ""}`;
}

function detailOf({ kind, from, linesAdded, linesRemoved, becomes }: PatchedFile): string {
  const lines = linesAdded === undefined || linesRemoved === undefined ? "binary" : `+${linesAdded} −${linesRemoved}`;
  const mode = becomes === undefined ? "" : kind === "created" ? `, ${becomes}` : `, becomes ${becomes}`;
  return `${kind}${from === undefined ? "" : ` from ${cleanLine(from)}`} ${lines}${mode}`;
}
