import { namedFilesOf } from "../../config/named_files.ts";
import { FileTooLarge, type NamedFiles } from "../../core/named_files.ts";
import { resolve } from "@std/path";
import { messageOf, UserError } from "../../core/error.ts";
import type { ApplyOutcome, PatchedFile } from "../../core/changes.ts";
import { counted, visibleJson } from "../../core/support/text.ts";
import { programName } from "../../core/version.ts";
import { type Config, configure } from "../../config/config.ts";
import { readWorld } from "../../config/host_environment.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { applyPatch } from "../../engine/trial/apply_patch.ts";
import { newestPatch } from "../../engine/sessions/patch_place.ts";
import { oneLine } from "../../session/view/visible_text.ts";
import { takenBackLines } from "../output/taken_back.ts";
import { listenToEnds } from "../../core/support/signals.ts";
import { writeAll } from "../output/write_all.ts";
import { write } from "./sessions.ts";

const LONGEST_PATH = 400;
/** Larger ones are no patches of this program. */
const MOST_BYTES = 500 * 1024 ** 2;

/** `sandpiper apply`: the patch of a trial, all of it or nothing; asks nothing. 1: it does not fit, and nothing was changed. */
export async function applyCommand(invocation: Invocation): Promise<number> {
  const { values, words: [which = "latest", ...paths] } = invocation;
  const config = configure(invocation, readWorld());
  const path = patchNamed(config, which);
  const patch = readWhole(namedFilesOf(config), path);
  // A signal in the middle would leave half of it.
  const stop = listenToEnds(() => {});
  let outcome: ApplyOutcome;
  try {
    outcome = await applyPatch(config, patch, path, {
      ...(paths.length > 0 ? { paths } : {}),
      ...(values["dry-run"] ? { dryRun: true } : {}),
    });
  } finally {
    stop();
  }
  if (outcome.takenBack) { for (const line of takenBackLines(outcome.takenBack)) writeAll(Deno.stderr, line); }
  if (values["json"]) write([visibleJson({ patch: path, ...outcome }, 2), "\n"]);
  else {
    write(outcomeLines(path, outcome, values["dry-run"] === true));
    // Said even where warnings are not wanted: the exit code alone would not tell which.
    for (const { path, why, hunk } of outcome.misfits) {
      writeAll(Deno.stderr, `${programName()}: ${oneLine(path, LONGEST_PATH)}${hunk ? `, ${hunk}` : ""}: ${why}\n`);
    }
  }
  return outcome.misfits.length > 0 ? 1 : 0;
}

/** A word with a slash, or with the ending of a patch, is a file; others name a session, whatever files there are. */
function patchNamed(config: Config, which: string): string {
  const path = resolve(config.world.cwd, which);
  if (/\.(?:patch|diff)$/.test(which)) return path; // no session is called so, whether the file is there or not
  if (!which.endsWith(".jsonl") && which.includes("/")) return path;
  return newestPatch(config, which);
}

function readWhole(files: NamedFiles, path: string): Uint8Array {
  const cannot = (why: string): UserError =>
    new UserError({
      what: `Cannot read the patch ${path}`,
      why,
      fix: "Name a file, or a session: sandpiper sessions lists them",
    });
  try {
    return files.read(files.find(path, { access: "read", typed: true }), MOST_BYTES);
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (error instanceof FileTooLarge) throw cannot(`it has ${error.size} bytes`);
    throw cannot(error instanceof Deno.errors.NotFound ? "there is no such file" : messageOf(error));
  }
}

const VERBS = { created: "new", changed: "changed", deleted: "deleted", moved: "moved", mode: "mode" } as const;

function* outcomeLines(path: string, { files, misfits, isDone }: ApplyOutcome, isDry: boolean): Generator<string> {
  const many = counted(files.length, "file");
  if (misfits.length > 0) {
    yield `Nothing was changed: ${oneLine(path, LONGEST_PATH)} does not fit in ${counted(misfits.length, "place")}\n`;
    return;
  }
  if (files.length === 0) {
    yield "Nothing was changed: the patch has no file\n";
    return;
  }
  yield isDone ? `Applied, ${many}:\n` : isDry ? `It fits, and would change ${many}:\n` : `${many}:\n`;
  for (const file of files) yield `  ${fileLine(file)}\n`;
}

function fileLine({ path, kind, from, linesAdded, linesRemoved, becomes }: PatchedFile): string {
  const lines = linesAdded === undefined || linesRemoved === undefined
    ? " (binary)"
    : linesAdded + linesRemoved > 0
    ? ` +${linesAdded} -${linesRemoved}`
    : "";
  const old = from === undefined ? "" : ` from ${oneLine(from, LONGEST_PATH)}`;
  const mode = becomes === undefined ? "" : kind === "created" ? `, ${becomes}` : `, becomes ${becomes}`;
  return `${VERBS[kind]} ${oneLine(path, LONGEST_PATH)}${old}${lines}${mode}`;
}
